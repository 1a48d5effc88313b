/** The event of an object of the job that the API server does not let in. */
import { conditionOf } from '../conditions';
import type { PlannedEvent } from '../types';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** One event each time the reason changes; what is tried again and again is told once. */
export function refusalNews(before: TrainingJobStatus, after: TrainingJobStatus): PlannedEvent[] {
  const created = conditionOf(after, 'Created');
  return created?.status === 'False' && created.reason !== conditionOf(before, 'Created')?.reason
    ? [{ type: 'Warning', reason: created.reason, message: created.message }]
    : [];
}
