/** Settings of the Ray engine. */

/** What submits the driver. `K8sJobMode`: a Job. `SidecarMode`: a container of the head. `HTTPMode`: KubeRay, without a pod. */
export type RaySubmissionMode = 'K8sJobMode' | 'SidecarMode' | 'HTTPMode';

/** Value of KubeRay's flag `--batch-scheduler`. */
export type RayBatchScheduler = 'volcano' | 'yunikorn' | 'kai-scheduler' | 'scheduler-plugins';

/** The head's pod: the cluster's control plane, and the job's driver. It runs no replica. */
export interface RayHeadSettings {
  /** Image with the same Ray and Python as the job's. @default - the image of the job's first role */
  readonly image?: string;
  /** @default 1 */
  readonly cpu?: string;
  /** @default 4Gi */
  readonly memory?: string;
  /** @default - any node whose taints the job tolerates */
  readonly nodeSelector?: { readonly [label: string]: string };
}

export interface RayEngineSettings {
  readonly head?: RayHeadSettings;
  /** @default K8sJobMode */
  readonly submissionMode?: RaySubmissionMode;
  /** Version of Ray in the images, such as `2.52.0`. @default - not set in the RayJob */
  readonly rayVersion?: string;
  /** Whether Ray requires a token for each connection. Needs {@link rayVersion} 2.52 or later. @default false */
  readonly tokenAuthentication?: boolean;
  /** @default - KubeRay creates no gangs */
  readonly batchScheduler?: RayBatchScheduler;
  /** How often KubeRay restarts a job on a new cluster after its head was lost or the driver has failed the job. @default 0 */
  readonly clusterRetries?: number;
}

/** Requests and limits of the head. */
export const HEAD_DEFAULTS = { cpu: '1', memory: '4Gi' } as const;
