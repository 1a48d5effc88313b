/**
 * What follows when replicas fail or vanish. A disruption (the cluster took the pod away) is never the program's fault: it is counted
 * apart and answered at once. A failure is judged by exit code and restart policy, counted, and answered after a growing pause.
 */
import { conditionOf } from './conditions';
import type { JobView, ReplicaView } from './replicas-view';
import { timeText } from './timestamps';
import type { PodFailure } from './types';
import { didExitBySignal, signalName } from '../../../model/training-job/exit-codes';
import type { ResolvedRole } from '../../../model/training-job/resolve';
import type { ResolvedRunPolicy } from '../../../model/training-job/run-policy';
import type { FailureCause, ReplacedPod, TrainingJobStatus } from '../../../model/training-job/status';

/** Most replacements under way at a time, so that the status stays bounded; more failures wait for the next plan. */
export const MAX_REPLACING = 100;

/** How a failed replica is answered. */
type Verdict = 'disruption' | 'recover' | 'retry' | 'fail';

/** A replica that failed or is gone, with the verdict on it. */
interface FailedReplica {
  readonly entry: ReplicaView;
  readonly verdict: Verdict;
  readonly cause: FailureCause;
}

/** What was decided about the failures that are there. */
export type FailureDecision =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'fail'; readonly reason: string; readonly message: string; readonly cause: FailureCause }
  | {
    readonly outcome: 'restart';
    /** Fields of the status that change with it. */
    readonly change: Partial<TrainingJobStatus>;
    readonly message: string;
  };

/** Decides about every failed or lost replica of the view. */
export function decideFailures(view: JobView, status: TrainingJobStatus, now: number): FailureDecision {
  const failed = failedReplicas(view, status, now);
  if (failed.length === 0) {
    return { outcome: 'none' };
  }
  // A role that is always restarted only ends; nobody has failed, and a gang need not start again.
  const hasFailure = failed.some(isFailure);
  return view.job.framework.restartScope === 'gang' && hasFailure
    ? decideGang(view, failed, status, now)
    : decideSingly(view, failed, status, now);
}

/** Whether it failed: a replica that is always restarted is here too when it has only ended. */
function isFailure(replica: FailedReplica): boolean {
  return replica.verdict !== 'recover' || replica.cause.reason !== COMPLETED;
}

function failedReplicas(view: JobView, status: TrainingJobStatus, now: number): FailedReplica[] {
  const failed: FailedReplica[] = [];
  for (const entry of view.replicas) {
    if (entry.succeeded || entry.replaced) {
      continue;
    }
    if (entry.pod === undefined) {
      // Before all replicas ran together nobody depends on the missing one: it is simply created. An outgoing pod is not lost.
      if (status.attemptStarted && entry.outgoing === undefined) {
        failed.push({ entry, verdict: 'disruption', cause: causeOf(view, entry, VANISHED, now) });
      }
      continue;
    }
    if (entry.pod.state === 'Succeeded' && entry.pod.deleting) {
      failed.push({ entry, verdict: 'disruption', cause: causeOf(view, entry, { ...LEAVING, exitCode: 0 }, now) });
    } else if (entry.pod.state === 'Succeeded') {
      failed.push({ entry, verdict: 'recover', cause: causeOf(view, entry, { disruption: false, reason: COMPLETED, exitCode: 0 }, now) });
    } else if (entry.pod.state === 'Failed') {
      const failure = entry.pod.failure ?? { disruption: false, reason: 'Error' };
      // We delete only what was decided on before; a deletion that comes first is somebody else's, and the failure its consequence.
      const verdict = entry.pod.deleting ? 'disruption' : judge(failure, entry.role, view.job.runPolicy);
      failed.push({ entry, verdict, cause: causeOf(view, entry, failure, now) });
    }
  }
  return failed;
}

