import type { Size } from 'cdk8s';
import type { Cpu } from 'cdk8s-plus-28';

/** How the driver of a RayJob is submitted. */
export enum RaySubmissionMode {
  /** By a Job, whose log is the job's. */
  K8S_JOB = 'K8sJobMode',
  /** By a container of the head: no further pod. */
  SIDECAR = 'SidecarMode',
  /** By KubeRay itself, without a pod: the job's log is in the head's files only. */
  HTTP = 'HTTPMode',
}

/** What KubeRay was started with as `--batch-scheduler`. */
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
 * The head of a Ray cluster: its control plane, and the driver that starts the job's programs. No replica runs there.
 */
export interface RayHeadOptions {
  /** Image, with the same Ray and the same Python as the job's. @default - the image of the job's first role */
  readonly image?: string;

  /** Cores. @default Cpu.units(1) */
  readonly cpu?: Cpu;

  /** Memory. @default Size.gibibytes(4) */
  readonly memory?: Size;

  /**
   * Labels of the nodes that it may be on: not spot nodes, because a job does not outlive its head.
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

  /** Version of Ray in the images, such as `2.52.0`. @default - not told to KubeRay */
  readonly rayVersion?: string;

  /**
   * Whether Ray asks for a token wherever it is reached. Needs `rayVersion` 2.52 or later.
   * @default false - who reaches the head can run programs on the cluster
   */
  readonly tokenAuthentication?: boolean;

  /**
   * What KubeRay was started with as `--batch-scheduler`. Needed for jobs with a gang.
   * @default - nothing: jobs cannot be gangs
   */
  readonly batchScheduler?: RayBatchScheduler;

  /**
   * How often KubeRay starts a job anew on a new cluster, when its head was lost or its driver has given it up. Restarts of replicas are the run
   * policy's matter, and need no new cluster.
   * @default 0
   */
  readonly clusterRetries?: number;
}
