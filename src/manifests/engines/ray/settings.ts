/** Settings of the Ray engine. */

/** How the driver is submitted. `K8sJobMode`: by a Job. `SidecarMode`: by a container of the head. `HTTPMode`: by KubeRay, without a pod. */
export type RaySubmissionMode = 'K8sJobMode' | 'SidecarMode' | 'HTTPMode';

/** What KubeRay was started with as `--batch-scheduler`. */
export type RayBatchScheduler = 'volcano' | 'yunikorn' | 'kai-scheduler' | 'scheduler-plugins';

/** The head's pod: the cluster's control plane, and the job's driver. It runs no replica. */
export interface RayHeadSettings {
  /** With the same Ray and the same Python as the job's. @default - the image of the job's first role */
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
  /** Version of Ray in the images, such as `2.52.0`. @default - not told to KubeRay */
  readonly rayVersion?: string;
  /** Whether Ray asks for a token wherever it is reached. Needs {@link rayVersion} 2.52 or later. @default false */
  readonly tokenAuthentication?: boolean;
  /** @default - KubeRay makes no gangs */
  readonly batchScheduler?: RayBatchScheduler;
  /** How often KubeRay starts a job anew on a new cluster when its head was lost or the driver has given the job up. @default 0 */
  readonly clusterRetries?: number;
}

/** Requests and limits of the head. */
export const HEAD_DEFAULTS = { cpu: '1', memory: '4Gi' } as const;
