import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import type { CredentialUse } from '../../credentials/credential-use';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IEnvFrom, VolumeMount } from '../../training-job/pods/kplus-types';

/** What the head and the workers of a Ray cluster have in common. */
export interface RayPodOptions {
  /** Image with Ray, of the same release and the same Python as everywhere in the cluster. @default - the cluster's */
  readonly image?: string;

  /** Environment of Ray's container, besides the cluster's. @default - none more */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Tokens and keys that Ray's container gets, as variables or files. @default - none */
  readonly credentials?: CredentialUse[];

  /** ConfigMaps and Secrets whose keys become variables of Ray's container. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Compute of each pod. Ray counts by it what tasks and actors can take. @default - one core and 4 GiB */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each pod: resource, node selector, tolerations and variables of the network in one.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes that Ray's container mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate. Those of the resources that they ask for are tolerated already.
   * @default - none more
   */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's, or the one that makes the gang */
  readonly schedulerName?: string;

  /** Labels of the pods. @default - KubeRay's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - none */
  readonly podAnnotations?: { readonly [name: string]: string };

  /**
   * Further fields of the pod, as Kubernetes spells them: `affinity`, `initContainers`, sidecars in `containers` and so on.
   * @default - none
   */
  readonly podSpec?: { readonly [field: string]: unknown };

  /** Flags of `ray start` without their dashes, such as `object-store-memory`. @default - none */
  readonly startParams?: { readonly [flag: string]: string };

  /**
   * What Ray counts on each pod instead of what it is limited to: `CPU`, `GPU`, `memory`, or a custom name that tasks request.
   * @default - the limits of the container
   */
  readonly rayResources?: { readonly [name: string]: string };

  /** Labels of Ray's nodes, by which tasks choose them. @default - Ray's own */
  readonly rayLabels?: { readonly [name: string]: string };
}

/** The pod with Ray's control plane. */
export interface RayHead extends RayPodOptions {
  /**
   * Whether tasks and actors run there too. Large clusters keep them away, so that the control plane has the pod for itself.
   * @default true
   */
  readonly runsTasks?: boolean;

  /**
   * Type of the Service in front of the head. It has all of the head's ports: who reaches them can run programs, unless there is `authentication`. To
   * show the dashboard alone, use `dashboardIngress` or `RayCluster.exposeDashboard`.
   * @default - ClusterIP
   */
  readonly serviceType?: kplus.ServiceType;

  /** Annotations of that Service. @default - none */
  readonly serviceAnnotations?: { readonly [name: string]: string };
}

/** Workers of one kind. */
export interface RayWorkerGroup extends RayPodOptions {
  /** Name of the group. */
  readonly name: string;

  /** How many replicas; of how many pods each, `hosts` says. @default - 1; with an autoscaler what it decides */
  readonly replicas?: number;

  /** Fewest replicas. Only with an autoscaler. @default 0 */
  readonly minReplicas?: number;

  /** Most replicas. Required with an autoscaler, and only there. @default - `replicas` */
  readonly maxReplicas?: number;

  /**
   * Pods of each replica, which come and go together: the hosts of a TPU slice.
   * @default - those of the slice that `accelerator` is, else 1
   */
  readonly hosts?: number;

  /**
   * How long a worker of this group may have nothing to do before it goes. Only with an autoscaler of the second version.
   * @default - the autoscaler's
   */
  readonly idleTimeout?: Duration;

  /**
   * Which of the groups that would do grows first: the one with the higher number. Only with an autoscaler of the second version and Ray 2.56.
   * @default 0
   */
  readonly priority?: number;

  /** Whether the group has no pods for now. Not with an autoscaler. @default false */
  readonly suspend?: boolean;
}