/**
 * Replicas whose pods are being deleted by somebody else. By itself that is no reason to act: the pod may come to a good end in its grace
 * period. But it is why its peers fail in the meantime.
 */
function leavingReplicas(view: JobView, now: number): FailedReplica[] {
  return view.replicas.filter(({ pod, succeeded }) => pod?.deleting && !succeeded && (pod.state === 'Waiting' || pod.state === 'Running'))
    .map((entry) => ({ entry, verdict: 'disruption', cause: causeOf(view, entry, LEAVING, now) }));
}

/** Kubernetes' reason of a container that exited with 0. */
const COMPLETED = 'Completed';

const VANISHED: PodFailure = { disruption: true, reason: 'PodLost', message: 'The pod was deleted or its node is gone.' };

const LEAVING: PodFailure = { disruption: true, reason: 'PodDeleted', message: 'The pod is being deleted, and not by the operator.' };

function judge(failure: PodFailure, role: ResolvedRole, policy: ResolvedRunPolicy): Verdict {
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
  switch (role.restartPolicy) {
    case 'Never': return 'fail';
    case 'ExitCode': return code !== undefined && didExitBySignal(code) ? 'retry' : 'fail';
    default: return 'retry';
  }
}

/** The replicas depend on each other: one is lost, all start again as the next attempt. */
function decideGang(view: JobView, failed: readonly FailedReplica[], status: TrainingJobStatus, now: number): FailureDecision {
  // Ranks that lose a peer fail themselves moments later; when a disruption is in sight, it is the cause of the others.
  const disrupted = [...failed.filter((replica) => replica.verdict === 'disruption'), ...leavingReplicas(view, now)];
  const root = rootCause(disrupted.length > 0 ? disrupted : failed);
  if (disrupted.length === 0) {
    const fatal = failed.filter((replica) => replica.verdict === 'fail');
    if (fatal.length > 0) {
      return fail(rootCause(fatal).cause);
    }
  }
  const counted = disrupted.length === 0 && failed.some((replica) => replica.verdict === 'retry');
  const counts = countRestart(view, status, counted ? 1 : 0, disrupted.length, root.cause, now);
  if (counts.outcome !== 'restart') {
    return counts;
  }
  return {
    outcome: 'restart',
    message: `${describe(root.cause)}; all ${view.job.replicas.length} replicas start again as attempt ${view.attempt + 1}`,
    change: { ...counts.change, attempt: view.attempt + 1, attemptStarted: false, replacing: undefined, workerStatuses: undefined },
  };
}

/** The replicas are independent: each is replaced by itself. */
function decideSingly(view: JobView, failed: readonly FailedReplica[], status: TrainingJobStatus, now: number): FailureDecision {
  const fatal = failed.filter((replica) => replica.verdict === 'fail');
  if (fatal.length > 0) {
    return fail(rootCause(fatal).cause);
  }
  const room = MAX_REPLACING - view.replacing.length;
  const batch = failed.slice(0, Math.max(0, room));
  if (batch.length === 0) {
    return { outcome: 'none' };
  }
  const counted = batch.filter((replica) => replica.verdict === 'retry').length;
  const disrupted = batch.filter((replica) => replica.verdict === 'disruption').length;
  const root = rootCause(batch);
  const counts = countRestart(view, status, counted, disrupted, root.cause, now);
  if (counts.outcome !== 'restart') {
    return counts;
  }
  const replacing: ReplacedPod[] = [
    ...view.replacing,
    ...batch.map(({ entry }) => ({ pod: entry.replica.podName, uid: entry.pod?.uid ?? '' })),
  ];
  return {
    outcome: 'restart',
    message: `${describe(root.cause)}; ${batch.length === 1 ? 'the replica is' : `${batch.length} replicas are`} replaced`,
    change: { ...counts.change, replacing },
  };
}

