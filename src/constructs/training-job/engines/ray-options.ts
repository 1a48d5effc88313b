import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/** How the driver of a RayJob is submitted. */
export enum RaySubmissionMode {
  /** By a Job, whose log is the job's. */
  K8S_JOB = 'K8sJobMode',
  /** By a container in the head's pod: no additional pod. */
  SIDECAR = 'SidecarMode',
  /** By KubeRay itself, without a pod: the job's log is only in the head's files. */
  HTTP = 'HTTPMode',
}

/** Value of KubeRay's flag `--batch-scheduler`. */
export enum RayBatchScheduler {
  /** Volcano. */
  VOLCANO = 'volcano',
  /** Apache YuniKorn. */
  YUNIKORN = 'yunikorn',
  /** KAI. */
  KAI = 'kai-scheduler',
  /** The Coscheduling plugin of scheduler-plugins. */
  SCHEDULER_PLUGINS = 'scheduler-plugins',
}

/**
 * The head of a Ray cluster: its control plane, and the driver that starts the job's programs. No replica runs in it.
 */
export interface RayHeadOptions {
  /** Image, with the same versions of Ray and Python as the job's. @default - the image of the job's first role */
  readonly image?: string;

  /** Cores. @default Cpu.units(1) */
  readonly cpu?: Cpu;

  /** Memory. @default Size.gibibytes(4) */
  readonly memory?: Size;

  /**
   * Labels of the nodes that it may run on. Avoid spot nodes: the job fails when it loses its head.
   * @default - any node whose taints the job tolerates
   */
  readonly nodeSelector?: { [label: string]: string };
}

/** Options of `Engine.ray`. */
export interface RayEngineOptions {
  /** The head. @default - one core and 4 GiB, with the job's image */
  readonly head?: RayHeadOptions;

  /** How the driver is submitted. @default RaySubmissionMode.K8S_JOB */
  readonly submissionMode?: RaySubmissionMode;

  /** Version of Ray in the images, such as `2.52.0`. @default - `rayVersion` of the RayJob is not set */
  readonly rayVersion?: string;

  /**
   * Whether all of Ray's endpoints require a token. Needs `rayVersion` 2.52 or later.
   * @default false - anything that can connect to the head can run programs on the cluster
   */
  readonly tokenAuthentication?: boolean;

  /**
   * Value of KubeRay's flag `--batch-scheduler`. Required for jobs with a gang.
   * @default - none: jobs cannot be gangs
   */
  readonly batchScheduler?: RayBatchScheduler;

  /**
   * How often KubeRay restarts a job on a new cluster after its head was lost or its driver has failed. Restarts of replicas are in `runPolicy` and
   * need no new cluster.
   * @default 0
   */
  readonly clusterRetries?: number;
}
