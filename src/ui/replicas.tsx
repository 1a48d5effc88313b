/** Replicas as a grid, of which a thousand can be read, and as a table. */
import { useState } from 'preact/hooks';
import type { ReplicaRow } from '../cli/jobs/status/replica-rows';

/** Replicas that stand in a table; of more, those that are not as most are. */
const MAX_ROWS = 50;

const GOOD = ['Running', 'Succeeded'];

/** @see the top of this file */
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
      <div class="scroll" tabIndex={0} role="region" aria-label="Replicas">
        <table>
          <thead><tr><th scope="col">Rank</th><th scope="col">Role</th><th scope="col">Pod</th><th scope="col">State</th><th scope="col">Restarts</th><th scope="col">Node</th></tr></thead>
          <tbody>{shown.map((replica) => (
            <tr key={replica.pod} aria-current={opened === replica.pod || (chosen !== undefined && chosen === replica.rank)}>
              <td>{replica.rank}</td><td>{replica.role}</td><td>{replica.pod}</td><td><span class={`state ${classOf(replica)}`}>{replica.state}</span></td>
              <td>{replica.restarts}</td><td>{replica.node}</td>
            </tr>
          ))}</tbody>
        </table>
      </div>
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