/** Counts a restart and its pause, or fails the job when a budget is used up. */
function countRestart(
  view: JobView, status: TrainingJobStatus, counted: number, disrupted: number, cause: FailureCause, now: number,
): FailureDecision {
  const policy = view.job.runPolicy;
  const restarts = (status.restarts ?? 0) + counted;
  const disruptions = (status.disruptions ?? 0) + disrupted;
  if (counted > 0 && restarts > policy.backoffLimit) {
    return fail(cause, 'BackoffLimitExceeded', `after ${policy.backoffLimit} counted restarts (spec.runPolicy.backoffLimit): `);
  }
  if (disrupted > 0 && policy.disruptionLimit !== undefined && disruptions > policy.disruptionLimit) {
    return fail(cause, 'DisruptionLimitExceeded', `after ${policy.disruptionLimit} disruptions (spec.runPolicy.disruptionLimit): `);
  }
  const pause = counted > 0 ? nextPause(policy, status, now) : undefined;
  const isNews = cause.reason !== COMPLETED;
  return {
    outcome: 'restart',
    message: '',
    change: {
      restarts,
      disruptions,
      ...(isNews && { lastFailure: cause }),
      ...(pause
        ? { nextRetryTime: timeText(now + pause.seconds * 1000), retryStep: pause.step }
        // A disruption in the middle of a pause does not cut the pause short.
        : { nextRetryTime: stillAhead(status.nextRetryTime, now) }),
    },
  };
}

function nextPause(policy: ResolvedRunPolicy, status: TrainingJobStatus, now: number): { seconds: number; step: number } {
  const running = conditionOf(status, 'Running');
  const healthyMs = running?.status === 'True' ? now - Date.parse(running.lastTransitionTime) : 0;
  const step = healthyMs >= policy.backoff.resetAfterSeconds * 1000 ? 0 : status.retryStep ?? 0;
  // 2^step overflows nothing: the limit is reached long before 30 doublings.
  const seconds = Math.min(policy.backoff.maxSeconds, policy.backoff.initialSeconds * 2 ** Math.min(step, 30));
  return { seconds, step: step + 1 };
}

function stillAhead(time: string | undefined, now: number): string | undefined {
  return time !== undefined && Date.parse(time) > now ? time : undefined;
}

function fail(cause: FailureCause, reason = 'ReplicaFailed', prefix = ''): FailureDecision {
  return { outcome: 'fail', reason, message: `${prefix}${describe(cause)}`, cause };
}

/** The earliest failure, and among those of the same second the lowest rank: what came after is most often its echo. */
function rootCause(failed: readonly FailedReplica[]): FailedReplica {
  const failures = failed.filter(isFailure);
  return [...(failures.length > 0 ? failures : failed)]
    .sort((a, b) => a.cause.time.localeCompare(b.cause.time) || a.entry.replica.ordinal - b.entry.replica.ordinal)[0];
}

function causeOf(view: JobView, entry: ReplicaView, failure: PodFailure, now: number): FailureCause {
  return {
    role: entry.replica.role,
    index: entry.replica.index,
    rank: entry.replica.rank,
    pod: entry.replica.podName,
    node: entry.pod?.node,
    container: failure.container,
    exitCode: failure.exitCode,
    signal: signalName(failure.exitCode),
    reason: failure.reason,
    message: failure.message,
    logTail: failure.logTail,
    attempt: view.attempt,
    time: failure.time ?? timeText(now),
  };
}

function describe(cause: FailureCause): string {
  const rank = cause.rank === undefined ? '' : `rank ${cause.rank}, `;
  const node = cause.node ? ` on node ${cause.node}` : '';
  if (cause.exitCode === undefined) {
    return `${cause.pod} (${rank}${cause.role})${node}: ${cause.reason}${cause.message ? `: ${cause.message}` : ''}`;
  }
  const signal = cause.signal ? ` (${cause.signal})` : '';
  return `${cause.pod} (${rank}${cause.role})${node} exited with code ${cause.exitCode}${signal}: ${cause.reason}`;
}
