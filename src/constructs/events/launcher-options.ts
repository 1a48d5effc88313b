import type * as kplus from 'cdk8s-plus-28';
import type { TrainingJobProps } from '../training-job/training-job-props';
import type { Toleration } from '../training-job/pods/toleration';

/** Options of the launcher, a program in a pod that starts training jobs. */
export interface LauncherOptions extends kplus.ResourceProps {
  /** The job to start, on any engine. Its name is that of the construct with a dash and twelve characters appended. */
  readonly job: TrainingJobProps;

  /**
   * Image of the launcher: Python 3.9 or later. The program itself is in the manifest.
   * @default docker.io/library/python:3.13.9-alpine3.22
   */
  readonly launcherImage?: string;

  /**
   * Service account of the launcher, for access to queues of a cloud. It gets permission to create the jobs, and what else it needs.
   * @default - a service account of its own
   */
  readonly launcherServiceAccount?: kplus.IServiceAccount;

  /** Registry credentials for pulling the launcher's image. @default - the service account's */
  readonly launcherImagePullSecrets?: kplus.ISecret[];

  /** Labels of the nodes that the launcher may run on. @default - any node */
  readonly launcherNodeSelector?: { readonly [label: string]: string };

  /** Taints that the launcher tolerates. @default - none */
  readonly launcherTolerations?: Toleration[];
}
