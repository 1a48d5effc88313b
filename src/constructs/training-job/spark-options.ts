/**
 * The driver of a Spark application, which starts the job's programs. No replica runs there.
 */
export interface SparkDriverOptions {
  /**
   * Service account with the right to make executors.
   *
   * @default spark-operator-spark - what the operator's chart makes
   */
  readonly serviceAccountName?: string;

  /**
   * Cores, such as `2` or `500m`.
   *
   * @default 1
   */
  readonly cpu?: string;

  /**
   * Memory, such as `4Gi`.
   *
   * @default 2Gi
   */
  readonly memory?: string;

  /**
   * Labels of the nodes that it may be on: not spot nodes, because a job does not outlive its driver.
   *
   * @default - any node whose taints the job tolerates
   */
  readonly nodeSelector?: { [label: string]: string };
}

/**
 * Options of `Engine.spark`.
 */
export interface SparkEngineOptions {
  /**
   * Version of Spark in the images.
   *
   * @default 4.0.1
   */
  readonly sparkVersion?: string;

  /**
   * The driver.
   *
   * @default - one core and 2 GiB
   */
  readonly driver?: SparkDriverOptions;

  /**
   * Whether Kueue's integration of `SparkApplication`, which is behind an alpha gate, is switched on. Needed for jobs in a queue.
   *
   * @default false
   */
  readonly kueue?: boolean;

  /**
   * How often the operator starts a job anew, when its driver was lost or has given the job up. Restarts of replicas are the run policy's matter.
   *
   * @default 0
   */
  readonly applicationRetries?: number;
}
