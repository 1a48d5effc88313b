/**
 * A Ray cluster as its author describes it, in our terms: the head, groups of workers, what scales them, what survives the loss of the head. The
 * constructs produce it, the rules next to this file judge it, and `manifests/ray` makes KubeRay's objects of it.
 * @see https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/raycluster_types.go
 */
import type { PodSettings } from '../pod-settings';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';

/** JSON that passes through to Kubernetes. */
export type Fields = { readonly [field: string]: unknown };

/** Texts by name: labels, annotations, flags, Ray's own resources. */
export type Texts = { readonly [name: string]: string };

/** Pods of the head, or of a group of workers. */
export interface RayGroupSpec extends Omit<PodSettings, 'image' | 'command' | 'args' | 'volumeMounts'> {
  readonly image: string;
  readonly volumeMounts?: readonly (Fields & { readonly name: string; readonly mountPath: string })[];
  /** Flags of `ray start`, without the dashes. */
  readonly startParams?: Texts;
  /** What Ray counts on each of the pods, instead of what the container is limited to: `CPU`, `GPU`, `memory`, or names of the author's. */
  readonly rayResources?: Texts;
  /** Labels of Ray's nodes, by which tasks choose them. */
  readonly rayLabels?: Texts;
}

/** The pod with Ray's control plane. */
export interface RayHeadSpec extends RayGroupSpec {
  /** Whether tasks and actors run there. @default true */
  readonly runsTasks?: boolean;
  /** Type of the Service in front of it. @default ClusterIP */
  readonly serviceType?: string;
  readonly serviceAnnotations?: Texts;
  readonly ingress?: RayIngressSpec;
}

/** Ingress that KubeRay makes for the dashboard. */
export interface RayIngressSpec {
  readonly className?: string;
  readonly host?: string;
  readonly path?: string;
  readonly pathType?: 'Exact' | 'Prefix' | 'ImplementationSpecific';
  readonly tlsSecretName?: string;
  readonly annotations?: Texts;
}

export interface RayWorkerGroupSpec extends RayGroupSpec {
  readonly name: string;
  /** @default - 1; with an autoscaler what it decides */
  readonly replicas?: number;
  /** @default - `replicas`; 0 with an autoscaler */
  readonly minReplicas?: number;
  /** @default - `replicas` */
  readonly maxReplicas?: number;
  /** Pods of each replica, such as the hosts of a TPU slice. @default 1 */
  readonly hosts?: number;
  /** Seconds without work after which a worker of this group goes. */
  readonly idleTimeoutSeconds?: number;
  /** Which group grows first: higher ones. */
  readonly priority?: number;
  readonly suspend?: boolean;
}

/** Ray's own autoscaler, in a container next to the head's. */
export interface RayAutoscalerSpec {
  /** @default - v2 from Ray 2.47 on */
  readonly version?: 'v1' | 'v2';
  readonly idleTimeoutSeconds?: number;
  readonly upscalingMode?: 'Default' | 'Aggressive' | 'Conservative';
  readonly image?: string;
  readonly env?: readonly EnvVarSpec[];
  readonly resources?: ResourcesSpec;
}

/** A variable's value, or where it comes from. */
export type ValueSource = Pick<EnvVarSpec, 'value' | 'valueFrom'>;

/** Where the head keeps what must not go with it: in Redis. */
export interface RedisFaultToleranceSpec {
  readonly backend: 'redis';
  /** `host:port` or `redis://host:port`. Undefined when the Redis is our own. */
  readonly address?: string;
  readonly username?: ValueSource;
  readonly password?: ValueSource;
  readonly namespace?: string;
  readonly own?: OwnRedisSpec;
}

/** A Redis next to the cluster. */
export interface OwnRedisSpec {
  readonly image: string;
  readonly passwordSecret: { readonly name: string; readonly key: string };
  readonly storage: string;
  readonly storageClassName?: string;
  readonly cpu: string;
  readonly memory: string;
}

/** Where the head keeps what must not go with it: on a volume. */
export interface EmbeddedFaultToleranceSpec {
  readonly backend: 'rocksdb';
  readonly claimName?: string;
  readonly size?: string;
  readonly storageClassName?: string;
  readonly accessModes?: readonly string[];
  readonly subPath?: string;
  readonly deletionPolicy?: 'DeleteWithCluster' | 'Retain';
}

export type RayFaultToleranceSpec = RedisFaultToleranceSpec | EmbeddedFaultToleranceSpec;

/** Who may use the cluster: everyone with its token, or those whom Kubernetes allows. */
export interface RayAuthSpec {
  readonly secretName?: string;
  readonly kubernetes?: boolean;
}

/** KubeRay's `RayClusterSpec` in our terms. */
export interface RayClusterSpec {
  readonly rayVersion?: string;
  readonly head: RayHeadSpec;
  readonly workerGroups: readonly RayWorkerGroupSpec[];
  /** Present where workers come and go by need. */
  readonly autoscaler?: RayAutoscalerSpec;
  readonly faultTolerance?: RayFaultToleranceSpec;
  /** Present where Ray asks for a token. */
  readonly auth?: RayAuthSpec;
  readonly tls?: boolean;
}

/** Who decides when an object runs, and who places its pods. */
export interface RayQueueSpec {
  readonly queueName?: string;
  readonly queuePriorityClassName?: string;
  /** Whether Kueue sends it to another cluster. */
  readonly multiKueue?: boolean;
  /** What KubeRay was started with as `--batch-scheduler`. */
  readonly batchScheduler?: 'volcano' | 'yunikorn' | 'kai-scheduler' | 'scheduler-plugins';
  readonly schedulerQueue?: string;
  readonly schedulerPriorityClassName?: string;
}

export interface StandaloneRayCluster {
  readonly name: string;
  readonly cluster: RayClusterSpec;
  readonly queue?: RayQueueSpec;
  readonly suspend?: boolean;
  readonly upgradeStrategy?: 'Recreate' | 'None';
  readonly annotations?: Texts;
}

export interface PlacedGroup {
  readonly path: string;
  /** Such as `the head` or `group 'gpu'`. */
  readonly title: string;
  readonly group: RayGroupSpec;
}

/** Head and workers, with paths below that of the cluster. */
export function groupsOf({ head, workerGroups }: RayClusterSpec, path: string): PlacedGroup[] {
  return [
    { path: `${path}.headGroupSpec`, title: 'the head', group: head },
    ...workerGroups.map((group, index) => ({ path: workerPath(path, index), title: `group '${group.name}'`, group })),
  ];
}

/** Path of the container that Ray runs in, below that of its group. */
export function rayContainer(groupPath: string): string {
  return `${groupPath}.template.spec.containers[0]`;
}

export function workerPath(path: string, index: number): string {
  return `${path}.workerGroupSpecs[${index}]`;
}
