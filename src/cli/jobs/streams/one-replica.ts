/** Chooses the one replica that a command connects to. */
import { CliError } from '../../cli-error';
import { isRunning } from '../objects';
import { replicaRows } from '../status/replica-rows';
import { chooseReplicas, mainContainer, replicasOf, shortName, type Replica, type ReplicaFlags } from '../replicas';
import { podsOf, standingOfJob, titleOf, type Target } from '../target';
import type { WorkloadKind } from '../../../model/kinds/workload-kind';

/** Leading roles of kinds whose pods have no ranks. */
const LEADERS = ['headgroup', 'head', 'master', 'chief', 'launcher', 'leader', 'driver'];

/** A running replica. @param does what the command does there, such as `run a command` @throws CliError when there is none */
export async function oneReplica(target: Target, flags: ReplicaFlags, does: string): Promise<Replica> {
  const { job, kind, reader } = target;
  const replicas = replicasOf(kind.workload, await podsOf(target, job));
  if (replicas.length === 0) {
    const { phase, state } = standingOfJob(job);
    const why = reader.unread.length > 0 ? reader.unread.join(' ') : `The job is ${phase ?? state}.`;
    throw new CliError(`${titleOf(target)} has no pods, so it is not possible to ${does} in it. ${why}`);
  }
  return runningOf(titleOf(target), kind.workload, candidatesOf(replicas, flags), does);
}

/** Pods that the flags select; without flags those of the first rank or of the leading role. A replica that is being replaced has two pods. */
export function candidatesOf(replicas: readonly Replica[], flags: ReplicaFlags): readonly Replica[] {
  const chosen = chooseReplicas(replicas, flags);
  if (flags.rank !== undefined) {
    return chosen;
  }
  const leaders = chosen.filter(({ role }) => LEADERS.includes(role ?? ''));
  const first = chosen[0].rank !== undefined ? chosen[0] : leaders[0] ?? chosen.find(({ role }) => role !== undefined) ?? chosen[0];
  return chosen.filter(({ role, rank, index }) => role === first.role && rank === first.rank && index === first.index);
}

function runningOf(title: string, kind: WorkloadKind, candidates: readonly Replica[], does: string): Replica {
  const running = candidates.filter(({ pod }) => isRunning(pod));
  if (running.length === 0) {
    const { name, pod } = candidates.at(-1)!;
    const [{ state }] = replicaRows(kind, [pod]);
    throw new CliError(`${title}: pod ${name} is not running (${state}), so it is not possible to ${does} in it. Choose another replica with --rank or --role, or check the job with trainyard status.`);
  }
  // The newest pod of one replica, or the first of pods without rank and index.
  return running[0].rank === undefined && running[0].index === undefined ? running[0] : running.at(-1)!;
}

/** The container to use. @throws CliError when the pod has none of that name */
export function containerOf({ pod, name }: Replica, wanted: string | undefined): string {
  const names = [...pod.spec?.containers ?? [], ...pod.spec?.initContainers ?? []].map((container) => container.name);
  if (wanted !== undefined && !names.includes(wanted)) {
    throw new CliError(`--container ${wanted}: pod ${name} has the containers ${names.join(', ')}.`);
  }
  return wanted ?? mainContainer(pod);
}

/** `digits, replica worker-0`. */
export function replicaTitle(target: Target, replica: Replica): string {
  return `${titleOf(target)}, replica ${shortName(target.ref.name, replica)}`;
}
