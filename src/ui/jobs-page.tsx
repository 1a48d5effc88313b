/** All jobs and services, with filters that stand in the address. */
import { jobAddress } from './addresses';
import { Progress, State } from './parts';
import { setQuery, useLive, useNow } from './live';
import { age } from './words';
import type { JobRow } from '../cli/jobs/job-row';
import type { UiJobs, UiSession } from '../cli/ui/protocol';
import { inOrder } from '../model/lists';
import { elapsed } from '../model/text/times';

const STATES = ['Running', 'Waiting', 'Restarting', 'Suspended', 'Failed', 'Succeeded'];

/** Rows that are drawn; of more, the first ones and how many there are. */
const MAX_ROWS = 500;

/** @see the top of this file */
export function JobsPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const namespace = query.get('namespace') ?? session.namespace;
  const { data, problem } = useLive<UiJobs>(`api/jobs${namespace === '*' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`, 'jobs');
  const now = useNow();
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value === '') {
      next.delete(name);
    } else {
      next.set(name, value);
    }
    setQuery('/', next);
  };
  const text = (query.get('text') ?? '').toLowerCase();
  const [state, kind, framework] = [query.get('state') ?? '', query.get('kind') ?? '', query.get('framework') ?? ''];
  const all = data?.rows ?? [];
  const rows = all.filter((row) => (state === '' || row.state === state) && (kind === '' || row.kind === kind) && (framework === '' || row.framework === framework)
    && (text === '' || `${row.namespace} ${row.name} ${row.queue ?? ''} ${row.reason ?? ''}`.toLowerCase().includes(text)))
    .sort((one, other) => inOrder(other.createdAt ?? '', one.createdAt ?? ''));
  return (
    <>
      <h1>Jobs</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>Namespace <input value={namespace === '*' ? '' : namespace} placeholder="all" onChange={({ currentTarget }) => set('namespace', currentTarget.value === '' ? '*' : currentTarget.value)} /></label>
        <label>State <select value={state} onChange={({ currentTarget }) => set('state', currentTarget.value)}>
          <option value="">all</option>
          {STATES.map((one) => <option key={one} value={one}>{one}</option>)}
        </select></label>
        <Choice label="Kind" value={kind} values={all.map((row) => row.kind)} onChange={(value) => set('kind', value)} />
        <Choice label="Framework" value={framework} values={all.flatMap((row) => row.framework ?? [])} onChange={(value) => set('framework', value)} />
        <label>Text <input type="search" value={query.get('text') ?? ''} onInput={({ currentTarget }) => set('text', currentTarget.value)} /></label>
      </form>
      <p class="live" role="status">
        {problem !== undefined ? <span class="problem">{problem}</span> : data === undefined ? 'Reading ...' : `${rows.length} of ${all.length}, live`}
      </p>
      {(data?.unread ?? []).map((sentence) => <p class="note" key={sentence}>{sentence}</p>)}
      {data !== undefined && rows.length === 0 ? <p class="empty">No job is like that. Submit one: <code>npx trainyard submit job.yaml</code></p> : <Rows rows={rows.slice(0, MAX_ROWS)} now={now} isEverywhere={namespace === '*'} />}
      {rows.length > MAX_ROWS ? <p class="note">{rows.length - MAX_ROWS} more. Use the filters.</p> : null}
    </>
  );
}

/** A filter by values that rows have. The one of the address is offered even when no row has it. */
function Choice({ label, value, values, onChange }: {
  readonly label: string; readonly value: string; readonly values: readonly string[]; readonly onChange: (value: string) => void;
}) {
  const offered = [...new Set(value === '' ? values : [...values, value])].sort();
  return offered.length === 0 ? null : (
    <label>{label} <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">all</option>
      {offered.map((one) => <option key={one} value={one}>{one}</option>)}
    </select></label>
  );
}

function Rows({ rows, now, isEverywhere }: { readonly rows: readonly JobRow[]; readonly now: number; readonly isEverywhere: boolean }) {
  const hasQueues = rows.some(({ queue }) => queue !== undefined);
  const hasAccelerators = rows.some(({ accelerators }) => accelerators !== undefined);
  return rows.length === 0 ? null : (
    <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
      <table>
        <thead>
          <tr>{isEverywhere ? <th scope="col">Namespace</th> : null}<th scope="col">Name</th><th scope="col">Kind</th><th scope="col">State</th><th scope="col">Ready</th>
            <th scope="col">Progress</th>{hasQueues ? <th scope="col">Queue</th> : null}{hasAccelerators ? <th scope="col">GPUs</th> : null}<th scope="col">Age</th></tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.namespace}/${row.kind}/${row.name}`}>
              {isEverywhere ? <td>{row.namespace}</td> : null}
              <td><a href={jobAddress(row)}>{row.name}</a></td>
              <td>{row.kind}</td>
              <td><State state={row.state} phase={row.phase} /></td>
              <td>{row.ready}</td>
              <td>
                <Progress percentage={row.progressPercentage} />
                {row.estimatedRemainingSeconds === undefined ? null : <small> {elapsed(row.estimatedRemainingSeconds * 1000)} left</small>}
              </td>
              {hasQueues ? <td>{row.queue}{row.queuePosition === undefined ? null : <small> place {row.queuePosition}</small>}</td> : null}
              {hasAccelerators ? <td>{row.accelerators}</td> : null}
              <td>{age(row.createdAt, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
