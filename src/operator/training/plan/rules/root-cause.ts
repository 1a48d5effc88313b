/**
 * Whom a restart of all replicas is blamed on. Kubelets report the ends of pods in any order, so the first failure that was seen may be that of a
 * rank that lost a peer. While the pods of that attempt go, one of them that had ended by then, before its deletion, and for a reason of its own, is
 * the cause. What was counted stays: it is one failure, whoever began it.
 */
import type { Rule } from './rule';
import { decision } from '../decisions';
import { describeCause, failureCause } from '../failures/failure-cause';
import { judgeFailure, rootCause, speaksOfNode, type FailedReplica } from '../failures/failed-replicas';
import { withNodeTrouble } from '../failures/node-loss';
import { withNodeFailures } from '../failures/suspect-nodes';
import { saysPeerLost } from '../observe/log-signs';
import type { JobView } from '../observe/replicas-view';
import type { Observation, Plan } from '../types';
import type { FailureCause } from '../../../../model/training-job/status/status';

/** Corrects the cause of the restart. */
export const rootCauseRule: Rule = {
  decide(observation, view) {
    const { phase, lastFailure: blamed, lastRestart } = observation.job.status;
    if (phase !== 'Restarting' || lastRestart?.cause !== 'Failure' || blamed?.attempt !== view.attempt - 1 || !saysPeerLost(blamed.logTail)) {
      return undefined;
    }
    const earlier = ownFailures(view, blamed, observation.now);
    return earlier.length > 0 ? blame(observation, view, blamed, rootCause(earlier)) : undefined;
  },
};

/** Failures of the attempt that came no later than the one that is blamed, and that do not follow from it. */
function ownFailures(view: JobView, blamed: FailureCause, now: number): FailedReplica[] {
  return view.replicas.flatMap((entry): FailedReplica[] => {
    const { outgoing: pod, role } = entry;
    if (pod?.attempt !== blamed.attempt || pod.state !== 'Failed' || pod.failure?.time === undefined || pod.failure.time > blamed.time) {
      return [];
    }
    const failure = withNodeTrouble(pod.failure, pod, view.job.runPolicy);
    const isOwn = (!pod.deleting || failure.beforeDeletion === true) && !failure.disruption && !saysPeerLost(failure.logTail);
    return isOwn
      ? [{ entry, verdict: judgeFailure(failure, role, view.job.runPolicy), cause: failureCause(blamed.attempt!, { ...entry, pod }, failure, now) }]
      : [];
  });
}

function blame(observation: Observation, view: JobView, blamed: FailureCause, root: FailedReplica): Plan {
  const { job: { status }, now } = observation;
  const { cause } = root;
  const { pod, node, reason } = cause;
  const { provisionalFailure: noted } = status;
  const isNoted = noted?.attempt === blamed.attempt;
  const ofNode = speaksOfNode(root);
  const message = `${describeCause(cause)}; the failure of ${blamed.pod} followed from it`;
  return decision(observation, {
    lastFailure: cause,
    lastRestart: { ...status.lastRestart!, reason },
    ...(isNoted && { provisionalFailure: { ...noted, pod, node, reason, speaksOfNode: ofNode || undefined } }),
    // What waits for a verdict makes its node suspect with it.
    ...(!isNoted && ofNode && withNodeFailures(status, [{ node, reason }], view.job.runPolicy.nodeAvoidance, now)),
  }, [
    { type: 'Running', status: 'False', reason: 'JobRestarting', message },
    { type: 'Restarting', status: 'True', reason: 'JobRestarting', message },
  ], [{ type: 'Warning', reason: 'JobRestarting', message }]);
}
