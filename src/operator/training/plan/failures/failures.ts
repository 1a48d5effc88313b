/**
 * What follows when replicas fail or vanish. A disruption (the cluster took the pod away) is never the program's fault: it is counted
 * apart and answered at once. A failure is judged by exit code and restart policy, counted, and answered after a growing pause.
 */
import { conditionOf } from '../conditions';
import { elapsedSince } from '../elapsed';
import { COMPLETED, endangeredReplicas, failedReplicas, isFailure, rootCause, speaksOfNode, type FailedReplica } from './failed-replicas';
import { describeCause } from './failure-cause';
import {
  followsLoss, isOpen, mayEndBePutOff, mayFollowLoss, openEnd, openFailure, pendingRestarts, provisional, verdictSince, type Now, type OwnFailure,
} from './provisional';
import { containerRestarts, containerRestartsField, type JobView } from '../observe/replicas-view';
import { saysPeerLost } from '../observe/log-signs';
import { isUnended, silentPods } from '../observe/silent-pods';
import type { ObservedPod } from '../types';
import { withNodeFailures, type NodeFailure } from './suspect-nodes';
import { timeText } from '../timestamps';
import type { ProvisionalFailure, RestartCause } from '../../../../model/training-job/status/recovery-status';
import { restartScopeOf } from '../../../../model/training-job/restart-in-place';
import type { ResolvedRunPolicy } from '../../../../model/training-job/run-policy';
import type { FailureCause, ReplacedPod, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** Most replacements under way at a time, so that the status stays bounded; more failures wait for the next plan. */
export const MAX_REPLACING = 100;

/** What was decided about the failures that are there. */
export type FailureDecision =
  | { readonly outcome: 'none' }
  /** The end is put off; what changes in the status is to be noted. */
  | { readonly outcome: 'wait'; readonly change: Partial<TrainingJobStatus> }
  | { readonly outcome: 'fail'; readonly reason: string; readonly message: string; readonly cause: FailureCause }
  | {
    readonly outcome: 'restart';
    /** Fields of the status that change with it. */
    readonly change: Partial<TrainingJobStatus>;
    readonly message: string;
    /** Who is to blame. @default - the failures and disruptions that `change` counts */
    readonly cause?: RestartCause;
  };

/** Decides about every failed or lost replica of the view. */
export function decideFailures(view: JobView, status: TrainingJobStatus, observation: Now): FailureDecision {
  const { now } = observation;
  const all = failedReplicas(view, status, now);
  // Where those that train start again together, helpers do so with them; a helper alone is replaced by itself.
  const training = all.filter(({ entry }) => entry.role.helper === undefined);
  const failed = training.length > 0 && restartScopeOf(view.job) === 'gang' ? training : all;
  if (failed.length === 0) {
    return withoutEnd(view, status, now);
  }
  // A role that is always restarted only ends; nobody has failed, and a gang need not start again.
  const hasFailure = failed.some(isFailure);
  return training.length > 0 && isGroupEnded(view, failed) && hasFailure
    ? decideGang(view, failed, all.filter(({ verdict }) => verdict === 'disruption'), status, observation)
    : decideSingly(view, failed, status, observation);
}

/** Whether all have to start again, because the others cannot go on without those that failed. */
function isGroupEnded({ job }: JobView, failed: readonly FailedReplica[]): boolean {
  const scope = restartScopeOf(job);
  return scope === 'gang' || (scope === 'elastic' && failed.some(({ entry: { replica }, verdict, cause }) => replica.ordinal === 0
    || (verdict !== 'disruption' && job.framework.elastic!.endsGroup(replica, cause.exitCode))));
}

/**
 * The replicas depend on each other: one is lost, all start again as the next attempt.
 * @param lost those that were taken away, helpers among them: whoever loses a helper may fail as well
 */
function decideGang(
  view: JobView, failed: readonly FailedReplica[], lost: readonly FailedReplica[], status: TrainingJobStatus,
  observation: Now,
): FailureDecision {
  const { now } = observation;
  // Ranks that lose a peer fail themselves moments later; when a disruption is in sight, it is the cause of the others.
  const disrupted = [...lost, ...endangeredReplicas(view, now)];
  const root = rootCause(disrupted.length > 0 ? disrupted : failed);
  if (disrupted.length === 0) {
    const fatal = failed.filter((replica) => replica.verdict === 'fail' && !isEchoOf(replica, failed));
    if (fatal.length > 0) {
      return putOffEnd(view, status, rootCause(fatal), observation) ?? failForGood(rootCause(fatal));
    }
  }
  const retried = disrupted.length === 0 ? failed.filter((replica) => replica.verdict === 'retry') : [];
  const counted = retried.length > 0;
  const counts = countRestart(view, status, counted ? 1 : 0, disrupted.length, root.cause, observation);
  if (counts.outcome === 'fail') {
    return (counted ? putOffEnd(view, status, root, observation) : undefined) ?? counts;
  }
  if (counts.outcome !== 'restart') {
    return counts;
  }
  const change = {
    ...counts.change, attempt: view.attempt + 1, attemptStarted: false, replacing: undefined, workerStatuses: undefined, containerRestarts: undefined,
  };
  if (counted && silentPods(podsOf(view), now, observation).length > 0) {
    return {
      outcome: 'restart',
      message: `${describeCause(root.cause)}; all ${view.job.replicas.length} replicas start again as attempt ${view.attempt + 1}; `
        + 'not counted until the nodes of the other replicas have reported',
      change: { ...change, restarts: status.restarts ?? 0, provisionalFailure: provisional(view, status, rootCause(retried), 'Restart', 1, now, speaksOfNode(rootCause(retried))) },
    };
  }
  return {
    outcome: 'restart',
    message: `${describeCause(root.cause)}; all ${view.job.replicas.length} replicas start again as attempt ${view.attempt + 1}`,
    change: {
      ...change,
      // What waited for a verdict counts where there is no loss.
      ...(disrupted.length === 0 && {
        restarts: Math.min((status.restarts ?? 0) + (counted ? 1 : 0) + pendingRestarts(view, status), view.job.runPolicy.backoffLimit),
      }),
      provisionalFailure: undefined,
      // Only where it began: the failures of its peers say nothing about their nodes.
      ...(counted && withNodeFailures(status, nodeFailures([rootCause(retried)]), view.job.runPolicy.nodeAvoidance, now)),
    },
  };
}

/** Whether a replica failed because it lost a peer, which is among those that failed by then. */
function isEchoOf({ cause: echo }: FailedReplica, failed: readonly FailedReplica[]): boolean {
  return saysPeerLost(echo.logTail)
    && failed.some((replica) => isFailure(replica) && replica.cause.time <= echo.time && !saysPeerLost(replica.cause.logTail));
}

/** How long the end of a job waits for the report of the peer that its failure speaks of, milliseconds: kubelets report ends in any order. */
const CAUSE_WAIT_MS = 5_000;

/**
 * Waits with the end of the job while it may be the doing of a lost node, or of a peer whose end is not reported yet; undefined when all have been
 * heard from, or it has lasted too long.
 */
function putOffEnd(
  view: JobView, status: TrainingJobStatus, root: FailedReplica, observation: Now,
): FailureDecision | undefined {
  const noted = openEnd(view, status);
  const since = noted === undefined ? observation.now : verdictSince(noted);
  const awaitsCause = saysPeerLost(root.cause.logTail) && elapsedSince(observation, since) < CAUSE_WAIT_MS && podsOf(view).some(isUnended);
  if ((!awaitsCause && silentPods(podsOf(view), since, observation, true).length === 0) || (noted !== undefined && !isOpen(noted, observation))) {
    return undefined;
  }
  return noted === undefined ? noteEnd(view, status, root, observation) : { outcome: 'none' };
}

/** Nobody has failed: an end that was put off because of a replica that is there no more is not waited with any longer. */
function withoutEnd(view: JobView, status: TrainingJobStatus, now: number): FailureDecision {
  const isNewsOfContainers = containerRestarts(view) > (status.containerRestarts ?? 0);
  return openEnd(view, status) === undefined || isNewsOfContainers || restartScopeOf(view.job) === 'gang'
    ? { outcome: 'none' }
    : { outcome: 'wait', change: { provisionalFailure: stillOpen(view, status, { putOff: [], isEnd: false, isSettled: false, now }) } };
}

function noteEnd(view: JobView, status: TrainingJobStatus, root: FailedReplica, { now }: Now): FailureDecision {
  return { outcome: 'wait', change: { lastFailure: root.cause, provisionalFailure: provisional(view, status, root, 'End', 0, now) } };
}

/** Pods of the attempt. */
function podsOf({ replicas }: JobView): ObservedPod[] {
  return replicas.flatMap(({ pod, succeeded }) => (pod === undefined || succeeded ? [] : pod));
}

/** The replicas are independent: each is replaced by itself. */
function decideSingly(view: JobView, failed: readonly FailedReplica[], status: TrainingJobStatus, observation: Now): FailureDecision {
  const { now } = observation;
  const losses = failed.filter(({ verdict }) => verdict === 'disruption').length;
  const judged = failed.map((replica): FailedReplica => (
    isBlamed(replica) && followsLoss(ownFailure(replica), view, status, losses, observation) ? { ...replica, verdict: 'recover', follows: true } : replica));
  const batch = judged.slice(0, Math.max(0, MAX_REPLACING - view.replacing.length));
  const retried = batch.filter(({ verdict }) => verdict === 'retry');
  const uncertain = retried.filter((replica) => mayFollowLoss(ownFailure(replica), view, now, observation));
  const pending = pendingRestarts(view, status);
  const isTooMany = (status.restarts ?? 0) + pending + retried.length > view.job.runPolicy.backoffLimit;
  // What would end the job, if it counts.
  const ending = [...judged.filter(({ verdict }) => verdict === 'fail'), ...(isTooMany ? uncertain : [])];
  const noted = openEnd(view, status);
  const waiting = ending.filter((replica) => mayEndBePutOff(ownFailure(replica), view, status, observation));
  const due = ending.filter((replica) => !waiting.includes(replica));
  const fatal = due.filter(({ verdict }) => verdict === 'fail');
  if (fatal.length > 0) {
    return failForGood(rootCause(fatal));
  }
  const putOff = uncertain.filter((replica) => !ending.includes(replica));
  const counted = retried.filter((replica) => !uncertain.includes(replica) || due.includes(replica));
  // Those that have waited with it are certain with it.
  const settled = noted !== undefined && due.length > 0 ? pending : 0;
  const rest = batch.filter((replica) => !waiting.includes(replica));
  const root = rest.length > 0 ? rootCause(rest) : undefined;
  const counts = root && countRestart(view, status, counted.length + settled, rest.filter(({ verdict }) => verdict === 'disruption').length,
    root.cause, observation, putOff.length + rest.filter(({ follows }) => follows).length);
  if (counts !== undefined && counts.outcome !== 'restart') {
    return counts;
  }
  if (noted === undefined && waiting.length > 0) {
    return noteEnd(view, status, rootCause(waiting), observation);
  }
  const open = stillOpen(view, status, { putOff, isEnd: waiting.length > 0, isSettled: settled > 0 || batch.some(({ follows }) => follows), now });
  if (root === undefined || counts === undefined) {
    return noted !== undefined && waiting.length === 0 ? { outcome: 'wait', change: { provisionalFailure: open } } : { outcome: 'none' };
  }
  const replacing: ReplacedPod[] = [
    ...view.replacing,
    ...rest.map(({ entry }) => ({ pod: entry.replica.podName, uid: entry.pod?.uid ?? '' })),
  ];
  const isConsequence = rest.every(({ follows }) => follows);
  return {
    outcome: 'restart',
    message: `${describeCause(root.cause)}; ${rest.length === 1 ? 'the replica is' : `${rest.length} replicas are`} replaced${
      isConsequence ? '; it was caused by the loss of another replica and is not counted'
        : putOff.length > 0 ? '; not counted until the nodes of the other replicas have reported' : ''}`,
    ...(isConsequence && { cause: 'Disruption' }),
    change: {
      ...counts.change,
      ...(counted.length > 0 && withNodeFailures(status, nodeFailures(counted), view.job.runPolicy.nodeAvoidance, now)),
      // The time of the loss stays, so that what follows from it has an end.
      ...(isConsequence && status.lastRestart?.cause === 'Disruption' && { lastRestart: status.lastRestart }),
      provisionalFailure: open,
      replacing,
      containerRestarts: containerRestartsField(containerRestarts(view, new Set(replacing.map(({ uid }) => uid)))),
    },
  };
}

/** What came of judging replicas that are replaced one by one. */
interface Judged {
  /** Those that are not counted yet. */
  readonly putOff: readonly FailedReplica[];
  /** Whether the end of the job waits. */
  readonly isEnd: boolean;
  /** Whether there is nothing more to wait for. */
  readonly isSettled: boolean;
  readonly now: number;
}

/** What waits for a verdict when replicas have been judged. */
function stillOpen(view: JobView, status: TrainingJobStatus, { putOff, isEnd, isSettled, now }: Judged): ProvisionalFailure | undefined {
  const { provisionalFailure } = status;
  const noted = openFailure(view, status);
  if (putOff.length > 0) {
    return provisional(view, status, rootCause(putOff), isEnd ? 'End' : 'Restart', putOff.length, now);
  }
  if (noted?.puts !== 'End' || isEnd) {
    return provisionalFailure;
  }
  // What was to end the job has gone another way; failures that were to be counted still are.
  const count = isSettled ? 0 : pendingRestarts(view, status);
  return count === 0 ? undefined : { ...noted, puts: 'Restart', count };
}

/** Whether it counts against the job. */
function isBlamed({ verdict }: FailedReplica): boolean {
  return verdict === 'retry' || verdict === 'fail';
}

function ownFailure({ cause, entry: { pod } }: FailedReplica): OwnFailure {
  return { cause, pod };
}

/**
 * Counts a restart and its pause, or fails the job when a budget is used up.
 * @param counted failures that count against `backoffLimit`
 * @param disrupted disruptions
 * @param uncounted failures that do not count, or not yet; they are answered after a pause, too, unless something was lost that is waited for
 */
export function countRestart(
  view: JobView, status: TrainingJobStatus, counted: number, disrupted: number, cause: FailureCause, observation: Now, uncounted = 0,
): FailureDecision {
  const { now } = observation;
  const policy = view.job.runPolicy;
  const restarts = (status.restarts ?? 0) + counted;
  const disruptions = (status.disruptions ?? 0) + disrupted;
  if (counted > 0 && restarts > policy.backoffLimit) {
    return fail(cause, 'BackoffLimitExceeded', `after ${policy.backoffLimit} counted restarts (spec.runPolicy.backoffLimit): `);
  }
  if (disrupted > 0 && policy.disruptionLimit !== undefined && disruptions > policy.disruptionLimit) {
    return fail(cause, 'DisruptionLimitExceeded', `after ${policy.disruptionLimit} disruptions (spec.runPolicy.disruptionLimit): `);
  }
  const pause = counted > 0 || (uncounted > 0 && disrupted === 0) ? nextPause(policy, status, observation) : undefined;
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

function nextPause(policy: ResolvedRunPolicy, status: TrainingJobStatus, observation: Now): { seconds: number; step: number } {
  const running = conditionOf(status, 'Running');
  // While nobody looked the job may have failed and run again.
  const healthyMs = running?.status === 'True' ? elapsedSince(observation, Date.parse(running.lastTransitionTime)) : 0;
  const step = healthyMs >= policy.backoff.resetAfterSeconds * 1000 ? 0 : status.retryStep ?? 0;
  // 2^step overflows nothing: the limit is reached long before 30 doublings.
  const seconds = Math.min(policy.backoff.maxSeconds, policy.backoff.initialSeconds * 2 ** Math.min(step, 30));
  return { seconds, step: step + 1 };
}

function stillAhead(time: string | undefined, now: number): string | undefined {
  return time !== undefined && Date.parse(time) > now ? time : undefined;
}

function failForGood({ cause, permanent }: FailedReplica): FailureDecision {
  return permanent
    ? { outcome: 'fail', reason: 'ContainerStartFailed', message: `${describeCause(cause)}: ${cause.logTail ?? ''}`, cause }
    : fail(cause, 'ReplicaFailed');
}

function fail(cause: FailureCause, reason: string, prefix = ''): FailureDecision {
  return { outcome: 'fail', reason, message: `${prefix}${describeCause(cause)}`, cause };
}

/** Those that speak of their nodes. */
function nodeFailures(failed: readonly FailedReplica[]): NodeFailure[] {
  return failed.filter(speaksOfNode).map(({ cause }) => ({ node: cause.node, reason: cause.reason }));
}
