/** `spec.suspend`, and the suspension of idle jobs: the job has no pods until it is resumed. */
import type { Rule } from './rule';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { conditionOf } from '../conditions';
import { resume, suspend, type SuspensionCause } from '../decisions';
import { isIdleSuspended, isKeptSuspended } from '../idle';

/** Suspends and resumes the job. */
export const suspensionRule: Rule = {
  decide(observation, view) {
    const { job } = observation;
    const { status } = job;
    const isKept = isKeptSuspended(job);
    // A pod that was created just before, and is seen only now, ends the attempt once more.
    if (isKept && (status.phase !== 'Suspended' || view.replicas.some((entry) => entry.pod !== undefined))) {
      return isIdleSuspended(job) ? suspend(observation, view, stillIdle(status)) : suspend(observation, view);
    }
    return !isKept && status.phase === 'Suspended' ? resume(observation, view) : undefined;
  },

  holdsBackPods({ job }) {
    return isKeptSuspended(job);
  },
};

/** The suspension that stands, once more. */
function stillIdle(status: TrainingJobStatus): SuspensionCause {
  const { reason = 'JobIdle', message = '' } = conditionOf(status, 'Suspended') ?? {};
  return { reason, message, change: { idle: status.idle } };
}
