/**
 * Failures that are provisional (`status.provisionalFailure`): the job was started again at once, or its end is put off, and what it counts as is
 * decided when the nodes of all pods of that attempt have been heard from, or one of them is lost. The first makes it a failure, the second a
 * disruption that the lost node brought about. All that is remembered stands in the status, and pods that have not ended are still there: the
 * next attempt of a gang begins when they are gone, so that there is never more than one open verdict.
 */
import type { Rule } from './rule';
import { decision, end, note } from '../decisions';
import { describeCause } from '../failures/failure-cause';
import { countRestart } from '../failures/failures';
import { isLate, nodeTrouble } from '../failures/node-loss';
import { isOpen, settledRestarts, verdictSince } from '../failures/provisional';
import { LOOK_MS, nodesOf, silentPods, wasKilled } from '../observe/silent-pods';
import { withNodeFailures } from '../failures/suspect-nodes';
import type { JobView } from '../observe/replicas-view';
import type { Observation, ObservedPod, Plan } from '../types';
import type { ProvisionalFailure } from '../../../../model/training-job/status/recovery-status';
import type { FailureCause, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** Books provisional failures. */
export const verdictRule: Rule = {
  decide(observation, view) {
    const { provisionalFailure: failure } = observation.job.status;
    if (failure === undefined) {
      return undefined;
    }
    if (failure.puts === 'End') {
      // What ends the attempt that runs is for the rule that has put it off. Of another, somebody has suspended the job in the meantime.
      return failure.attempt === view.attempt ? undefined : note(observation, { provisionalFailure: undefined });
    }
    const pods = podsOf(observation, failure);
    const lost = pods.filter((pod) => isTakenAway(pod, view));
    if (lost.length > 0) {
      return failure.attempt === view.attempt ? explained(observation, view, failure, lost[0]) : disrupted(observation, view, failure, lost);
    }
    const isWaitedFor = silentPods(pods, verdictSince(failure), observation).length > 0 && isOpen(failure, observation);
    return isWaitedFor ? undefined : confirmed(observation, view, failure);
  },

  actions(observation, view) {
    return nodesOf(awaited(observation, view)).map((node) => ({ type: 'lookAtNode', node }));
  },

  wakeAfterMs(observation, view) {
    if (awaited(observation, view).length > 0 || isEndPutOff(observation, view)) {
      return LOOK_MS;
    }
    const deadlines = leavingPods(view).map(({ deletionDeadline = 0 }) => deletionDeadline).filter((time) => time > observation.now);
    return deadlines.length > 0 ? Math.min(...deadlines) - observation.now + 1 : undefined;
  },
};

/** Pods whose nodes are looked at: those that a verdict waits for, and those that should have gone by now. */
function awaited(observation: Observation, view: JobView): ObservedPod[] {
  const { now, job: { status: { provisionalFailure: failure } } } = observation;
  const late = leavingPods(view).filter((pod) => isLate(pod, view.job.runPolicy, now));
  return failure === undefined ? late : [...silentPods(podsOf(observation, failure), verdictSince(failure), observation, true), ...late];
}

/** Pods that were asked to go, whose nodes are known. */
function leavingPods({ replicas, surplus }: JobView): ObservedPod[] {
  return [...replicas.flatMap(({ outgoing }) => outgoing ?? []), ...surplus]
    .filter((pod) => pod.deleting && pod.node !== undefined && pod.nodeState !== undefined && pod.deletionDeadline !== undefined);
}

function podsOf({ pods }: Observation, { attempt }: ProvisionalFailure): ObservedPod[] {
  return pods.filter((pod) => pod.attempt === attempt);
}

/** Whether a pod is gone with its node, or the cluster took it away. */
function isTakenAway(pod: ObservedPod, { job: { runPolicy } }: JobView): boolean {
  return pod.state === 'Failed' && !wasKilled(pod.failure)
    ? pod.failure?.disruption === true
    : pod.state !== 'Succeeded' && (pod.failure?.disruption === true || nodeTrouble(pod, runPolicy) !== undefined);
}

function isEndPutOff({ job: { status: { provisionalFailure } } }: Observation, { attempt }: JobView): boolean {
  return provisionalFailure?.puts === 'End' && provisionalFailure.attempt === attempt;
}

/** All nodes are well: the failure counts, and those that wait with it. */
function confirmed(observation: Observation, view: JobView, failure: ProvisionalFailure): Plan {
  const { job: { status }, now } = observation;
  const { node, reason, count = 1 } = failure;
  const counts = countRestart(view, status, count, 0, status.lastFailure!, observation);
  const suspects = failure.speaksOfNode ? withNodeFailures(status, [{ node, reason }], view.job.runPolicy.nodeAvoidance, now) : {};
  return counts.outcome === 'fail'
    ? end(observation, 'Failed', counts.reason, counts.message, view, settledRestarts(counts.reason, view, status))
    : decision(observation, { ...suspects, restarts: (status.restarts ?? 0) + count, provisionalFailure: undefined }, [], []);
}

/** A replica of the attempt that runs was lost, for which it is answered by itself: what failed of the others does not count. */
function explained(observation: Observation, view: JobView, failure: ProvisionalFailure, lost: ObservedPod): Plan {
  const message = `${describeCause(lossOf(view, failure, lost))}; the failure of ${failure.pod} followed from it and is not counted`;
  return decision(observation, { provisionalFailure: undefined, ...withoutPause(observation.job.status) }, [], [{ type: 'Warning', reason: 'JobDisrupted', message }]);
}

/** A node was lost: what failed on the others failed for it. */
function disrupted(observation: Observation, view: JobView, failure: ProvisionalFailure, all: readonly ObservedPod[]): Plan {
  const { job: { status } } = observation;
  const cause = lossOf(view, failure, all[0]);
  const counts = countRestart(view, status, 0, all.length, cause, observation);
  if (counts.outcome === 'fail') {
    return end(observation, 'Failed', counts.reason, counts.message, view, { lastFailure: counts.cause });
  }
  const message = `${describeCause(cause)}; the failure of ${failure.pod} followed from it and is not counted`;
  const { lastRestart } = status;
  return decision(observation, {
    disruptions: (status.disruptions ?? 0) + all.length,
    provisionalFailure: undefined,
    lastFailure: cause,
    ...withoutPause(status),
    ...(lastRestart && { lastRestart: { ...lastRestart, cause: 'Disruption', reason: cause.reason } }),
  }, status.phase === 'Restarting' ? [
    { type: 'Running', status: 'False', reason: 'JobDisrupted', message },
    { type: 'Restarting', status: 'True', reason: 'JobDisrupted', message },
  ] : [], [{ type: 'Warning', reason: 'JobDisrupted', message }]);
}

/** The loss of a pod as the cause of what followed. */
function lossOf({ job }: JobView, { attempt, time }: ProvisionalFailure, lost: ObservedPod): FailureCause {
  const replica = job.replicas.find(({ podName }) => podName === lost.name);
  const { reason, message } = nodeTrouble(lost, job.runPolicy) ?? lost.failure!;
  return { role: replica?.role ?? '', index: replica?.index ?? 0, rank: replica?.rank, pod: lost.name, node: lost.node, reason, message, attempt, time };
}

/** The pause was that of a failure. */
function withoutPause({ retryStep = 0 }: TrainingJobStatus): Partial<TrainingJobStatus> {
  return { nextRetryTime: undefined, retryStep: retryStep > 1 ? retryStep - 1 : undefined };
}
