import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { SparkEventLog } from './history-server';
import type { SparkExecutorPods } from './spark-pods';

/** Dynamic allocation: the number of executors depends on the load. */
export interface SparkDynamicAllocation {
  /** Initial number of executors. @default - `minExecutors` */
  readonly initialExecutors?: number;

  /** Minimum number of executors. @default 0 */
  readonly minExecutors?: number;

  /** Maximum number of executors. @default - no limit */
  readonly maxExecutors?: number;

  /**
   * Whether executors are kept as long as others need their shuffle data. Without it, Spark needs another way to keep the data, such as
   * `spark.decommission.enabled`.
   * @default true
   */
  readonly shuffleTracking?: boolean;

  /** How long an executor is kept at most for its shuffle data. @default - until the data is no longer needed */
  readonly shuffleTrackingTimeout?: Duration;
}

/** When an application is restarted. */
export enum SparkRestartPolicy {
  /** Never. */
  NEVER = 'Never',
  /** When it has failed. */
  ON_FAILURE = 'OnFailure',
  /** Whenever it has ended. */
  ALWAYS = 'Always',
}

/** How an application is restarted. */
export interface SparkRestart {
  /** When it is restarted. */
  readonly policy: SparkRestartPolicy;

  /** Maximum number of restarts after a failure. Only with `SparkRestartPolicy.ON_FAILURE`. @default - none */
  readonly failureRetries?: number;

  /** Time before a restart after a failure; the operator waits longer each time. @default Duration.seconds(5) */
  readonly failureRetryInterval?: Duration;

  /**
   * Maximum number of restarts after `spark-submit` itself has failed. Only with `SparkRestartPolicy.ON_FAILURE`.
   * @default - none
   */
  readonly submissionRetries?: number;

  /** Time before `spark-submit` is retried. @default Duration.seconds(5) */
  readonly submissionRetryInterval?: Duration;
}

/** Properties of applications and Spark Connect servers. */
export interface SparkSessionProps extends kplus.ResourceProps {
  /** Image of driver and executors, such as `docker.io/library/spark:4.0.1-python3`. */
  readonly image: string;

  /** Version of Spark in the image, 3.0.0 or later. @default 4.0.1 */
  readonly sparkVersion?: string;

  /** The executors. @default - one, with a core and 1 GiB of heap */
  readonly executor?: SparkExecutorPods;

  /** Dynamic allocation of executors. @default - a fixed number, `executor.instances` */
  readonly dynamicAllocation?: SparkDynamicAllocation;

  /** Spark settings. Settings that have their own property are rejected. @default - Spark's defaults */
  readonly sparkConf?: { readonly [name: string]: string };

  /** Hadoop settings, without the prefix `spark.hadoop.`. @default - Hadoop's defaults */
  readonly hadoopConf?: { readonly [name: string]: string };

  /**
   * Service account of the driver. It needs permission to create executors: `SparkIdentity` creates such an account.
   * @default - a `SparkIdentity` of its own
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials for pulling images. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Folder of the driver's event log, for a `SparkHistoryServer`. @default - none */
  readonly eventLog?: SparkEventLog;
}
