/** Replicas that failed or were lost: what `failures.ts` decides about them, and the pause before they start again. */
import type { Rule } from './rule';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { isConditionTrue } from '../conditions';
import { end, note, replaceBeside, restart } from '../decisions';
import { canGoOn } from '../elastic';
import { decideFailures } from '../failures/failures';
import { settledRestarts } from '../failures/provisional';

/** Restarts or fails the job. */
export const failedReplicasRule: Rule = {
  decide(observation, view) {
    if (observation.job.spec.suspend) {
      return undefined;
    }
    const failures = decideFailures(view, observation.job.status, observation);
    switch (failures.outcome) {
      case 'fail': return end(observation, 'Failed', failures.reason, failures.message, view, {
        lastFailure: failures.cause, ...settledRestarts(failures.reason, view, observation.job.status),
      });
      case 'restart': return canGoOn(view, observation.job.status, failures.change)
        ? replaceBeside(observation, view, failures.change, failures.message, failures.cause)
        : restart(observation, failures.change, failures.message, failures.cause);
      case 'wait': return note(observation, failures.change);
      case 'none': return undefined;
    }
  },

  holdsBackPods({ job, now }) {
    return pauseMs(job.status, now) > 0;
  },

  events(before, after) {
    return isConditionTrue(after, 'Running') && !isConditionTrue(before, 'Running') && (before.restarts ?? 0) + (before.disruptions ?? 0) > 0
      ? [{ type: 'Normal', reason: 'JobRunning', message: `All ${after.replicas} replicas are running again` }]
      : [];
  },

  wakeAfterMs({ job, now }) {
    const pause = pauseMs(job.status, now);
    return pause > 0 ? pause : undefined;
  },
};

function pauseMs(status: TrainingJobStatus, now: number): number {
  return status.nextRetryTime === undefined ? 0 : Date.parse(status.nextRetryTime) - now;
}
