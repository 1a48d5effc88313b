import type { Duration, Size } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator';
import type { CredentialUse } from '../../credentials/credential-use';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IEnvFrom, VolumeMount } from '../../training-job/pods/kplus-types';

/** How one replica of a large language model is distributed over GPUs and nodes. */
export interface LlmParallelism {
  /** Tensor parallelism: GPUs that share each layer. @default 1 */
  readonly tensor?: number;
  /** Pipeline parallelism: consecutive parts of the model; with a `worker`, one node for each. Not together with `data`. @default 1 */
  readonly pipeline?: number;
  /** Data parallelism: copies of the model in the whole replica. Needs `dataLocal`. @default 1 */
  readonly data?: number;
  /** Copies on each node. @default 1 */
  readonly dataLocal?: number;
  /** Port for communication between the copies. @default - KServe's */
  readonly dataRpcPort?: number;
  /** Whether experts of the model are distributed over the copies too. @default false */
  readonly expert?: boolean;
}

/** What applies the number of replicas that KServe's variant autoscaler computes. */
export enum LlmActuator {
  /** A HorizontalPodAutoscaler. */
  HPA = 'hpa',
  /** A KEDA ScaledObject. */
  KEDA = 'keda',
}

/**
 * Autoscaling of a large language model by its load. Needs the workload variant autoscaler in the cluster.
 */
export interface LlmScaling {
  /** Minimum number of replicas. @default 1 */
  readonly minReplicas?: number;

  /** Maximum number of replicas. */
  readonly maxReplicas: number;

  /** What applies the number of replicas. @default LlmActuator.HPA */
  readonly actuator?: LlmActuator;

  /** Relative cost of a replica, compared with other variants of the model. @default 10.0 */
  readonly variantCost?: string;

  /** Number of replicas without requests, less than `minReplicas`. Only with `LlmActuator.KEDA`. @default - `minReplicas` */
  readonly idleReplicas?: number;

  /** How often KEDA checks the load. @default - KEDA's */
  readonly pollingInterval?: Duration;

  /** How long KEDA waits before it scales to `idleReplicas`. @default - KEDA's */
  readonly cooldown?: Duration;

  /**
   * How long fewer replicas must be sufficient before one is removed. Only with `LlmActuator.HPA`.
   * @default Duration.minutes(5)
   */
  readonly scaleDownDelay?: Duration;
}

/** Eviction policy of the KV cache. */
export enum KvCacheEviction {
  /** Least recently used. */
  LRU = 'lru',
  /** Adaptive replacement cache: rarely and least recently used. */
  ARC = 'arc',
}

/** Where the part of the KV cache is stored that does not fit in GPU memory. */
export interface KvCacheOffloading {
  /** Memory of the node. */
  readonly cpu: Size;
  /** Eviction policy. @default KvCacheEviction.LRU */
  readonly eviction?: KvCacheEviction;
  /** Space on the node's disk, in addition to the memory. Not together with `claim`. @default - none */
  readonly disk?: Size;
  /** Claim that replicas share, in addition to the memory. Not together with `disk`. @default - none */
  readonly claim?: kplus.IPersistentVolumeClaim;
  /** Folder in the claim. @default - its root */
  readonly claimPath?: string;
}

/** Pods of a large language model's replica. */
export interface LlmPodOptions {
  /** Image of vLLM. @default - from KServe's configuration */
  readonly image?: string;

  /** Entry point of the server. @default - from KServe's configuration */
  readonly command?: string[];

  /**
   * Arguments of the server. They replace those of KServe's configuration; to add arguments, use the variable `VLLM_ADDITIONAL_ARGS`.
   * @default - from KServe's configuration
   */
  readonly args?: string[];

  /** Environment of the server. @default - from KServe's configuration */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * Tokens and keys for the server at run time, as variables or files. For downloading weights, use `credentials` of the service.
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /** ConfigMaps and Secrets whose keys become variables of the server. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Compute of each pod. @default - from KServe's configuration */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each pod: resource, node selector, tolerations, `/dev/shm` and network variables.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes that the server mounts. @default - none */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate, in addition to those of `resources`. @default - none */
  readonly tolerations?: Toleration[];

  /** Additional fields of the pod, as in Kubernetes. @default - none */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** Replicas of a large language model, for decode or prefill. */
export interface LlmWorkload extends LlmPodOptions {
  /** Fixed number of replicas. Not together with `scaling`. @default 1 */
  readonly replicas?: number;

  /** Autoscaling by load. Not together with `replicas`. @default - the number is fixed */
  readonly scaling?: LlmScaling;

  /** How a replica is distributed. @default - one GPU */
  readonly parallelism?: LlmParallelism;

  /**
   * Pods on the additional nodes of a replica; `{}` for the same options as the first. Needs `parallelism` with `pipeline` or `data`, and
   * LeaderWorkerSet in the cluster.
   * @default - a replica is one pod
   */
  readonly worker?: LlmPodOptions;

  /** Where the part of the KV cache is stored that does not fit in GPU memory. @default - it is recomputed */
  readonly kvCacheOffloading?: KvCacheOffloading;
}
