/**
 * What a written status says that the one before it did not. Lifecycle counters count these and nothing else: a status is written once, by the
 * process that leads, so a job is counted once however often caches replay it and whoever leads later.
 */
import type { RestartCause } from '../../../model/training-job/status/recovery-status';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { conditionOf, isConditionTrue } from '../plan/conditions';
import { workSince } from '../plan/failures/lost-time';

/** Why training stopped and has to be done again, as a label: a {@link RestartCause} in small letters, or `suspension`. */
export type StopCause = Lowercase<RestartCause> | 'suspension';

/** Work that has to be done again. */
export interface Rework {
  readonly cause: StopCause;
  /** Seconds of training since the last checkpoint, or since the attempt ran. */
  readonly seconds: number;
  /** Replicas that start again. */
  readonly replicas: number;
}

/** What happened between two statuses. */
export interface JobTransition {
  /** Whether the operator has taken the job up. */
  readonly created: boolean;
  readonly succeeded: boolean;
  /** Reason of the failure with which the job ended. */
  readonly failed?: string;
  /** Why replicas start again. */
  readonly restarted?: StopCause;
  /** Pods that the cluster took away. */
  readonly disruptions: number;
  readonly rework?: Rework;
  /** Seconds that a restart that is over has cost, its pause included: what was added to `status.lostSeconds`. */
  readonly lostSeconds: number;
  /** Whether all replicas run now, and did not before. */
  readonly running: boolean;
}

/** Compares two statuses of one job. @param now milliseconds since the epoch */
export function jobTransition(before: TrainingJobStatus, after: TrainingJobStatus, now: number): JobTransition {
  const stopped = stopCause(before, after);
  return {
    created: before.phase === undefined && after.phase !== undefined,
    succeeded: after.phase === 'Completed' && before.phase !== 'Completed',
    failed: after.phase === 'Failed' && before.phase !== 'Failed' ? conditionOf(after, 'Failed')?.reason ?? 'Unknown' : undefined,
    restarted: stopped === 'suspension' ? undefined : stopped,
    disruptions: growth(before, after, 'disruptions'),
    rework: stopped && rework(stopped, before, after, now),
    lostSeconds: growth(before, after, 'lostSeconds'),
    running: isConditionTrue(after, 'Running') && !isConditionTrue(before, 'Running'),
  };
}

/**
 * A restart is a new attempt, or one that was counted: replicas that are replaced, containers that are started again in their pods. A pod can also be
 * replaced because another node would do better, which is none.
 */
function stopCause(before: TrainingJobStatus, after: TrainingJobStatus): StopCause | undefined {
  const failed = growth(before, after, 'restarts') > 0;
  const disrupted = growth(before, after, 'disruptions') > 0;
  const record = after.lastRestart?.time === before.lastRestart?.time && after.lastRestart?.cause === before.lastRestart?.cause
    ? undefined
    : after.lastRestart;
  if (before.provisionalFailure?.puts === 'Restart' && after.provisionalFailure === undefined && !isNextAttempt(before, after)) {
    // It was counted when the job was started again.
    return undefined;
  }
  const again = isNextAttempt(before, after) || failed || disrupted || record !== undefined;
  if (!again || after.phase === 'Completed' || after.phase === 'Failed') {
    return undefined;
  }
  if (after.phase === 'Suspended') {
    return 'suspension';
  }
  return (record?.cause ?? (disrupted ? 'Disruption' : failed ? 'Failure' : 'Other')).toLowerCase() as StopCause;
}

function isNextAttempt(before: TrainingJobStatus, after: TrainingJobStatus): boolean {
  return (after.attempt ?? 0) > (before.attempt ?? 0);
}

function newReplacements(before: TrainingJobStatus, after: TrainingJobStatus): number {
  const known = new Set((before.replacing ?? []).map(({ pod, uid }) => `${pod} ${uid}`));
  return (after.replacing ?? []).filter(({ pod, uid }) => !known.has(`${pod} ${uid}`)).length;
}

function growth(before: TrainingJobStatus, after: TrainingJobStatus, count: 'restarts' | 'disruptions' | 'lostSeconds'): number {
  return Math.max(0, (after[count] ?? 0) - (before[count] ?? 0));
}

function rework(cause: StopCause, before: TrainingJobStatus, after: TrainingJobStatus, now: number): Rework | undefined {
  const running = conditionOf(before, 'Running');
  if (running?.status !== 'True') {
    return undefined;
  }
  const failedAt = cause === 'suspension' ? now : Date.parse(after.lastFailure?.time ?? '') || now;
  const lost = Math.max(0, Math.min(failedAt, now) - (workSince(before, Date.parse(running.lastTransitionTime)) ?? now)) / 1000;
  // The survivors of an elastic group go back to the last checkpoint too, unless the record says that they have lost nothing.
  const goesOn = !isNextAttempt(before, after) && after.lastRestart?.time !== before.lastRestart?.time && after.lastRestart?.lostSeconds === 0;
  const seconds = goesOn ? 0 : lost;
  const isWhole = isNextAttempt(before, after) || before.elastic !== undefined;
  // A world of which nobody is left but those that have succeeded starts again as a whole.
  return { cause, seconds, replicas: isWhole ? before.worldSize?.replicas || before.replicas || 1 : Math.max(1, newReplacements(before, after)) };
}
