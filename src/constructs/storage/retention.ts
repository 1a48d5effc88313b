import type { Duration } from 'cdk8s';
import type { IServiceAccount } from 'cdk8s-plus-28';

/** Which checkpoints are deleted. Of each series the newest is kept, whatever is said. @see docs/storage.md */
export interface CheckpointRetention {
  /** How many of each series are kept. @default - all that are not too old */
  readonly keepLast?: number;

  /** Age from which checkpoints are deleted. @default - none is too old */
  readonly maxAge?: Duration;

  /** When the cleanup runs, as cron writes it. @default '17 3 * * *' */
  readonly schedule?: string;

  /** Time zone of the schedule. @default - that of the cluster */
  readonly timeZone?: string;

  /**
   * Names of checkpoints: a regular expression of Python with a group `step`, such as `run-(?P<step>[0-9]+)`.
   * @default - the usual names: step-100, checkpoint-100, iter_100, epoch=1-step=100, and folders of Orbax
   */
  readonly pattern?: string;

  /**
   * What was changed more recently is neither counted nor deleted: its job may not have reported it yet. At least a minute.
   * @default Duration.minutes(10)
   */
  readonly settle?: Duration;

  /**
   * Whether checkpoints lie in the root of the store. Otherwise its folders are jobs', and none of them is deleted however it is called.
   * @default false
   */
  readonly inRoot?: boolean;

  /** Whether it only says what it would delete. @default false */
  readonly dryRun?: boolean;

  /** Image with Python 3. @default docker.io/library/python:3.13.9-alpine3.22 */
  readonly image?: string;

  /** Who the cleanup is. A bucket has to be granted to it. @default - the namespace's default */
  readonly serviceAccount?: IServiceAccount;

  /** Longest time of one cleanup. @default Duration.hours(6) */
  readonly deadline?: Duration;
}
