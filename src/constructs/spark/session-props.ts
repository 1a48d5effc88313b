import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { SparkEventLog } from './history-server';
import type { SparkExecutorPods } from './spark-pods';

/** A number of executors that follows the work. */
export interface SparkDynamicAllocation {
  /** Executors to begin with. @default - `minExecutors` */
  readonly initialExecutors?: number;

  /** Fewest executors. @default 0 */
  readonly minExecutors?: number;

  /** Most executors. @default - no limit */
  readonly maxExecutors?: number;

  /**
   * Whether executors stay as long as others need what they have shuffled. Without it Spark needs another way to keep that, such as
   * `spark.decommission.enabled`.
   * @default true
   */
  readonly shuffleTracking?: boolean;

  /** How long an executor stays at most because of what it has shuffled. @default - until it is needed no longer */
  readonly shuffleTrackingTimeout?: Duration;
}

/** When an application is started again. */
export enum SparkRestartPolicy {
  /** Never. */
  NEVER = 'Never',
  /** When it has failed. */
  ON_FAILURE = 'OnFailure',
  /** Whenever it has ended. */
  ALWAYS = 'Always',
}

/** How an application is started again. */
export interface SparkRestart {
  /** When. */
  readonly policy: SparkRestartPolicy;

  /** Most restarts after a failure. Only with `SparkRestartPolicy.ON_FAILURE`. @default - none */
  readonly failureRetries?: number;

  /** Time before a restart after a failure; the operator waits longer each time. @default Duration.seconds(5) */
  readonly failureRetryInterval?: Duration;

  /**
   * Most restarts after `spark-submit` itself has failed. Only with `SparkRestartPolicy.ON_FAILURE`.
   * @default - none
   */
  readonly submissionRetries?: number;

  /** Time before `spark-submit` is tried again. @default Duration.seconds(5) */
  readonly submissionRetryInterval?: Duration;
}

/** What applications and Spark Connect servers have in common. */
export interface SparkSessionProps extends kplus.ResourceProps {
  /** Image of driver and executors, such as `docker.io/library/spark:4.0.1-python3`. */
  readonly image: string;

  /** Version of Spark in the image, 3.0.0 or later. @default 4.0.1 */
  readonly sparkVersion?: string;

  /** The executors. @default - one, with a core and 1 GiB of heap */
  readonly executor?: SparkExecutorPods;

  /** A number of executors that follows the work. @default - `executor.instances` */
  readonly dynamicAllocation?: SparkDynamicAllocation;

  /** Settings of Spark. What has a property of its own is refused here. @default - Spark's defaults */
  readonly sparkConf?: { readonly [name: string]: string };

  /** Settings of Hadoop, without the prefix `spark.hadoop.`. @default - Hadoop's defaults */
  readonly hadoopConf?: { readonly [name: string]: string };

  /**
   * Who the driver is. It needs the right to make executors: `SparkIdentity` makes such an account.
   * @default - a `SparkIdentity` of its own
   */
  readonly serviceAccount?: kplus.IServiceAccount;

  /** Registry credentials that images are pulled with. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Folder of the driver's event log, for a `SparkHistoryServer`. @default - none */
  readonly eventLog?: SparkEventLog;
}
