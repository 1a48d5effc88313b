/** What changes in the status when all replicas start again, whoever decides so. */
import { roleStatuses, type JobView } from '../observe/replicas-view';
import { restartScopeOf } from '../../../../model/training-job/restart-in-place';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/**
 * Fields of the next attempt. Of independent replicas those that have succeeded are done; replicas that depend on each other start again as a
 * whole.
 */
export function nextAttempt(view: JobView): Partial<TrainingJobStatus> {
  return {
    attempt: view.attempt + 1,
    attemptStarted: false,
    replacing: undefined,
    containerRestarts: undefined,
    workerStatuses: restartScopeOf(view.job) === 'replica' ? roleStatuses(view) : undefined,
  };
}
