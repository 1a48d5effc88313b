import type { JobSettings } from '../training-job/job-settings';
import type { JobHelper } from '../training-job/pods/helper';
import type { TrainingReplicas } from '../training-job/training-replicas';

/**
 * Properties of a `JobGroup`. What stands beside `primary` and `helpers` holds for all of them.
 */
export interface JobGroupProps extends JobSettings {
  /**
   * Who trains. It decides whether the group has succeeded, and its framework gives it its environment, as if it were alone.
   */
  readonly primary: TrainingReplicas;

  /** Who helps: one entry for each role. */
  readonly helpers: JobHelper[];
}
