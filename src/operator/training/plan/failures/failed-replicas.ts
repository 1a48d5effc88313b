/** Which replicas failed or are lost, and how each is to be answered: a disruption, or a failure judged by exit code and restart policy. */
import { failureCause } from './failure-cause';
import { saysDeviceFault, saysPeerLost } from '../observe/log-signs';
import { isNodeLost, nodeTrouble, withNodeTrouble } from './node-loss';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import type { PodFailure } from '../types';
import type { ResolvedRole } from '../../../../model/training-job/replicas/resolve';
import { didExitBySignal, type ResolvedRunPolicy } from '../../../../model/training-job/run-policy';
import type { FailureCause, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** How a failed replica is answered. */
export type Verdict = 'disruption' | 'recover' | 'retry' | 'fail';

/** A replica that failed or is gone, with the verdict on it. */
export interface FailedReplica {
  readonly entry: ReplicaView;
  readonly verdict: Verdict;
  readonly cause: FailureCause;
  /** Whether its program cannot be started, and never will be. @default false */
  readonly permanent?: boolean;
  /** Whether it follows from a loss that is known, and so does not count. @default false */
  readonly follows?: boolean;
}

/** Kubernetes' reason of a container that exited with 0. */
export const COMPLETED = 'Completed';

const VANISHED: PodFailure = { disruption: true, reason: 'PodLost', message: 'The pod was deleted or its node no longer exists.' };

const LEAVING: PodFailure = { disruption: true, reason: 'PodDeleted', message: 'The pod is being deleted, but not by the operator.' };

/** Every failed or lost replica of the view. */
export function failedReplicas(view: JobView, status: TrainingJobStatus, now: number): FailedReplica[] {
  const failed: FailedReplica[] = [];
  const add = (entry: ReplicaView, verdict: Verdict, failure: PodFailure) =>
    failed.push({ entry, verdict, cause: failureCause(view.attempt, entry, failure, now), permanent: failure.permanent });
  for (const entry of view.replicas) {
    const { pod } = entry;
    if (entry.succeeded || entry.replaced) {
      continue;
    }
    if (pod === undefined) {
      // Before all replicas ran together nobody depends on the missing one: it is simply created. An outgoing pod is not lost.
      if (status.attemptStarted && entry.outgoing === undefined) {
        add(entry, 'disruption', VANISHED);
      }
    } else if (pod.state === 'Succeeded' && pod.deleting) {
      add(entry, 'disruption', { ...LEAVING, exitCode: 0 });
    } else if (pod.state === 'Succeeded') {
      add(entry, 'recover', { disruption: false, reason: COMPLETED, exitCode: 0 });
    } else if (isGivenUp(entry)) {
      continue;
    } else if (pod.state === 'Failed') {
      const failure = withNodeTrouble(pod.failure ?? { disruption: false, reason: 'Error' }, pod, view.job.runPolicy);
      // We delete only what was decided on before; a deletion that comes first is somebody else's, and the failure its consequence.
      add(entry, pod.deleting ? 'disruption' : judgeFailure(failure, entry.role, view.job.runPolicy), failure);
    } else if (isNodeLost(pod, view.job.runPolicy, now)) {
      add(entry, 'disruption', nodeTrouble(pod, view.job.runPolicy) ?? VANISHED);
    }
  }
  return failed;
}

/** Whether it is a helper that failed by itself, and that the job goes on without. */
export function isGivenUp({ pod, role, replaced }: ReplicaView): boolean {
  return role.helper?.onFailure === 'Ignore' && !replaced && pod?.state === 'Failed' && !pod.deleting && pod.failure?.disruption !== true;
}

/**
 * Replicas whose pods are being deleted by somebody else, or are on nodes in trouble. By itself that is no reason to act: the pod may come to a good
 * end in its grace period, and the node may come back. But it is why its peers fail in the meantime.
 */
export function endangeredReplicas(view: JobView, now: number): FailedReplica[] {
  return view.replicas.flatMap((entry): FailedReplica[] => {
    const { pod, succeeded } = entry;
    if (pod === undefined || succeeded || (pod.state !== 'Waiting' && pod.state !== 'Running') || isNodeLost(pod, view.job.runPolicy, now)) {
      return [];
    }
    const failure = pod.deleting ? LEAVING : nodeTrouble(pod, view.job.runPolicy);
    return failure ? [{ entry, verdict: 'disruption', cause: failureCause(view.attempt, entry, failure, now) }] : [];
  });
}

/** Whether it failed: a replica that is always restarted is here too when it has only ended. */
export function isFailure(replica: FailedReplica): boolean {
  return replica.verdict !== 'recover' || replica.cause.reason !== COMPLETED;
}

/**
 * The earliest failure. Of those of the same second one that does not say that it lost a peer, and of these the lowest rank: what came after is most
 * often its echo.
 */
export function rootCause(failed: readonly FailedReplica[]): FailedReplica {
  const failures = failed.filter(isFailure);
  const isEcho = ({ cause }: FailedReplica) => Number(saysPeerLost(cause.logTail));
  return [...(failures.length > 0 ? failures : failed)]
    .sort((a, b) => a.cause.time.localeCompare(b.cause.time) || isEcho(a) - isEcho(b) || a.entry.replica.ordinal - b.entry.replica.ordinal)[0];
}

/**
 * Whether the failure is counted and speaks of the node and not of the program: its devices, or its memory as a whole. An exit code alone never does.
 * A container that is killed at its own limit of memory asked for too little; one without a limit was killed because the node had no more.
 */
export function speaksOfNode({ entry: { role }, verdict, cause }: FailedReplica): boolean {
  return verdict === 'retry'
    && (saysDeviceFault(cause.logTail) || saysDeviceFault(cause.message) || (cause.reason === 'OOMKilled' && role.resources.memory === undefined));
}

/** The verdict on a failure of a replica of a role. */
export function judgeFailure(failure: PodFailure, role: ResolvedRole, policy: ResolvedRunPolicy): Verdict {
  if (failure.disruption) {
    return 'disruption';
  }
  const code = failure.exitCode;
  if (code !== undefined) {
    for (const verdict of ['fail', 'recover', 'retry'] as const) {
      if (policy.exitCodes?.[verdict]?.includes(code)) {
        return verdict;
      }
    }
  }
  if (failure.permanent) {
    return 'fail';
  }
  switch (role.restartPolicy) {
    case 'Never': return 'fail';
    case 'ExitCode': return code !== undefined && didExitBySignal(code) ? 'retry' : 'fail';
    default: return 'retry';
  }
}
