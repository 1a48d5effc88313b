/**
 * The deadlines of `spec.runPolicy`: how long a job may wait until it runs for the first time, and how long it may run. Pauses by suspension are not
 * counted.
 */
import type { Rule } from './rule';
import type { ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import { waitingSince, type TrainingJobStatus } from '../../../../model/training-job/status/status';
import { end } from '../decisions';

interface Deadline {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string;
  readonly message: string;
}

/** Fails the job at a deadline. */
export const deadlineRule: Rule = {
  decide(observation, view) {
    const { job: { spec, status }, now } = observation;
    const deadline = deadlineOf(view.job, status);
    return deadline !== undefined && now >= deadline.at && !spec.suspend
      ? end(observation, 'Failed', deadline.reason, deadline.message, view)
      : undefined;
  },

  wakeAfterMs({ now }, view, status) {
    const deadline = deadlineOf(view.job, status);
    return deadline === undefined ? undefined : deadline.at - now;
  },
};

function deadlineOf({ runPolicy }: ResolvedTrainingJob, status: TrainingJobStatus): Deadline | undefined {
  const { activeDeadlineSeconds: active, preRunningDeadlineSeconds: preRunning } = runPolicy;
  const { startTime, phase } = status;
  const waits = waitingSince(status);
  const all = [
    preRunning !== undefined && waits !== undefined && {
      at: waits + preRunning * 1000,
      reason: 'PreRunningDeadlineExceeded',
      message: `not all replicas were running within spec.runPolicy.preRunningDeadlineSeconds (${preRunning})`,
    },
    active !== undefined && startTime !== undefined && phase !== 'Suspended' && {
      at: Date.parse(startTime) + active * 1000,
      reason: 'DeadlineExceeded',
      message: `ran longer than spec.runPolicy.activeDeadlineSeconds (${active})`,
    },
  ].filter((deadline) => deadline !== false);
  return all.sort((one, other) => one.at - other.at)[0];
}
