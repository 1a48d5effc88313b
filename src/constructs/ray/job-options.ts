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
  /** Compute. @default - requests a tenth of a core and 256 MiB, limit 1 GiB */
  readonly resources?: TrainingResources;
  /** How often submitting is retried. @default 2 */
  readonly retries?: number;
  /** Additional fields of the pod, as in Kubernetes. @default - none */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** Ray resources for the program of a RayJob itself, in addition to its tasks and actors. */
export interface RayEntrypointResources {
  /** Cores. If set, the program can run on a worker instead of the head. @default - none */
  readonly cpus?: number;
  /** GPUs. @default - none */
  readonly gpus?: number;
  /** Resources with custom names, and how much of each. @default - none */
  readonly custom?: { readonly [name: string]: number };
}

/** A program on a Ray cluster: a RayJob, or the job of a RayCronJob. */
export interface RayJobOptions {
  /**
   * Command that runs on the cluster, such as `python train.py`. Required, except in `RayJobSubmissionMode.INTERACTIVE`.
   * @default - none
   */
  readonly entrypoint?: string;

  /** Cluster that is created for the job. Either this or `onCluster`. @default - none */
  readonly cluster?: RayClusterOptions;

  /** Existing cluster for the job. @default - none */
  readonly onCluster?: IRayCluster;

  /** How the program is submitted. @default RayJobSubmissionMode.K8S_JOB */
  readonly submissionMode?: RayJobSubmissionMode;

  /** Ray's runtime environment for the program. @default - the image's */
  readonly runtimeEnv?: RayRuntimeEnv;

  /** Ray resources for the program itself. @default - none; it runs on the head */
  readonly entrypointResources?: RayEntrypointResources;

  /** How often a failed job is retried, each time on a new cluster. @default 0 */
  readonly retries?: number;

  /** How long the job may take, including retries. @default - no limit */
  readonly activeDeadline?: Duration;

  /**
   * How long it may take until the program runs, including scheduling pods and pulling images.
   * @default - no limit
   */
  readonly preRunningDeadline?: Duration;

  /**
   * Whether the cluster is deleted when the job has ended.
   * @default - true for a cluster of the job's own without `deletionRules`
   */
  readonly shutdownAfterJobFinishes?: boolean;

  /**
   * How long the cluster is kept after the end of the job, with all its devices. Only with `shutdownAfterJobFinishes`.
   * @default - it is deleted immediately
   */
  readonly ttlAfterFinished?: Duration;

  /** What is deleted after the end of the job, and when. Not together with `shutdownAfterJobFinishes`. @default - none */
  readonly deletionRules?: RayDeletionRule[];

  /** The pod that submits the program. @default - KubeRay's */
  readonly submitter?: RaySubmitter;

  /** Id of the job in Ray. @default - KubeRay generates one */
  readonly jobId?: string;

  /** Metadata of the job in Ray, for its dashboard. @default - none */
  readonly jobMetadata?: { readonly [name: string]: string };
}

/** What is deleted when a RayJob has ended. */
export enum RayDeletionPolicy {
  /** The workers; the head and logs are kept. Not with an autoscaler. */
  WORKERS = 'DeleteWorkers',
  /** The cluster. */
  CLUSTER = 'DeleteCluster',
  /** The RayJob, with its cluster. */
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
  /** KubeRay has aborted the job, whether or not the program ran: because of a deadline, or a cluster that did not start. */
  GIVEN_UP = 'DeploymentFailed',
}

/** A rule for deletion after the end of a RayJob. */
export interface RayDeletionRule {
  /** What is deleted. */
  readonly policy: RayDeletionPolicy;
  /** End of the job to which the rule applies. */
  readonly end: RayJobEnd;
  /** Time after the end. @default - immediately */
  readonly after?: Duration;
}
