/** `spec.runPolicy.activeDeadlineSeconds`: how long a job may run, its pauses by suspension not counted. */
import type { Rule } from './rule';
import type { ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { end } from '../decisions';

/** Fails the job at its deadline. */
export const deadlineRule: Rule = {
  decide(observation, view) {
    const { job: { spec, status }, now } = observation;
    const deadline = deadlineOf(view.job, status);
    return deadline !== undefined && now >= deadline && !spec.suspend
      ? end(observation, 'Failed', 'DeadlineExceeded',
        `ran longer than spec.runPolicy.activeDeadlineSeconds (${view.job.runPolicy.activeDeadlineSeconds})`, view)
      : undefined;
  },

  wakeAfterMs({ now }, view, status) {
    const deadline = deadlineOf(view.job, status);
    return deadline === undefined ? undefined : deadline - now;
  },
};

function deadlineOf(job: ResolvedTrainingJob, status: TrainingJobStatus): number | undefined {
  const seconds = job.runPolicy.activeDeadlineSeconds;
  return seconds === undefined || status.startTime === undefined || status.phase === 'Suspended'
    ? undefined
    : Date.parse(status.startTime) + seconds * 1000;
}
