/** Recorded jobs, also deleted ones. The filters are in the address. */
import { useState } from 'preact/hooks';
import { setFilter, useAnswer } from '../live';
import { Choice, Filters, State, Status, Table } from '../parts';
import { moment, runAddress } from '../words';
import type { HistoryGap, HistoryList, HistoryRow } from '../../cli/ui/history/history';
import type { UiSession } from '../../cli/ui/protocol';
import { duration } from '../../model/text/times';

const STATES = ['Succeeded', 'Failed', 'Deleted', 'Running', 'Waiting', 'Restarting', 'Suspended'];

/** Maximum number of jobs to compare. */
const MAX_COMPARED = 4;

const DAY_MS = 24 * 3600_000;

export function HistoryPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const namespace = query.get('namespace') ?? session.namespace;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const asked = new URLSearchParams([...query].filter(([name]) => ['text', 'state', 'framework', 'before'].includes(name)));
  if (namespace !== '*') {
    asked.set('namespace', namespace);
  }
  // Days are in the user's time zone.
  const [from, to] = [Date.parse(`${query.get('from')}T00:00`), Date.parse(`${query.get('to')}T00:00`)];
  if (!Number.isNaN(from)) {
    asked.set('since', String(from));
  }
  if (!Number.isNaN(to)) {
    asked.set('until', String(to + DAY_MS - 1));
  }
  const { data, problem } = useAnswer<HistoryList>(`api/history?${asked.toString()}`);
  const set = (name: string, value: string) => setFilter('/history', query, name, value);
  const bound = (name: string) => ({
    value: query.get(name) ?? '', onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => set(name, currentTarget.value),
  });
  const older = new URLSearchParams(query);
  older.set('before', data?.next ?? '');
  return (
    <>
      <h1>History</h1>
      <Filters namespace={namespace} onNamespace={(value) => set('namespace', value)}>
        <Choice label="State" value={query.get('state') ?? ''} values={STATES} onChange={(value) => set('state', value)} />
        <label>Framework <input {...bound('framework')} /></label> <label>Text <input type="search" {...bound('text')} /></label>
        {' '}<label>From <input type="date" {...bound('from')} /></label> <label>To <input type="date" {...bound('to')} /></label>
      </Filters>
      <Status problem={problem}>{data && `${data.runs.length} jobs`}</Status>
      {data?.problem === undefined ? null : <p class="problem">Nothing is recorded at the moment: {data.problem}</p>}
      <Gaps gaps={data?.gaps ?? []} />
      {data === undefined ? null : data.runs.length === 0 ? <p class="empty">No recorded job matches the filters.</p>
        : <Rows runs={data.runs} chosen={chosen}
          onChoose={(id, isChosen) => setChosen(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id))} />}
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
    <Table label="History" head={['Compare', 'Name', 'Namespace', 'State', 'Framework', 'GPUs', 'Created', 'Took', 'Deleted']}>
      {runs.map(({ uid, namespace, name, state, framework, accelerators, createdAt, endedAt, deletedAt }) => {
        const id = `${namespace}/${uid}`;
        const isChosen = chosen.includes(id);
        return (
          <tr key={uid}>
            <td><input type="checkbox" aria-label={`Compare ${name}`} checked={isChosen} disabled={!isChosen && chosen.length === MAX_COMPARED}
              onChange={({ currentTarget }) => onChoose(id, currentTarget.checked)} /></td>
            <td><a href={runAddress({ namespace, uid })}>{name}</a></td>
            <td>{namespace}</td><td><State state={state} phase={state} /></td><td>{framework}</td><td>{accelerators}</td><td>{moment(createdAt)}</td>
            <td>{endedAt === undefined ? '' : duration(endedAt - createdAt)}</td><td>{deletedAt === undefined ? '' : moment(deletedAt)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

/** Times without a recorder. */
export function Gaps({ gaps }: { readonly gaps: readonly HistoryGap[] }) {
  return gaps.length === 0 ? null : (
    <details>
      <summary>Nothing was recorded in {gaps.length === 1 ? '1 period' : `${gaps.length} periods`}</summary>
      <ul>{gaps.map(({ since, until }) => <li key={since}>{moment(since)} to {moment(until)}</li>)}</ul>
    </details>
  );
}
