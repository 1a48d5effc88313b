/**
 * A RayJob in our terms: a program, and the cluster that is made for it or that it is sent to.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/rayjob_types.go
 */
import type { RuntimeEnvSpec } from './runtime-env';
import type { Fields, RayClusterSpec, RayQueueSpec, Texts } from './spec';
import type { ResourcesSpec } from '../training-job/spec';

export type RayJobSubmissionMode = 'K8sJobMode' | 'SidecarMode' | 'HTTPMode' | 'InteractiveMode';

/** What goes when a job has ended. */
export type RayDeletionPolicy = 'DeleteWorkers' | 'DeleteCluster' | 'DeleteSelf' | 'DeleteNone';

/** How a job can end: its program well or not, or the job before the program could. */
export type RayJobEnd = 'SUCCEEDED' | 'FAILED' | 'DeploymentFailed';

export interface RayDeletionRuleSpec {
  readonly policy: RayDeletionPolicy;
  readonly end: RayJobEnd;
  readonly ttlSeconds: number;
}

export interface RaySubmitterSpec {
  readonly image?: string;
  readonly resources?: ResourcesSpec;
  readonly backoffLimit?: number;
  readonly podSpec?: Fields;
}

/** What the program itself takes from the cluster. */
export interface EntrypointResourcesSpec {
  readonly cpus?: number;
  readonly gpus?: number;
  readonly custom?: { readonly [name: string]: number };
}

/** `RayJob.spec` in our terms. */
export interface RayJobSpec {
  readonly entrypoint?: string;
  readonly submissionMode: RayJobSubmissionMode;
  /** Exactly one of the two. */
  readonly cluster?: RayClusterSpec;
  readonly clusterName?: string;
  readonly runtimeEnv?: RuntimeEnvSpec;
  readonly entrypointResources?: EntrypointResourcesSpec;
  readonly jobId?: string;
  readonly jobMetadata?: Texts;
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly preRunningDeadlineSeconds?: number;
  /** Undefined where rules decide. */
  readonly shutdownAfterJobFinishes?: boolean;
  readonly ttlSecondsAfterFinished?: number;
  readonly deletionRules?: readonly RayDeletionRuleSpec[];
  readonly submitter?: RaySubmitterSpec;
  readonly suspend?: boolean;
}

export interface NamedRayJob {
  readonly name: string;
  readonly spec: RayJobSpec;
  readonly queue?: RayQueueSpec;
  readonly annotations?: Texts;
}
