import type { Duration } from 'cdk8s';
import type { RayClusterOptions } from './cluster/cluster-options';
import type { RayJobSubmissionMode } from './enums';
import type { IRayCluster } from './ray-cluster';
import type { RayRuntimeEnv } from './runtime-env';
import type { TrainingResources } from '../training-job/pods/resources';

/** The pod that submits the program of a RayJob, in `RayJobSubmissionMode.K8S_JOB`. */
export interface RaySubmitter {
  /** Image, with Ray's command line. @default - the head's */
  readonly image?: string;
  /** Compute. @default - a tenth of a core and 256 MiB, 1 GiB at most */
  readonly resources?: TrainingResources;
  /** How often it is tried again to submit. @default 2 */
  readonly retries?: number;
  /** Further fields of the pod, as Kubernetes spells them. @default - none */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** What the program of a RayJob itself takes from the cluster, besides what its tasks and actors take. */
export interface RayEntrypointResources {
  /** Cores. With any, the program runs where they are and not on the head. @default - none */
  readonly cpus?: number;
  /** GPUs. @default - none */
  readonly gpus?: number;
  /** Resources with custom names, and how much of each. @default - none */
  readonly custom?: { readonly [name: string]: number };
}

/** A program on a Ray cluster: a RayJob, or the job of a RayCronJob. */
export interface RayJobOptions {
  /**
   * Command that runs on the cluster, such as `python train.py`. Required but in `RayJobSubmissionMode.INTERACTIVE`.
   * @default - none
   */
  readonly entrypoint?: string;

  /** Cluster that is created for the job. Either this or `onCluster`. @default - none */
  readonly cluster?: RayClusterOptions;

  /** Cluster that the job is sent to. @default - none */
  readonly onCluster?: IRayCluster;

  /** How the program reaches the cluster. @default RayJobSubmissionMode.K8S_JOB */
  readonly submissionMode?: RayJobSubmissionMode;

  /** Environment that Ray makes for the program. @default - the image's */
  readonly runtimeEnv?: RayRuntimeEnv;

  /** What the program itself takes from the cluster. @default - nothing; it runs on the head */
  readonly entrypointResources?: RayEntrypointResources;

  /** How often the job is started again when it fails, each time on a new cluster. @default 0 */
  readonly retries?: number;

  /** How long the job may take in all, retries included. @default - as long as it takes */
  readonly activeDeadline?: Duration;

  /**
   * How long it may take until the program runs: for pods to find nodes, for images to be pulled.
   * @default - as long as it takes
   */
  readonly preRunningDeadline?: Duration;

  /**
   * Whether the cluster goes when the job has ended.
   * @default - true for a cluster of the job's own without `deletionRules`
   */
  readonly shutdownAfterJobFinishes?: boolean;

  /**
   * How long the cluster stays after the end of the job, with all its devices. Only with `shutdownAfterJobFinishes`.
   * @default - not at all
   */
  readonly ttlAfterFinished?: Duration;

  /** What goes, at which end, and when. Instead of `shutdownAfterJobFinishes`. @default - none */
  readonly deletionRules?: RayDeletionRule[];

  /** The pod that submits. @default - KubeRay's */
  readonly submitter?: RaySubmitter;

  /** Id of the job in Ray. @default - KubeRay makes one */
  readonly jobId?: string;

  /** Texts that Ray keeps with the job, for its dashboard. @default - none */
  readonly jobMetadata?: { readonly [name: string]: string };
}

/** What goes when a RayJob has ended. */
export enum RayDeletionPolicy {
  /** The workers; head and logs stay. Not with an autoscaler. */
  WORKERS = 'DeleteWorkers',
  /** The cluster. */
  CLUSTER = 'DeleteCluster',
  /** The RayJob, and with it everything. */
  JOB = 'DeleteSelf',
  /** Nothing. */
  NONE = 'DeleteNone',
}

/** How a RayJob can end. */
export enum RayJobEnd {
  /** The program succeeded. */
  SUCCEEDED = 'SUCCEEDED',
  /** The program failed. */
  FAILED = 'FAILED',
  /** KubeRay has given the job up, whether or not the program ever ran: a deadline, a cluster that did not come. */
  GIVEN_UP = 'DeploymentFailed',
}

/** One rule of what goes, at which end, and when. */
export interface RayDeletionRule {
  /** What goes. */
  readonly policy: RayDeletionPolicy;
  /** At which end. */
  readonly end: RayJobEnd;
  /** How long after it. @default - at once */
  readonly after?: Duration;
}
