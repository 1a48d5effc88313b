/** Jobs that were recorded, also those that are gone, with filters that stand in the address. */
import { useState } from 'preact/hooks';
import { setQuery, useAnswer } from '../live';
import { State } from '../parts';
import { moment } from '../words';
import type { HistoryGap, HistoryList, HistoryRow } from '../../cli/ui/history/history';
import type { UiSession } from '../../cli/ui/protocol';
import { duration } from '../../model/text/times';

const STATES = ['Succeeded', 'Failed', 'Deleted', 'Running', 'Waiting', 'Restarting', 'Suspended'];

/** Runs that are compared at a time. */
const MAX_COMPARED = 4;

const DAY_MS = 24 * 3600_000;

/** @see the top of this file */
export function HistoryPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const namespace = query.get('namespace') ?? session.namespace;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const asked = new URLSearchParams([...query].filter(([name]) => ['text', 'state', 'framework', 'before'].includes(name)));
  if (namespace !== '*') {
    asked.set('namespace', namespace);
  }
  // Days are those of the user's clock.
  const [from, to] = [Date.parse(`${query.get('from')}T00:00`), Date.parse(`${query.get('to')}T00:00`)];
  if (!Number.isNaN(from)) {
    asked.set('since', String(from));
  }
  if (!Number.isNaN(to)) {
    asked.set('until', String(to + DAY_MS - 1));
  }
  const { data, problem } = useAnswer<HistoryList>(`api/history?${asked.toString()}`);
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    next.delete('before');
    next.set(name, value);
    setQuery('/history', new URLSearchParams([...next].filter(([, text]) => text !== '')));
  };
  const bound = (name: string) => ({
    value: query.get(name) ?? '', onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => set(name, currentTarget.value),
  });
  const older = new URLSearchParams(query);
  older.set('before', data?.next ?? '');
  return (
    <>
      <h1>History</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>Namespace <input value={namespace === '*' ? '' : namespace} placeholder="all" onChange={({ currentTarget }) => set('namespace', currentTarget.value === '' ? '*' : currentTarget.value)} /></label>
        <label>State <select value={query.get('state') ?? ''} onChange={({ currentTarget }) => set('state', currentTarget.value)}>
          <option value="">all</option>
          {STATES.map((state) => <option key={state} value={state}>{state}</option>)}
        </select></label>
        <label>Framework <input {...bound('framework')} /></label> <label>Text <input type="search" {...bound('text')} /></label>
        {' '}<label>From <input type="date" {...bound('from')} /></label> <label>To <input type="date" {...bound('to')} /></label>
      </form>
      <p class="live" role="status">{problem !== undefined ? <span class="problem">{problem}</span> : data === undefined ? 'Reading ...' : `${data.runs.length} jobs`}</p>
      {data?.problem === undefined ? null : <p class="problem">Nothing is recorded at the moment: {data.problem}</p>}
      <Gaps gaps={data?.gaps ?? []} />
      {data === undefined ? null : data.runs.length === 0 ? <p class="empty">No recorded job is like that.</p>
        : <Rows
          runs={data.runs} chosen={chosen}
          onChoose={(id, isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id))}
        />}
      <p>
        {chosen.length < 2 ? null : <a href={`#/history/compare?${new URLSearchParams(chosen.map((id) => ['run', id])).toString()}`}>Compare {chosen.length} jobs</a>}
        {' '}{data?.next === undefined ? null : <a href={`#/history?${older.toString()}`}>Older jobs</a>}
      </p>
    </>
  );
}

function Rows({ runs, chosen, onChoose }: {
  readonly runs: readonly HistoryRow[]; readonly chosen: readonly string[]; readonly onChoose: (id: string, isChosen: boolean) => void;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="History">
      <table>
        <thead>
          <tr><th scope="col">Compare</th><th scope="col">Name</th><th scope="col">Namespace</th><th scope="col">State</th><th scope="col">Framework</th><th scope="col">GPUs</th>
            <th scope="col">Created</th><th scope="col">Took</th><th scope="col">Deleted</th></tr>
        </thead>
        <tbody>{runs.map(({ uid, namespace, name, state, framework, accelerators, createdAt, endedAt, deletedAt }) => {
          const id = `${namespace}/${uid}`;
          const isChosen = chosen.includes(id);
          return (
            <tr key={uid}>
              <td><input type="checkbox" aria-label={`Compare ${name}`} checked={isChosen} disabled={!isChosen && chosen.length === MAX_COMPARED}
                onChange={({ currentTarget }) => onChoose(id, currentTarget.checked)} /></td>
              <td><a href={`#/history/run/${[namespace, uid].map(encodeURIComponent).join('/')}`}>{name}</a></td>
              <td>{namespace}</td><td><State state={state} phase={state} /></td><td>{framework}</td><td>{accelerators}</td>
              <td>{moment(new Date(createdAt).toISOString())}</td>
              <td>{endedAt === undefined ? '' : duration(endedAt - createdAt)}</td>
              <td>{deletedAt === undefined ? '' : moment(new Date(deletedAt).toISOString())}</td>
            </tr>
          );
        })}</tbody>
      </table>
    </div>
  );
}

/** When the recorder was away. */
export function Gaps({ gaps }: { readonly gaps: readonly HistoryGap[] }) {
  return gaps.length === 0 ? null : (
    <details>
      <summary>Nothing was recorded at {gaps.length} times</summary>
      <ul>{gaps.map(({ since, until }) => (
        <li key={since}>{moment(new Date(since).toISOString())} to {moment(new Date(until).toISOString())}</li>
      ))}</ul>
    </details>
  );
}
