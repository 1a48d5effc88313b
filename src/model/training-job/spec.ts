/**
 * The training job as it stands in `MLTrainingJob.spec`: the one domain type. Constructs produce it, the operator and the local
 * runner read it, other engines are rendered from it. A strict superset of the blog's schema. All fields are optional here that the
 * CRD's schema gives a default or that a short form leaves out; `resolve.ts` fills them in.
 */
import type { ArraySpec } from './array';
import type { CodeSpec } from './code';
import type { AutoTuningSpec, CheckpointSpec, DebugSpec, ElasticSpec, IdleSpec, PreflightSpec } from './fields/features';
import type { HelperSpec } from './replicas/helpers';
import type { RestartPolicy, RunPolicySpec } from './run-policy';
import type { SchedulingSpec } from './scheduling';
import type { SecuritySpec } from './security';

/** Frameworks whose contract the model knows, as they are spelled in `spec.framework`. */
export const FRAMEWORK_NAMES = [
  'pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'mpi', 'horovod', 'deepspeed', 'paddle', 'plain',
] as const;

/** One of {@link FRAMEWORK_NAMES}. */
export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];

/** Most replicas that one job may have, all roles together. */
export const MAX_REPLICAS = 10_000;

/** Most roles of a job: the status has an entry for each. */
export const MAX_ROLES = 16;

/** `MLTrainingJob.spec`. */
export interface TrainingJobSpec {
  /** Which environment contract the replicas get. */
  readonly framework: FrameworkName;

  /** Image of the `training` container, for every role that does not name its own. */
  readonly image: string;

  /**
   * Short form: how many replicas train. The framework decides which roles they have (for PyTorch one master and `replicas - 1`
   * workers). Exactly one of `replicas` and `roles` is given.
   */
  readonly replicas?: number;

  /** Long form: the roles, each with its own count, image, resources and template. */
  readonly roles?: readonly RoleSpec[];

  /** Roles that start beside those that train, with programs of their own, and are ended when these have succeeded. */
  readonly helpers?: readonly HelperSpec[];

  /** Entry point of the `training` container. @default - the image's */
  readonly command?: readonly string[];

  /** Arguments of the entry point. @default - the image's */
  readonly args?: readonly string[];

  /** Files of the program that are unpacked beside the image. @default - the image has all of it */
  readonly code?: CodeSpec;

  /** Working directory. @default - the folder of `code`, else the image's */
  readonly workingDir?: string;

  /** Environment of the `training` container on all roles. Names that the framework's contract sets are refused. */
  readonly env?: readonly EnvVarSpec[];

  /** Compute of each replica. @default - none asked for */
  readonly resources?: ResourcesSpec;

  /** Values that a script reads from its environment under their own names, and all together as JSON in `TRAINYARD_HYPERPARAMETERS`. */
  readonly hyperparameters?: { readonly [name: string]: string };

  /** Where checkpoints go, a path or a URL such as `s3://bucket/run`. Given to the script as `CHECKPOINT_PATH`. */
  readonly checkpointPath?: string;

  /** Everything else about checkpoints. */
  readonly checkpoint?: CheckpointSpec;

  /**
   * Processes that the launcher starts on each replica: a number, `auto` (all GPUs, else all CPUs), `gpu` or `cpu`. For MPI the slots per
   * worker. @default - the number of GPUs; without GPUs the CPUs for PyTorch and 1 for MPI
   */
  readonly nprocPerNode?: number | string;

  /** Port on which replicas meet (`MASTER_PORT`). @default 29500 */
  readonly port?: number;

  /** Pod template that every replica's pod is built on: volumes, sidecars, security context and so on. */
  readonly template?: PodTemplateSpec;

  /** Restarts, deadlines, clean-up. */
  readonly runPolicy?: RunPolicySpec;

  /** Queue, gang, priority and placement. */
  readonly scheduling?: SchedulingSpec;

