/** Settings of the Spark engine. */

/** The driver's pod: Spark's own, and what starts the job's programs. It runs no replica. */
export interface SparkDriverSettings {
  /** Service account that may create executors. @default - one for the job, with a Role and its binding */
  readonly serviceAccountName?: string;

  /** @default 1 */
  readonly cpu?: string;

  /** @default 2Gi */
  readonly memory?: string;

  /** @default - any node whose taints the job tolerates */
  readonly nodeSelector?: { readonly [label: string]: string };
}

/** Settings of the engine. */
export interface SparkEngineSettings {
  /** Version of Spark in the images. @default 4.0.1 */
  readonly sparkVersion?: string;

  readonly driver?: SparkDriverSettings;

  /** Whether Kueue's integration of SparkApplication, an alpha gate of it, is switched on. @default false */
  readonly kueue?: boolean;

  /** How often the operator starts a job anew when its driver was lost or has given the job up. @default 0 */
  readonly applicationRetries?: number;
}

/** Service account that the operator's chart creates for drivers, in the namespaces that it is told of. */
export const CHART_ACCOUNT = 'spark-operator-spark';

/** Container of the driver. */
export const DRIVER_DEFAULTS = { cpu: '1', memory: '2Gi' } as const;

/** Heap of an executor's JVM, which only carries the job's program: MiB. */
export const EXECUTOR_HEAP_MIB = 512;

/** Least memory of a replica, MiB: the JVM's heap, and as much for the rest. */
export const EXECUTOR_MIN_MIB = 1024;
