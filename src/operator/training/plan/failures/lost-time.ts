/**
 * What restarts cost: the seconds from the last checkpoint to the restart, whose work is done again, and those until all replicas run. Restarts that
 * follow each other before the job runs again are one loss. It ends, too, when the job is suspended or finished, when its gang is released and while
 * it waits in a queue: what it waits for then is room, and no consequence of the restart. Times come from wall clocks, which jump: no part is ever
 * negative, none reaches back beyond the moment at which the job began to run, and nothing is lost twice.
 */
import { conditionOf } from '../conditions';
import { timeText } from '../timestamps';
import type { RestartCause } from '../../../../model/training-job/status/recovery-status';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** Fields that a decision to restart adds to the status. */
export function beginLoss(status: TrainingJobStatus, cause: RestartCause, reason: string | undefined, now: number): Partial<TrainingJobStatus> {
  return {
    lostSince: status.lostSince ?? timeText(lossStart(status, now)),
    lastRestart: { time: timeText(now), cause, ...(reason !== undefined && { reason }) },
  };
}

/** Fields that change when the job runs again, or will not. */
export function endLoss(status: TrainingJobStatus, now: number): Partial<TrainingJobStatus> {
  if (status.lostSince === undefined) {
    return {};
  }
  const lost = Math.max(0, Math.round((now - Date.parse(status.lostSince)) / 1000)) || 0;
  return {
    lostSince: undefined,
    lostSeconds: (status.lostSeconds ?? 0) + lost,
    ...(status.lastRestart && { lastRestart: { ...status.lastRestart, lostSeconds: lost } }),
  };
}

/** As {@link beginLoss}, of a loss that is over at once: the job waits for room from now on, or the others of an elastic job go on. */
export function lossAtOnce(status: TrainingJobStatus, cause: RestartCause, reason: string | undefined, now: number): Partial<TrainingJobStatus> {
  const begun = beginLoss(status, cause, reason, now);
  return { ...begun, ...endLoss({ ...status, ...begun }, now) };
}

/** Since when work is lost if it is lost now: a job that did not run loses none. */
function lossStart(status: TrainingJobStatus, now: number): number {
  const running = conditionOf(status, 'Running');
  if (running?.status !== 'True') {
    return now;
  }
  return Math.min(now, workSince(status, Date.parse(running.lastTransitionTime)) ?? now);
}

/**
 * Since when a job that runs has done what would be lost now, milliseconds since the epoch; undefined when that is unknown.
 * @param running since when it runs
 */
export function workSince({ checkpoint, lastRestart }: TrainingJobStatus, running: number): number | undefined {
  // A report is no checkpoint: what a script has not said that it saved counts as lost. What an elastic job that runs on has lost before is not
  // lost again.
  const times = [running, ...[checkpoint?.time, lastRestart?.time].flatMap((time) => (time === undefined ? [] : Date.parse(time)))];
  const start = Math.max(...times);
  return Number.isNaN(start) ? undefined : start;
}