  /** Range in which the number of replicas may change while the job runs. */
  readonly elastic?: ElasticSpec;

  /** Hyperparameter search over this job; the blog's block and more. */
  readonly autoTuning?: AutoTuningSpec;

  /** Copies of this job that differ in their index alone. */
  readonly array?: ArraySpec;

  /** Checks before training starts. */
  readonly preflight?: PreflightSpec;

  /** Debug presets and stack dumps. */
  readonly debug?: DebugSpec;

  /** What the pods may do, and whom they talk to. */
  readonly security?: SecuritySpec;

  /** Whether commands run below an init, which is process 1 of the container and passes signals on. @default false */
  readonly init?: boolean;

  /** What to do with a job that does not use its accelerators. */
  readonly idle?: IdleSpec;

  /** Whether the job's pods are removed and kept away until it is set to false. @default false */
  readonly suspend?: boolean;

  /**
   * Controller that acts on the job; any other value than the default makes this operator leave it alone.
   * @default `ml.collabnix.io/trainyard-operator`
   */
  readonly managedBy?: string;
}

/** One role of the long form. */
export interface RoleSpec {
  /** Name of the role, as the framework spells it: `master`, `worker`, `chief`, `ps`, `evaluator`, `launcher`, `scheduler`, `server`. */
  readonly name: string;

  /** Number of replicas. @default 1 */
  readonly replicas?: number;

  /** @default - the job's image */
  readonly image?: string;

  /** @default - the job's command; on workers of MPI an ssh server */
  readonly command?: readonly string[];

  /** @default - the job's arguments */
  readonly args?: readonly string[];

  /** Added to the job's environment; a name that stands in both has the role's value. */
  readonly env?: readonly EnvVarSpec[];

  /**
   * Replaces the job's resources as a whole.
   * @default - the job's, without its devices on roles that do not compute (ps, scheduler, server); a launcher (MPI, Horovod, DeepSpeed) gets 1 cpu
   * and 2Gi of memory
   */
  readonly resources?: ResourcesSpec;

  /** Merged over the job's template. */
  readonly template?: PodTemplateSpec;

  /** @default - the run policy's */
  readonly restartPolicy?: RestartPolicy;
}

/** Compute of one replica. CPU, memory and ephemeral storage are set as request and as limit. */
export interface ResourcesSpec {
  /** Number of GPUs, as limit of {@link gpuResourceName}. @default 0 */
  readonly gpu?: number;

  /** Extended resource that `gpu` counts: another vendor's (`amd.com/gpu`) or a MIG slice (`nvidia.com/mig-1g.5gb`). @default `nvidia.com/gpu` */
  readonly gpuResourceName?: string;

  /** Number of TPU chips (`google.com/tpu`). Not together with `gpu`. @default 0 */
  readonly tpu?: number;

  /** Cores, such as `4` or `500m`. */
  readonly cpu?: string;

  /** Bytes, such as `16Gi`. */
  readonly memory?: string;

  /** Bytes of the node's disk. */
  readonly ephemeralStorage?: string;

  /**
   * Size of `/dev/shm`, which data loaders share batches through. Counts against `memory`. `0`: no volume, and the runtime's 64 MiB.
   * @default - with whole GPUs 8 GiB for each, and at most half of `memory`; else the runtime's 64 MiB
   */
  readonly sharedMemory?: string;

  /** Any other extended resource, such as `rdma/hca: "8"`, as limit. */
  readonly extended?: { readonly [resourceName: string]: string };
}

/** Environment variable, as in a container. */
export interface EnvVarSpec {
  readonly name: string;
  readonly value?: string;
  /** A Kubernetes `EnvVarSource`. */
  readonly valueFrom?: { readonly [source: string]: unknown };
}

/** The part of a Kubernetes pod template that the operator reads; everything else is carried through as it is. */
export interface PodTemplateSpec {
  readonly metadata?: {
    readonly labels?: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec?: { readonly [field: string]: unknown };
}
