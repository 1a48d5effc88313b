/**
 * What a report makes of the status: the last values, a short history, and an estimate of the time that is left.
 *
 * The history is bounded: when it is full, the point goes whose neighbours are closest to each other, never the first and never the last two. So it
 * spans the whole run, whether that takes minutes or weeks, evenly enough to draw a line through and to compare trials by.
 */
import type { ProgressReport } from './report';
import { timeText } from '../text/times';
import {
  HISTORY_METRICS, HISTORY_POINTS, type CheckpointStatus, type ProgressPoint, type TrainerStatus, type TrainingJobStatus,
} from '../training-job/status/status';

/** Digits of a number that are worth remembering; longer ones are shortened. */
const HISTORY_PRECISION = 6;

/** What a 32-bit integer holds, as in reports. */
const LONGEST_REMAINING_SECONDS = 2 ** 31 - 1;

/** The fields of the status that only reports set. */
export interface ReportedProgress {
  readonly trainerStatus: TrainerStatus;
  readonly lastProgressTime: string;
  readonly progressHistory: readonly ProgressPoint[];
}

/**
 * The status after a report of progress.
 * @param status as it stands
 * @param now milliseconds since the epoch, by the clock of the receiver
 */
export function withProgress(status: TrainingJobStatus, reported: NonNullable<ProgressReport['trainerStatus']>, now: number): ReportedProgress {
  const progressHistory = withPoint(status.progressHistory ?? [], pointOf(reported, now));
  const remaining = reported.estimatedRemainingSeconds ?? remainingSeconds(progressHistory);
  return {
    trainerStatus: { ...reported, ...(remaining !== undefined && { estimatedRemainingSeconds: remaining }) },
    lastProgressTime: timeText(now),
    progressHistory,
  };
}

/** The checkpoint of a report, as the status has it. */
export function checkpointStatus({ path, step }: NonNullable<ProgressReport['checkpoint']>, now: number): CheckpointStatus {
  return { path, ...(step !== undefined && { step }), time: timeText(now) };
}

/** When the job was last heard to get on, milliseconds since the epoch by the operator's clock; undefined when it never was. */
export function lastProgressTime(status: TrainingJobStatus): number | undefined {
  const times = [status.lastProgressTime, status.checkpoint?.time].filter((time) => time !== undefined).map((time) => Date.parse(time));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/**
 * Seconds until 100 %, at the pace since the percentage last went back (to the last checkpoint, after a restart).
 * @returns undefined while the pace is not known
 */
export function remainingSeconds(history: readonly ProgressPoint[]): number | undefined {
  const last = history.at(-1);
  const known = history.filter((point) => point.progressPercentage !== undefined);
  if (last?.progressPercentage === undefined) {
    return undefined;
  }
  let first = known.length - 1;
  while (first > 0 && known[first - 1].progressPercentage! <= known[first].progressPercentage!) {
    first--;
  }
  const gained = last.progressPercentage - known[first].progressPercentage!;
  const seconds = (Date.parse(last.time) - Date.parse(known[first].time)) / 1000;
  if (last.progressPercentage === 100) {
    return 0;
  }
  return gained > 0 ? Math.min(LONGEST_REMAINING_SECONDS, Math.round(seconds / gained * (100 - last.progressPercentage))) : undefined;
}

function pointOf(reported: NonNullable<ProgressReport['trainerStatus']>, now: number): ProgressPoint {
  const numbers = (reported.metrics ?? []).filter(({ value }) => value.trim() !== '' && Number.isFinite(Number(value))).slice(0, HISTORY_METRICS);
  return {
    time: timeText(now),
    ...(reported.progressPercentage !== undefined && { progressPercentage: reported.progressPercentage }),
    ...(numbers.length > 0 && { metrics: Object.fromEntries(numbers.map(({ name, value }) => [name, shortened(value)])) }),
  };
}

function shortened(value: string): string {
  return value.length > HISTORY_PRECISION + 1 ? String(Number(Number(value).toPrecision(HISTORY_PRECISION))) : value;
}

function withPoint(history: readonly ProgressPoint[], point: ProgressPoint): ProgressPoint[] {
  // Two reports within one second are one point: the later one is right.
  const before = history.at(-1)?.time === point.time ? history.slice(0, -1) : history;
  const points = [...before, point];
  while (points.length > HISTORY_POINTS) {
    points.splice(leastMissed(points), 1);
  }
  return points;
}

/** Index of the point whose neighbours are closest to each other in time. */
function leastMissed(points: readonly ProgressPoint[]): number {
  const gap = (index: number) => Date.parse(points[index + 1].time) - Date.parse(points[index - 1].time);
  let least = 1;
  for (let index = 2; index < points.length - 2; index++) {
    if (gap(index) < gap(least)) {
      least = index;
    }
  }
  return least;
}
