/** Since when a job waits for its replicas. */
import type { TrainingJobStatus } from './status';

/**
 * Milliseconds since the epoch at which a job that has not run since was accepted, or resumed. One that starts again after a failure is not
 * pending.
 */
export function waitingSince({ phase, attemptStarted, conditions = [] }: TrainingJobStatus): number | undefined {
  if (phase !== 'Pending' || attemptStarted === true) {
    return undefined;
  }
  const times = conditions.filter(({ type }) => type === 'Created' || type === 'Suspended').map(({ lastTransitionTime }) => Date.parse(lastTransitionTime))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
