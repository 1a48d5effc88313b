import type * as kplus from 'cdk8s-plus-28';
import type { TrainingJobProps } from '../training-job/training-job-props';
import type { Toleration } from '../training-job/pods/toleration';

/** What starts training jobs is a program in a pod: the launcher. What it is like. */
export interface LauncherOptions extends kplus.ResourceProps {
  /** The job that is started, on any engine. Its name is that of what starts it, with twelve characters behind it. */
  readonly job: TrainingJobProps;

  /**
   * Image of the launcher: Python 3.9 or later. The program comes with the manifest.
   * @default docker.io/library/python:3.13.9-alpine3.22
   */
  readonly launcherImage?: string;

  /**
   * Who the launcher is, for queues of a cloud. It gets the right to create the jobs, and what else it needs.
   * @default - a service account of its own
   */
  readonly launcherServiceAccount?: kplus.IServiceAccount;

  /** Registry credentials that the launcher's image is pulled with. @default - the service account's */
  readonly launcherImagePullSecrets?: kplus.ISecret[];

  /** Labels of the nodes that the launcher may be on. @default - any node */
  readonly launcherNodeSelector?: { readonly [label: string]: string };

  /** Taints that the launcher tolerates. @default - none */
  readonly launcherTolerations?: Toleration[];
}
