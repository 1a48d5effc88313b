/**
 * Failures that are provisional (`status.provisionalFailure`): the job was started again at once, or its end is put off, and what it counts as is
 * decided when the nodes of all pods of that attempt have been heard from, or one of them is lost. The first makes it a failure, the second a
 * disruption that the lost node brought about. All that is remembered stands in the status, and pods that have not ended are still there: the
 * next attempt of a gang begins when they are gone, so that there is never more than one open verdict.
 */
import type { Rule } from './rule';
import { decision, end, note } from '../decisions';
import { elapsedSince } from '../elapsed';
import { describeCause } from '../failure-cause';
import { countRestart } from '../failures';
import { isLate, nodeTrouble } from '../node-loss';
import { LOOK_MS, nodesOf, silentPods, VERDICT_LIMIT_MS } from '../silent-pods';
import { withNodeFailures } from '../suspect-nodes';
import type { JobView } from '../replicas-view';
import type { Observation, ObservedPod, Plan } from '../types';
import type { ProvisionalFailure } from '../../../../model/training-job/recovery-status';
import type { FailureCause } from '../../../../model/training-job/status';

/** Books provisional failures. */
export const verdictRule: Rule = {
  decide(observation, view) {
    const { provisionalFailure: failure } = observation.job.status;
    if (failure === undefined || failure.attempt === view.attempt) {
      return undefined;
    }
    if (failure.puts === 'End') {
      // Somebody has ended the attempt in the meantime, by suspending the job.
      return note(observation, { provisionalFailure: undefined });
    }
    const pods = podsOf(observation, failure);
    const lost = pods.filter((pod) => (pod.state === 'Running' || pod.state === 'Waiting') && nodeTrouble(pod, view.job.runPolicy) !== undefined);
    if (lost.length > 0) {
      return disrupted(observation, view, failure, lost);
    }
    const isOpen = silentPods(pods, Date.parse(failure.time), observation).length > 0
      && elapsedSince(observation, Date.parse(failure.time)) < VERDICT_LIMIT_MS;
    return isOpen ? undefined : confirmed(observation, view, failure);
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
  return failure === undefined ? late : [...silentPods(podsOf(observation, failure), Date.parse(failure.time), observation, true), ...late];
}

/** Pods that were asked to go, whose nodes are known. */
function leavingPods({ replicas, surplus }: JobView): ObservedPod[] {
  return [...replicas.flatMap(({ outgoing }) => outgoing ?? []), ...surplus]
    .filter((pod) => pod.deleting && pod.node !== undefined && pod.nodeState !== undefined && pod.deletionDeadline !== undefined);
}

function podsOf({ pods }: Observation, { attempt }: ProvisionalFailure): ObservedPod[] {
  return pods.filter((pod) => pod.attempt === attempt);
}

function isEndPutOff({ job: { status: { provisionalFailure } } }: Observation, { attempt }: JobView): boolean {
  return provisionalFailure?.puts === 'End' && provisionalFailure.attempt === attempt;
}

/** All nodes are well: the failure counts. */
function confirmed(observation: Observation, view: JobView, failure: ProvisionalFailure): Plan {
  const { job: { status }, now } = observation;
  const { node, reason } = failure;
  const counts = countRestart(view, status, 1, 0, status.lastFailure!, observation);
  const suspects = failure.speaksOfNode ? withNodeFailures(status, [{ node, reason }], view.job.runPolicy.nodeAvoidance, now) : {};
  return counts.outcome === 'fail'
    ? end(observation, 'Failed', counts.reason, counts.message, view)
    : decision(observation, { ...suspects, restarts: (status.restarts ?? 0) + 1, provisionalFailure: undefined }, [], []);
}

/** A node was lost: what failed on the others failed for it. */
function disrupted(observation: Observation, view: JobView, failure: ProvisionalFailure, all: readonly ObservedPod[]): Plan {
  const { job: { status } } = observation;
  const [lost] = all;
  const trouble = nodeTrouble(lost, view.job.runPolicy)!;
  const replica = view.job.replicas.find(({ podName }) => podName === lost.name);
  const cause: FailureCause = {
    role: replica?.role ?? '', index: replica?.index ?? 0, rank: replica?.rank, pod: lost.name, node: lost.node,
    reason: trouble.reason, message: trouble.message, attempt: failure.attempt, time: failure.time,
  };
  const counts = countRestart(view, status, 0, all.length, cause, observation);
  if (counts.outcome === 'fail') {
    return end(observation, 'Failed', counts.reason, counts.message, view, { lastFailure: counts.cause });
  }
  const message = `${describeCause(cause)}; the failure of ${failure.pod} followed from it and is not counted`;
  const { lastRestart, retryStep = 0 } = status;
  return decision(observation, {
    disruptions: (status.disruptions ?? 0) + all.length,
    provisionalFailure: undefined,
    lastFailure: cause,
    // The pause was that of a failure.
    nextRetryTime: undefined,
    retryStep: retryStep > 1 ? retryStep - 1 : undefined,
    ...(lastRestart && { lastRestart: { ...lastRestart, cause: 'Disruption', reason: trouble.reason } }),
  }, status.phase === 'Restarting' ? [
    { type: 'Running', status: 'False', reason: 'JobDisrupted', message },
    { type: 'Restarting', status: 'True', reason: 'JobDisrupted', message },
  ] : [], [{ type: 'Warning', reason: 'JobDisrupted', message }]);
}
