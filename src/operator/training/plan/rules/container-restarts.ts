/** Containers that the kubelet starts again in their pods: their failures count as all others do, and the pause is the kubelet's. */
import type { Rule } from './rule';
import { end, note, restart } from '../decisions';
import { COMPLETED, judgeFailure } from '../failures/failed-replicas';
import { describeCause, failureCause } from '../failures/failure-cause';
import { countRestart } from '../failures/failures';
import { withNodeTrouble } from '../failures/node-loss';
import { followsLoss, mayEndBePutOff, mayFollowLoss, openEnd, pendingRestarts, provisional, settledRestarts } from '../failures/provisional';
import { containerRestarts, containerRestartsField, type JobView, type ReplicaView } from '../observe/replicas-view';

/** Counts restarts in place, and fails the job when there were too many. */
export const containerRestartsRule: Rule = {
  decide(observation, view) {
    const { job: { spec, status }, now } = observation;
    const sum = containerRestarts(view);
    const fresh = sum - (status.containerRestarts ?? 0);
    const entry = lastToFail(view);
    if (spec.suspend || fresh <= 0 || entry === undefined) {
      return undefined;
    }
    const failure = entry.pod!.lastContainerFailure!;
    const cause = failureCause(view.attempt, entry, failure, now);
    const hasOnlyEnded = failure.exitCode === 0;
    const own = { cause, pod: entry.pod };
    const isConsequence = !failure.disruption
      && (followsLoss(own, view, status, 0, observation) || withNodeTrouble(failure, entry.pod!, view.job.runPolicy).disruption);
    const isFatal = !isConsequence && judgeFailure(failure, entry.role, view.job.runPolicy) === 'fail';
    const counted = failure.disruption || hasOnlyEnded || isConsequence ? 0 : fresh;
    const isTooMany = (status.restarts ?? 0) + pendingRestarts(view, status) + counted > view.job.runPolicy.backoffLimit;
    if (counted > 0 && (isFatal || isTooMany) && mayEndBePutOff(own, view, status, observation)) {
      return openEnd(view, status) !== undefined
        ? undefined
        : note(observation, { lastFailure: cause, provisionalFailure: provisional(view, status, own, 'End', 0, now) });
    }
    if (isFatal) {
      return end(observation, 'Failed', failure.permanent ? 'ContainerStartFailed' : 'ReplicaFailed', describeCause(cause), view, { lastFailure: cause });
    }
    const isPutOff = counted > 0 && !isTooMany && mayFollowLoss(own, view, now, observation);
    const told = { ...cause, ...(hasOnlyEnded && { reason: COMPLETED }) };
    const sure = isPutOff ? 0 : counted + (isTooMany ? pendingRestarts(view, status) : 0);
    const counts = countRestart(view, status, sure, failure.disruption ? fresh : 0, told, observation);
    switch (counts.outcome) {
      case 'fail': return end(observation, 'Failed', counts.reason, counts.message, view, {
        lastFailure: counts.cause, ...settledRestarts(counts.reason, view, status),
      });
      case 'restart': return restart(observation, {
        ...counts.change,
        // The kubelet keeps a pause of its own, and nothing is for us to be held back.
        nextRetryTime: status.nextRetryTime,
        retryStep: status.retryStep,
        containerRestarts: sum,
        ...(isPutOff && { provisionalFailure: provisional(view, status, own, 'Restart', fresh, now) }),
        ...(isConsequence && { provisionalFailure: undefined }),
        ...(isConsequence && status.lastRestart?.cause === 'Disruption' && { lastRestart: status.lastRestart }),
      }, `${describeCause(cause)}; the kubelet starts its container again`, isConsequence ? 'Disruption' : undefined);
      default: return undefined;
    }
  },

  observe(_observation, view, status) {
    // Pods that are gone take their failures with them: what was counted stays counted.
    const sum = containerRestarts(view);
    return sum < (status.containerRestarts ?? 0) ? { ...status, containerRestarts: containerRestartsField(sum) } : status;
  },
};

/** The replica whose container failed last; of those in the same second, the one with the lowest rank. */
function lastToFail(view: JobView): ReplicaView | undefined {
  const timeOf = ({ pod }: ReplicaView) => pod?.lastContainerFailure?.time ?? '';
  return view.replicas.filter(({ pod }) => pod?.lastContainerFailure !== undefined)
    .reduce<ReplicaView | undefined>((last, entry) => (last === undefined || timeOf(entry) > timeOf(last) ? entry : last), undefined);
}
