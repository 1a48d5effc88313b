/** Replicas as a grid, which is readable for a thousand, and as a table. */
import { useState } from 'preact/hooks';
import { State, Table } from './parts';
import type { ReplicaRow } from '../cli/jobs/status/replica-rows';

/** Maximum number of rows. If there are more replicas, the table shows only those with problems. */
const MAX_ROWS = 50;

const GOOD = ['Running', 'Succeeded'];

export function Replicas({ replicas, chosen, onChoose }: {
  readonly replicas: readonly ReplicaRow[]; readonly chosen?: number; readonly onChoose: (rank: number | undefined) => void;
}) {
  const [opened, setOpened] = useState<string | undefined>();
  if (replicas.length === 0) {
    return null;
  }
  const counts = new Map<string, number>();
  replicas.forEach(({ state }) => counts.set(state, (counts.get(state) ?? 0) + 1));
  const isOdd = ({ state, pod }: ReplicaRow) => !GOOD.includes(state) || pod === opened;
  const shown = replicas.length <= MAX_ROWS ? replicas : replicas.filter(isOdd).slice(0, MAX_ROWS);
  return (
    <section>
      <h2>Replicas</h2>
      <p>{[...counts].map(([state, count]) => `${count} ${state}`).join(', ')}</p>
      {replicas.length <= 1 ? null : (
        <div class="grid">{replicas.map((replica) => (
          <button key={replica.pod} type="button" class={`cell ${classOf(replica)}`} aria-pressed={opened === replica.pod} title={titleOf(replica)} aria-label={titleOf(replica)}
            onClick={() => {
              setOpened(replica.pod);
              onChoose(replica.rank);
            }} />
        ))}</div>
      )}
      <Table label="Replicas" head={['Rank', 'Role', 'Pod', 'State', 'Restarts', 'Node']}>
        {shown.map((replica) => (
          <tr key={replica.pod} aria-current={opened === replica.pod || (chosen !== undefined && chosen === replica.rank)}>
            <td>{replica.rank}</td><td>{replica.role}</td><td>{replica.pod}</td><td><State state={classOf(replica)} phase={replica.state} /></td>
            <td>{replica.restarts}</td><td>{replica.node}</td>
          </tr>
        ))}
      </Table>
      {shown.length < replicas.length ? <p class="note">{replicas.length - shown.length} more run or have succeeded. Choose one in the grid.</p> : null}
    </section>
  );
}

function classOf({ state }: ReplicaRow): string {
  return GOOD.includes(state) ? state.toLowerCase() : ['Pending', 'Unscheduled', 'ContainerCreating', 'PodInitializing', 'Terminating'].includes(state) ? 'waiting' : 'failed';
}

function titleOf({ rank, role, pod, state, node, restarts }: ReplicaRow): string {
  return [rank === undefined ? pod : `rank ${rank}`, role, state, node, restarts > 0 ? `${restarts} restarts` : undefined].filter(Boolean).join(', ');
}
