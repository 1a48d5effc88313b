import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { CredentialUse } from '../../credentials/credential-use';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IEnvFrom, VolumeMount } from '../../training-job/pods/kplus-types';

/** Options of the head and the workers of a Ray cluster. */
export interface RayPodOptions {
  /** Image, with the same versions of Ray and Python as the rest of the cluster. @default - the cluster's */
  readonly image?: string;

  /** Environment of Ray's container, in addition to the cluster's. @default - only the cluster's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** Tokens and keys for Ray's container, as variables or files. @default - none */
  readonly credentials?: CredentialUse[];

  /** ConfigMaps and Secrets whose keys become variables of Ray's container. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Compute of each pod, which is also Ray's capacity for tasks and actors. @default - one core and 4 GiB */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each pod: resource, node selector, tolerations and network variables.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes that Ray's container mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate, in addition to those of the requested resources.
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's, or that of the gang */
  readonly schedulerName?: string;

  /** Labels of the pods. @default - KubeRay's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - none */
  readonly podAnnotations?: { readonly [name: string]: string };

  /**
   * Additional fields of the pod, as in Kubernetes: `affinity`, `initContainers`, sidecars in `containers` and so on.
   * @default - none
   */
  readonly podSpec?: { readonly [field: string]: unknown };

  /** Flags of `ray start` without their dashes, such as `object-store-memory`. @default - none */
  readonly startParams?: { readonly [flag: string]: string };

  /**
   * Ray's capacity of each pod, instead of the container's limits: `CPU`, `GPU`, `memory`, or a custom name that tasks request.
   * @default - the limits of the container
   */
  readonly rayResources?: { readonly [name: string]: string };

  /** Labels of Ray's nodes, with which tasks select them. @default - Ray's own */
  readonly rayLabels?: { readonly [name: string]: string };
}

/** The pod with Ray's control plane. */
export interface RayHead extends RayPodOptions {
  /**
   * Whether tasks and actors run there too. In large clusters, keep the pod for the control plane.
   * @default true
   */
  readonly runsTasks?: boolean;

  /**
   * Type of the head's Service. It exposes all ports of the head: without `authentication`, everyone who can connect can run programs. To expose only
   * the dashboard, use `dashboardIngress` or `RayCluster.exposeDashboard`.
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

  /** Number of replicas, each with `hosts` pods. @default - 1; with an autoscaler, it decides */
  readonly replicas?: number;

  /** Minimum number of replicas. Only with an autoscaler. @default 0 */
  readonly minReplicas?: number;

  /** Maximum number of replicas. Required with an autoscaler, and not allowed without. @default - `replicas` */
  readonly maxReplicas?: number;

  /**
   * Number of pods of each replica, which are created and deleted together: the hosts of a TPU slice.
   * @default - the hosts of the slice in `accelerator`, else 1
   */
  readonly hosts?: number;

  /**
   * How long a worker of this group is idle before it is removed. Only with `RayAutoscalerVersion.V2`.
   * @default - the autoscaler's
   */
  readonly idleTimeout?: Duration;

  /**
   * Priority for scaling up: among suitable groups, the one with the highest number grows first. Only with `RayAutoscalerVersion.V2` and Ray 2.56.
   * @default 0
   */
  readonly priority?: number;

  /** Whether the group has no pods. Not with an autoscaler. @default false */
  readonly suspend?: boolean;
}
