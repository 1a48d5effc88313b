import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/**
 * The driver of a Spark application, which starts the job's programs. No replica runs there.
 */
export interface SparkDriverOptions {
  /**
   * Service account of the driver. It needs the right to create executors: the `serviceAccount` of a `SparkIdentity` has it. The job's own
   * `serviceAccount` is that of the executors, in which the training script runs.
   *
   * @default - a service account `NAME-spark`, with a Role and a RoleBinding, is created for the job
   */
  readonly serviceAccountName?: string;

  /**
   * Cores.
   *
   * @default Cpu.units(1)
   */
  readonly cpu?: Cpu;

  /**
   * Memory.
   *
   * @default Size.gibibytes(2)
   */
  readonly memory?: Size;

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
   * How often the operator restarts a job after its driver was lost or has given the job up. Restarts of replicas are the run policy's matter.
   *
   * @default 0
   */
  readonly applicationRetries?: number;
}
