import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';
import type { TopologyMode } from '../generated/scheduling';

/** Options of `Engine.job`. */
export interface JobEngineOptions {
  /**
   * Whether each replica has `runPolicy.backoffLimit` restarts of its own, and reads their number from `TRAINYARD_ATTEMPT`.
   * @default false - all replicas share the limit, and `TRAINYARD_ATTEMPT` is not set
   */
  readonly retryPerReplica?: boolean;
}

/** What a role of a JobSet waits for. */
export enum JobSetDependencyStatus {
  /** All pods of the other role are ready. */
  READY = 'Ready',
  /** All pods of the other role have succeeded. */
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
   * Key of a node label, such as `cloud.google.com/gke-nodepool`: the pods of each child Job get one domain of it for themselves.
   * @default - pods may be anywhere
   */
  readonly exclusiveTopology?: string;

  /**
   * Whether each role is one child Job, whatever its ranks are. If a rank differs from the index in the role, a shell computes it before the command
   * starts: the job then needs `command`, and the image needs `/bin/sh`.
   * @default - false: a role is split into child Jobs so that JobSet can number the ranks; true with `exclusiveTopology`
   */
  readonly jobPerRole?: boolean;

  /**
   * Name of a Secret with the keys `ssh-privatekey` and `ssh-publickey`, with which the launcher of an MPI job connects to its workers.
   * @default - none; MPI, Horovod and DeepSpeed jobs are then an error
   */
  readonly sshSecretName?: string;
}

/**
 * How close the pods of a job must be in the network, in tiers of Volcano's HyperNodes. Give the highest tier by number or by name.
 */
export interface VolcanoNetworkTopology {
  /** Whether the job waits or starts anyway if no such nodes are free. @default TopologyMode.REQUIRED */
  readonly mode?: TopologyMode;
  /** Number of the highest tier that the pods may be spread over. @default - any */
  readonly highestTierAllowed?: number;
  /** Name of the highest tier that the pods may be spread over. @default - any */
  readonly highestTierName?: string;
}

/** Options of `Engine.volcano`. */
export interface VolcanoEngineOptions {
  /** Volcano queue of jobs that do not name one (`Gang.volcano({ queue })`). @default default */
  readonly queue?: string;
  /** How close the pods must be in the network. @default - anywhere */
  readonly networkTopology?: VolcanoNetworkTopology;
}

/** Kinds of runtimes that a TrainJob can refer to. */
export enum TrainerRuntimeKind {
  /** A runtime for all namespaces, such as those that Kubeflow Trainer installs. */
  CLUSTER_TRAINING_RUNTIME = 'ClusterTrainingRuntime',
  /** A runtime in the job's namespace. */
  TRAINING_RUNTIME = 'TrainingRuntime',
}

/** Settings of `Engine.trainer`. */
export interface TrainerEngineOptions {
  /**
   * Name of an existing runtime, such as `torch-distributed`. Properties that a TrainJob and its runtimePatches do not have (restarts, sidecars,
   * priority) are then an error, because the runtime determines them.
   * @default - each job has a TrainingRuntime of its own, which supports them
   */
  readonly runtime?: string;

  /** Kind of `runtime`. @default TrainerRuntimeKind.CLUSTER_TRAINING_RUNTIME */
  readonly runtimeKind?: TrainerRuntimeKind;

  /**
   * Whether Flux starts the processes on all nodes: for a plain job its command, for an MPI job the program itself, without mpirun.
   * @default false
   */
  readonly flux?: boolean;
}

/** Settings of `Engine.trainingOperatorV1`. */
export interface TrainingOperatorV1EngineOptions {
  /**
   * Value of the operator's flag `--gang-scheduler-name`: `volcano`, or the name of a scheduler with the Coscheduling plugin. Required for jobs with
   * a gang, because without the flag the operator creates no PodGroup.
   * @default - none: jobs cannot be gangs
   */
  readonly gangScheduler?: string;
}

/** The driver of a Spark application, which starts the job's programs. No replica runs in it. */
export interface SparkDriverOptions {
  /**
   * Service account of the driver. It needs permission to create executors, which the `serviceAccount` of a `SparkIdentity` has. Executors, in which
   * the training script runs, have the job's own `serviceAccount`.
   * @default - a service account `NAME-spark`, with a Role and a RoleBinding, is created for the job
   */
  readonly serviceAccountName?: string;

  /** Cores. @default Cpu.units(1) */
  readonly cpu?: Cpu;

  /** Memory. @default Size.gibibytes(2) */
  readonly memory?: Size;

  /**
   * Labels of the nodes that it may run on. Avoid spot nodes: the job fails when it loses its driver.
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
   * Whether Kueue's integration of `SparkApplication`, which is behind an alpha feature gate, is enabled. Required for jobs in a queue.
   * @default false
   */
  readonly kueue?: boolean;

  /**
   * How often the operator restarts a job whose driver was lost or has failed. Restarts of replicas are in `runPolicy`.
   * @default 0
   */
  readonly applicationRetries?: number;
}
