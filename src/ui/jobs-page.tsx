/** All jobs and services. The filters are in the address. */
import { Choice, Filters, Notes, Progress, State, Status, Table } from './parts';
import { setFilter, useNow, useView } from './live';
import { age, jobAddress } from './words';
import type { JobRow } from '../cli/jobs/job-row';
import type { UiJobs, UiSession } from '../cli/ui/protocol';
import { inOrder } from '../model/lists';
import { elapsed } from '../model/text/times';

const STATES = ['Running', 'Waiting', 'Restarting', 'Suspended', 'Failed', 'Succeeded'];

/** Maximum number of rows. */
const MAX_ROWS = 500;

export function JobsPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const namespace = query.get('namespace') ?? session.namespace;
  const { data, problem } = useView<UiJobs>('jobs', namespace);
  const now = useNow();
  const set = (name: string, value: string) => setFilter('/', query, name, value);
  const text = (query.get('text') ?? '').toLowerCase();
  const [state, kind, framework] = [query.get('state') ?? '', query.get('kind') ?? '', query.get('framework') ?? ''];
  const all = data?.rows ?? [];
  const rows = all.filter((row) => (state === '' || row.state === state) && (kind === '' || row.kind === kind) && (framework === '' || row.framework === framework)
    && (text === '' || `${row.namespace} ${row.name} ${row.queue ?? ''} ${row.reason ?? ''}`.toLowerCase().includes(text)))
    .sort((one, other) => inOrder(other.createdAt ?? '', one.createdAt ?? ''));
  return (
    <>
      <h1>Jobs</h1>
      <Filters namespace={namespace} onNamespace={(value) => set('namespace', value)}>
        <Choice label="State" value={state} values={STATES} onChange={(value) => set('state', value)} />
        <Choice label="Kind" value={kind} values={offered(kind, all.map((row) => row.kind))} onChange={(value) => set('kind', value)} />
        <Choice label="Framework" value={framework} values={offered(framework, all.flatMap((row) => row.framework ?? []))} onChange={(value) => set('framework', value)} />
        <label>Text <input type="search" value={query.get('text') ?? ''} onInput={({ currentTarget }) => set('text', currentTarget.value)} /></label>
      </Filters>
      <Status problem={problem}>{data && `${rows.length} of ${all.length}, live`}</Status>
      <Notes notes={data?.unread} />
      {data !== undefined && rows.length === 0 ? <p class="empty">No job matches the filters. Submit one: <code>npx trainyard submit job.yaml</code></p>
        : <Rows rows={rows.slice(0, MAX_ROWS)} now={now} isEverywhere={namespace === '*'} />}
      {rows.length > MAX_ROWS ? <p class="note">{rows.length - MAX_ROWS} more. Use the filters.</p> : null}
    </>
  );
}

/** The values of the rows, and the chosen one even if no row has it. */
function offered(chosen: string, values: readonly string[]): readonly string[] {
  return [...new Set(chosen === '' ? values : [...values, chosen])].sort();
}

function Rows({ rows, now, isEverywhere }: { readonly rows: readonly JobRow[]; readonly now: number; readonly isEverywhere: boolean }) {
  const hasQueues = rows.some(({ queue }) => queue !== undefined);
  const hasAccelerators = rows.some(({ accelerators }) => accelerators !== undefined);
  const head = [
    ...(isEverywhere ? ['Namespace'] : []), 'Name', 'Kind', 'State', 'Ready', 'Progress', ...(hasQueues ? ['Queue'] : []), ...(hasAccelerators ? ['GPUs'] : []), 'Age',
  ];
  return rows.length === 0 ? null : (
    <Table label="Jobs" head={head}>
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
    </Table>
  );
}
