/** Containers that the kubelet starts again in their pods: their failures count as all others do, and the pause is the kubelet's. */
import type { Rule } from './rule';
import { end, restart } from '../decisions';
import { COMPLETED, judgeFailure } from '../failed-replicas';
import { describeCause, failureCause } from '../failure-cause';
import { countRestart } from '../failures';
import { containerRestarts, containerRestartsField } from '../container-restarts';
import type { JobView, ReplicaView } from '../replicas-view';

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
    if (judgeFailure(failure, entry.role, view.job.runPolicy) === 'fail') {
      return end(observation, 'Failed', failure.permanent ? 'ContainerStartFailed' : 'ReplicaFailed', describeCause(cause), view, { lastFailure: cause });
    }
    const counted = failure.disruption || hasOnlyEnded ? 0 : fresh;
    const told = { ...cause, ...(hasOnlyEnded && { reason: COMPLETED }) };
    const counts = countRestart(view, status, counted, failure.disruption ? fresh : 0, told, observation);
    switch (counts.outcome) {
      case 'fail': return end(observation, 'Failed', counts.reason, counts.message, view, { lastFailure: counts.cause });
      case 'restart': return restart(observation, {
        ...counts.change,
        // The kubelet keeps a pause of its own, and nothing is for us to be held back.
        nextRetryTime: status.nextRetryTime,
        retryStep: status.retryStep,
        containerRestarts: sum,
      }, `${describeCause(cause)}; the kubelet starts its container again`);
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
