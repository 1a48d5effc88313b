/** Since when a job waits for its replicas. */
import type { TrainingJobStatus } from './status';

/**
 * Milliseconds since the epoch at which a job that has not run since was accepted, or resumed. One that starts again after a failure is not
 * pending.
 */
export function waitingSince({ phase, attemptStarted, conditions = [], hooks: { before } = {} }: TrainingJobStatus): number | undefined {
  // The time of a hook before the replicas has a limit of its own.
  if (phase !== 'Pending' || attemptStarted === true || (before !== undefined && before.phase !== 'Succeeded')) {
    return undefined;
  }
  const accepted = conditions.filter(({ type }) => type === 'Created' || type === 'Suspended').map(({ lastTransitionTime }) => lastTransitionTime);
  const times = [...accepted, before?.completionTime ?? ''].map((time) => Date.parse(time))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
