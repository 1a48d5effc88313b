import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { TopologyMode } from '../generated/scheduling';

/** Options of `Engine.job`. */
export interface JobEngineOptions {
  /**
   * Whether each replica has `runPolicy.backoffLimit` restarts of its own, and finds their number in `TRAINYARD_ATTEMPT`.
   * @default false - the limit is for all replicas together, and a replica is not told
   */
  readonly retryPerReplica?: boolean;
}

/** What a role of a JobSet waits for. */
export enum JobSetDependencyStatus {
  /** All pods of the other role are ready. */
  READY = 'Ready',
  /** All pods of the other role have ended well. */
  COMPLETE = 'Complete',
}

/** A role of a JobSet that starts after another one. */
export interface JobSetDependency {
  /** Name of the role that waits. */
  readonly role: string;
  /** Name of the role that it waits for. */
  readonly on: string;
  /** What it waits for. @default JobSetDependencyStatus.READY */
  readonly status?: JobSetDependencyStatus;
}

/** Options of `Engine.jobSet`. */
export interface JobSetEngineOptions {
  /** Roles that wait for others. @default - all roles start together */
  readonly dependsOn?: JobSetDependency[];

  /**
   * Key of a node label, such as `cloud.google.com/gke-nodepool`: the pods of each child Job share one domain of it, and have it for themselves.
   * @default - pods may be anywhere
   */
  readonly exclusiveTopology?: string;

  /**
   * Whether each role is one child Job whatever its ranks are. Where a rank is not the index in the role, a shell computes it before the command
   * starts, so that the job has to give the command and the image needs `/bin/sh`.
   * @default - false: replicas whose ranks JobSet itself can count are child Jobs of their own; true with `exclusiveTopology`
   */
  readonly jobPerRole?: boolean;

  /**
   * Name of a Secret with the keys `ssh-privatekey` and `ssh-publickey`, with which the launcher of an MPI job reaches its workers.
   * @default - none, and no jobs of MPI, Horovod and DeepSpeed
   */
  readonly sshSecretName?: string;
}

/**
 * How close the pods of a job have to be in the network, in tiers of Volcano's HyperNodes. Give the highest tier by its number or by its name.
 */
export interface VolcanoNetworkTopology {
  /** What happens where there is no such place. @default TopologyMode.REQUIRED */
  readonly mode?: TopologyMode;
  /** Number of the highest tier that the pods may be spread over. @default - any */
  readonly highestTierAllowed?: number;
  /** Name of the highest tier that the pods may be spread over. @default - any */
  readonly highestTierName?: string;
}

/** Options of `Engine.volcano`. */
export interface VolcanoEngineOptions {
  /** Queue of Volcano for jobs that name none (`Gang.volcano({ queue })`). @default default */
  readonly queue?: string;
  /** How close the pods have to be in the network. @default - anywhere */
  readonly networkTopology?: VolcanoNetworkTopology;
}

/** Kinds of runtimes that a TrainJob can refer to. */
export enum TrainerRuntimeKind {
  /** A runtime for all namespaces, such as those that come with Kubeflow Trainer. */
  CLUSTER_TRAINING_RUNTIME = 'ClusterTrainingRuntime',
  /** A runtime in the job's namespace. */
  TRAINING_RUNTIME = 'TrainingRuntime',
}

/** Settings of `Engine.trainer`. */
export interface TrainerEngineOptions {
  /**
   * A runtime that exists, such as `torch-distributed`. What a TrainJob and its runtimePatches cannot say (restarts, sidecars, priority) is then an
   * error, because the runtime says it.
   * @default - each job has a TrainingRuntime of its own, which says all of it
   */
  readonly runtime?: string;

  /** Kind of `runtime`. @default TrainerRuntimeKind.CLUSTER_TRAINING_RUNTIME */
  readonly runtimeKind?: TrainerRuntimeKind;

  /**
   * Whether Flux starts the processes on all nodes: of a plain job its command, of an MPI job the program itself, without mpirun.
   * @default false
   */
  readonly flux?: boolean;
}

/** Settings of `Engine.trainingOperatorV1`. */
export interface TrainingOperatorV1EngineOptions {
  /**
   * What the operator was started with as `--gang-scheduler-name`: `volcano`, or the name of a scheduler with the Coscheduling plugin. Needed for
   * jobs with a gang, because without the flag the operator makes none.
   * @default - nothing: jobs cannot be gangs
   */
  readonly gangScheduler?: string;
}

/** The driver of a Spark application, which starts the job's programs. No replica runs there. */
export interface SparkDriverOptions {
  /**
   * Service account of the driver. It needs the right to create executors: the `serviceAccount` of a `SparkIdentity` has it. The job's own
   * `serviceAccount` is that of the executors, in which the training script runs.
   * @default - a service account `NAME-spark`, with a Role and a RoleBinding, is created for the job
   */
  readonly serviceAccountName?: string;

  /** Cores. @default Cpu.units(1) */
  readonly cpu?: Cpu;

  /** Memory. @default Size.gibibytes(2) */
  readonly memory?: Size;

  /**
   * Labels of the nodes that it may be on: not spot nodes, because a job does not outlive its driver.
   * @default - any node whose taints the job tolerates
   */
  readonly nodeSelector?: { [label: string]: string };
}

/** Options of `Engine.spark`. */
export interface SparkEngineOptions {
  /** Version of Spark in the images. @default 4.0.1 */
  readonly sparkVersion?: string;

  /** The driver. @default - one core and 2 GiB */
  readonly driver?: SparkDriverOptions;

  /**
   * Whether Kueue's integration of `SparkApplication`, which is behind an alpha gate, is switched on. Needed for jobs in a queue.
   * @default false
   */
  readonly kueue?: boolean;

  /**
   * How often the operator restarts a job after its driver was lost or has given the job up. Restarts of replicas are the run policy's matter.
   * @default 0
   */
  readonly applicationRetries?: number;
}
