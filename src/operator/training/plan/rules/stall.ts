/**
 * `spec.runPolicy.stall`: a job that runs and gets no further. A hung collective looks like work from outside: all pods run, and nothing fails.
 * What counts
 * as progress is what the script reports (`src/model/progress`). Silence is measured while all replicas run, from the later of the moment at which
 * they all
 * did and the last report: start-up, pauses and suspensions do not count.
 *
 * All replicas start again, as the next attempt: who hangs and who only waits for him cannot be told from here. It is counted like a failure, so that
 * backoff and `backoffLimit` hold.
 */
import type { Rule } from './rule';
import { lastProgressTime } from '../../../../model/progress/progress-status';
import { hasHelpers } from '../../../../model/training-job/replicas/helpers';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { conditionOf } from '../conditions';
import { end, restart } from '../decisions';
import { elapsedSince } from '../elapsed';
import { isEnoughUp } from '../elastic';
import { isGivenUp } from '../failures/failed-replicas';
import { failureCause } from '../failures/failure-cause';
import { countRestart } from '../failures/failures';
import { nextAttempt } from '../failures/next-attempt';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import type { Observation } from '../types';

/** Reason of a job that stalled. */
const STALLED = 'Stalled';

/** Restarts or fails the job. */
export const stallRule: Rule = {
  decide(observation, view) {
    const { job: { status }, now } = observation;
    const { stall } = view.job.runPolicy;
    const silentMs = silenceOf(observation, view, status);
    if (stall === undefined || silentMs === undefined || silentMs < stall.timeoutSeconds * 1000) {
      return undefined;
    }
    const message = `no progress for ${stall.timeoutSeconds} s (spec.runPolicy.stall); ${lastKnown(status)}`;
    // Nobody knows yet whose fault it is, so that no node is named.
    const cause = failureCause(view.attempt, { ...view.replicas[0], pod: undefined }, { disruption: false, reason: STALLED, message }, now);
    if (stall.action === 'Fail') {
      return end(observation, 'Failed', STALLED, message, view, { lastFailure: cause });
    }
    const counted = countRestart(view, status, 1, 0, cause, observation);
    return counted.outcome === 'restart'
      ? restart(observation, { ...counted.change, ...nextAttempt(view) },
        `${message}; all ${view.job.replicas.length} replicas start again as attempt ${view.attempt + 1}`, 'Stall')
      : counted.outcome === 'fail' ? end(observation, 'Failed', counted.reason, counted.message, view, { lastFailure: counted.cause }) : undefined;
  },

  wakeAfterMs(observation, view, status) {
    const silentMs = silenceOf(observation, view, status);
    const { stall } = view.job.runPolicy;
    return stall === undefined || silentMs === undefined ? undefined : Math.max(0, stall.timeoutSeconds * 1000 - silentMs);
  },
};

/** Milliseconds without progress; undefined while it is not measured. */
function silenceOf(observation: Observation, view: JobView, status: TrainingJobStatus): number | undefined {
  const running = conditionOf(status, 'Running');
  // A pod that is about to go keeps the others waiting; what comes of that is not for this rule. An elastic job trains without those
  // that are missing.
  const canMiss = (view.job.spec.elastic !== undefined || hasHelpers(view.job)) && isEnoughUp(view, false);
  const allUp = view.replicas.every((entry) => entry.succeeded || isGivenUp(entry) || isThere(entry, canMiss));
  return view.job.runPolicy.stall === undefined || observation.job.spec.suspend || running?.status !== 'True' || !allUp
    ? undefined
    : elapsedSince(observation, Date.parse(running.lastTransitionTime), lastProgressTime(status));
}

/** @param canMiss whether the others train without a replica that is yet to come */
function isThere({ pod, replaced }: ReplicaView, canMiss: boolean): boolean {
  return (pod?.state === 'Running' && !pod.deleting && !replaced) || (canMiss && (pod === undefined || (pod.state === 'Waiting' && !pod.deleting)));
}

function lastKnown(status: TrainingJobStatus): string {
  const { trainerStatus, checkpoint, lastProgressTime: time } = status;
  if (time === undefined && checkpoint === undefined) {
    return 'no progress was ever reported';
  }
  const metrics = (trainerStatus?.metrics ?? []).slice(0, 3).map(({ name, value }) => `${name}=${value}`);
  const known = [trainerStatus?.progressPercentage === undefined ? [] : `${trainerStatus.progressPercentage} %`, metrics].flat();
  return [
    time === undefined ? [] : `last report ${time}${known.length > 0 ? `: ${known.join(', ')}` : ''}`,
    checkpoint === undefined ? [] : `last checkpoint ${checkpoint.time}${checkpoint.step === undefined ? '' : `, step ${checkpoint.step}`}`,
  ].flat().join('; ');
}
