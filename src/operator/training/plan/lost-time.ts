/**
 * What restarts cost: the seconds from the last checkpoint to the restart, whose work is done again, and those until all replicas run. Restarts that
 * follow each other before the job runs again are one loss. It ends, too, when the job is suspended or finished. Times come from wall clocks, which
 * jump: no part is ever negative, and none reaches back beyond the moment at which the job began to run.
 */
import { conditionOf } from './conditions';
import { timeText } from './timestamps';
import type { RestartCause } from '../../../model/training-job/recovery-status';
import type { TrainingJobStatus } from '../../../model/training-job/status';

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

/** Since when work is lost if it is lost now: a job that did not run loses none. */
function lossStart(status: TrainingJobStatus, now: number): number {
  const running = conditionOf(status, 'Running');
  if (running?.status !== 'True') {
    return now;
  }
  // A report is no checkpoint: what a script has not said that it saved counts as lost.
  const saved = status.checkpoint?.time;
  const start = Math.max(Date.parse(running.lastTransitionTime), saved === undefined ? -Infinity : Date.parse(saved));
  return Math.min(now, Number.isNaN(start) ? now : start);
}
