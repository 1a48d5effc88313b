import type { JobSettings } from './job-settings';
import type { JobHelper } from './pods/helper';
import type { TrainingReplicas } from './training-replicas';

/**
 * Properties of a `TrainingJob`.
 */
export interface TrainingJobProps extends TrainingReplicas, JobSettings {
  /**
   * Roles that start beside those that train, with programs of their own, and are ended when these have succeeded. `JobGroup` has them with
   * properties of their own.
   *
   * @default - none
   */
  readonly helpers?: JobHelper[];
}
