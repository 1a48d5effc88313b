/**
 * The part of Kubernetes' objects that Trainyard writes or reads, in their JSON form: timestamps are RFC 3339 strings, quantities are strings. It is
 * small on purpose; other fields of a user's pod template pass through as `unknown`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/
 */

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** At most one owner of an object is its controller. */
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** `metadata`. The API server sets the fields that constructed objects omit. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  /** Set after a deletion request, while finalizers or the grace period keep the object. */
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [name: string]: string };
  readonly annotations?: { readonly [name: string]: string };
  // Arrays are mutable, so that these types are assignable to those of other clients, which are seldom readonly.
  readonly ownerReferences?: OwnerReference[];
  readonly finalizers?: string[];
}

/** Fields of every object. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** A constructed object, which can be applied. */
export interface Manifest extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string };
}

export interface Pod extends KubeObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

/** `spec` of a pod. Fields that only pass through are in the index signature. */
export interface PodSpec {
  readonly containers: Container[];
  readonly initContainers?: Container[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [label: string]: string };
  readonly tolerations?: Toleration[];
  readonly volumes?: Volume[];
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: { readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: string[];
  readonly args?: string[];
  readonly workingDir?: string;
  readonly env?: EnvVar[];
  readonly ports?: ContainerPort[];
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: VolumeMount[];
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  readonly securityContext?: { readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Environment variable of a container. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly [source: string]: unknown };
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

/** Compute of a container. */
export interface ResourceRequirements {
  readonly requests?: { readonly [resource: string]: string };
  readonly limits?: { readonly [resource: string]: string };
  readonly [field: string]: unknown;
}

/** Volume of a pod; the source is one of the further fields. */
export interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

/** Where a container sees a volume. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
  readonly [field: string]: unknown;
}

/** Toleration of a taint. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly [field: string]: unknown;
}

/** `status` of a pod. */
export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** Why the pod is in its phase: `Evicted`, `NodeLost`, `DeadlineExceeded` ... */
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: PodCondition[];
  readonly initContainerStatuses?: ContainerStatus[];
  readonly containerStatuses?: ContainerStatus[];
  readonly podIP?: string;
  readonly startTime?: string;
}

/** Condition of a pod: `PodScheduled`, `Ready`, `DisruptionTarget` ... */
export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** State of one container of a pod. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** One of the three is set. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: ContainerTermination;
}

/** How a container ended. */
export interface ContainerTermination {
  readonly exitCode: number;
  /** Number of the signal, if the runtime reports one. */
  readonly signal?: number;
  /** `Completed`, `Error`, `OOMKilled`, `ContainerCannotRun` ... */
  readonly reason?: string;
  /** The container's termination message, or its last log lines. */
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

export interface Service extends Manifest {
  readonly spec: {
    readonly clusterIP?: string;
    readonly selector?: { readonly [label: string]: string };
    readonly publishNotReadyAddresses?: boolean;
    readonly ports?: ServicePort[];
  };
}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface ConfigMap extends Manifest {
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
}

/** A Secret. The API server encodes `stringData` into `data`. */
export interface Secret extends Manifest {
  readonly type?: string;
  readonly stringData?: { readonly [key: string]: string };
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
}
