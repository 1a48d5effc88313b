/** The line at the bottom of a terminal: what is known of the run, and nothing that is guessed. */
import type { TrainerStatus, TrainingJobStatus } from '../../model/training-job/status/status';
import { elapsed } from '../../model/text/times';

/** What the line is made of. */
export interface Progress {
  readonly jobName: string;
  readonly status: TrainingJobStatus;
  /** Milliseconds since the run began. */
  readonly elapsedMs: number;
  /** What the coordinator's log last said of its progress. */
  readonly reported?: string;
}

/** The line, without an end. */
export function progressLine({ jobName, status, elapsedMs, reported }: Progress): string {
  if (status.tuning) {
    const { running, best } = status.tuning;
    const found = best ? [`best is trial ${best.trial} with ${Number(best.value.toPrecision(6))}`] : [];
    return [jobName, status.phase ?? 'Pending', `${status.ready ?? '0/?'} trials`, `${running} running`, elapsed(elapsedMs), ...found].join(' · ');
  }
  if (status.array) {
    const { active, failed } = status.array;
    const lost = failed > 0 ? [`${failed} failed`] : [];
    return [jobName, status.phase ?? 'Pending', `${status.ready ?? '0/?'} copies`, `${active} running`, ...lost, elapsed(elapsedMs)].join(' · ');
  }
  const parts = [jobName, status.phase ?? 'Pending', `${status.ready ?? '0/?'} replicas up`, elapsed(elapsedMs)];
  if (status.attempt) {
    parts.push(`attempt ${status.attempt}`);
  }
  if (status.restarts) {
    parts.push(`${status.restarts} restart${status.restarts === 1 ? '' : 's'}`);
  }
  if (status.nextRetryTime) {
    parts.push(`next start ${status.nextRetryTime.slice(11, 19)} UTC`);
  }
  const told = trainerText(status.trainerStatus);
  if (told) {
    parts.push(told);
  } else if (reported) {
    parts.push(reported);
  }
  return parts.join(' · ');
}

/** Metrics that have room in a line. */
const SHOWN_METRICS = 3;

/** What the script has reported: `45%, 2:10 left, loss 0.25`. */
function trainerText({ progressPercentage, estimatedRemainingSeconds, metrics = [] }: TrainerStatus = {}): string {
  return [
    progressPercentage === undefined ? '' : `${progressPercentage}%`,
    estimatedRemainingSeconds ? `${elapsed(estimatedRemainingSeconds * 1000)} left` : '',
    ...metrics.slice(0, SHOWN_METRICS).map(({ name, value }) => `${name} ${value}`),
  ].filter(Boolean).join(', ');
}

const STEP = /\b(?:global[ _-]?)?(step|epoch|round|iteration|iter)s?\b["']?\s*(?:[=:#]\s*)?\[?(\d+)(?:\s*(?:\/|of)\s*(\d+))?/i;
const PERCENT = /(?:^|[\s:=[(])(100|\d{1,2})(?:\.\d+)?\s?%/;

/** What a log line says of progress (`step 120/1000`, `45%`); undefined when it says nothing. */
export function reportedProgress(line: string): string | undefined {
  const [, unit, done, total] = STEP.exec(line) ?? [];
  const step = unit && `${unit.toLowerCase()} ${done}${total ? `/${total}` : ''}`;
  const percent = PERCENT.exec(line)?.[1];
  return [step, percent && `${percent}%`].filter(Boolean).join(', ') || undefined;
}
