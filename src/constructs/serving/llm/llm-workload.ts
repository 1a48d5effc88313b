import type { Duration, Size } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { AcceleratorRequest } from '../../accelerators/accelerator-request';
import type { CredentialUse } from '../../credentials/credential-use';
import type { TrainingResources } from '../../training-job/pods/resources';
import type { Toleration } from '../../training-job/pods/toleration';
import type { IEnvFrom, VolumeMount } from '../../training-job/pods/kplus-types';

/** How one replica of a large language model is spread over GPUs and nodes. */
export interface LlmParallelism {
  /** GPUs that share each layer. @default 1 */
  readonly tensor?: number;
  /** Parts of the model behind each other; with a `worker`, a node for each. Not together with `data`. @default 1 */
  readonly pipeline?: number;
  /** Copies of the model that share the requests, in the whole replica. Needs `dataLocal`. @default 1 */
  readonly data?: number;
  /** Copies on each node. @default 1 */
  readonly dataLocal?: number;
  /** Port on which the copies meet. @default - KServe's */
  readonly dataRpcPort?: number;
  /** Whether experts of the model are spread over the copies too. @default false */
  readonly expert?: boolean;
}

/** Who acts on the number that KServe's variant autoscaler computes. */
export enum LlmActuator {
  /** A HorizontalPodAutoscaler. */
  HPA = 'hpa',
  /** A ScaledObject of KEDA. */
  KEDA = 'keda',
}

/**
 * How many replicas of a large language model there are, by its load. Needs the workload variant autoscaler in the cluster.
 */
export interface LlmScaling {
  /** Fewest replicas. @default 1 */
  readonly minReplicas?: number;

  /** Most replicas. */
  readonly maxReplicas: number;

  /** Who acts. @default LlmActuator.HPA */
  readonly actuator?: LlmActuator;

  /** What a replica costs against those of other variants of the model. @default 10.0 */
  readonly variantCost?: string;

  /** Replicas when nothing comes, less than `minReplicas`. Only with `LlmActuator.KEDA`. @default - `minReplicas` */
  readonly idleReplicas?: number;

  /** How often KEDA looks. @default - KEDA's */
  readonly pollingInterval?: Duration;

  /** How long KEDA waits before it goes to `idleReplicas`. @default - KEDA's */
  readonly cooldown?: Duration;

  /**
   * How long fewer replicas have to be enough before one is taken away. Only with `LlmActuator.HPA`.
   * @default Duration.minutes(5)
   */
  readonly scaleDownDelay?: Duration;
}

/** Which keys and values leave first. */
export enum KvCacheEviction {
  /** Those that were not used for the longest time. */
  LRU = 'lru',
  /** Those that were used seldom and long ago. */
  ARC = 'arc',
}

/** Where keys and values go that do not fit into the GPU. */
export interface KvCacheOffloading {
  /** Memory of the node. */
  readonly cpu: Size;
  /** Which leave first. @default KvCacheEviction.LRU */
  readonly eviction?: KvCacheEviction;
  /** Room on the node's disk behind the memory. Not together with `claim`. @default - none */
  readonly disk?: Size;
  /** Claim behind the memory, which replicas share. Not together with `disk`. @default - none */
  readonly claim?: kplus.IPersistentVolumeClaim;
  /** Folder in the claim. @default - its root */
  readonly claimPath?: string;
}

/** Pods of a large language model's replica. */
export interface LlmPodOptions {
  /** Image of vLLM. @default - that of KServe's configuration */
  readonly image?: string;

  /** Entry point of the server. @default - that of KServe's configuration */
  readonly command?: string[];

  /**
   * Arguments of the server. They replace those of KServe's configuration; to add some, use the variable `VLLM_ADDITIONAL_ARGS`.
   * @default - those of KServe's configuration
   */
  readonly args?: string[];

  /** Environment of the server. @default - that of KServe's configuration */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /**
   * Tokens and keys that the server gets at run time, as variables or files. What downloads the weights has `credentials` of the service.
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /** ConfigMaps and Secrets whose keys become variables of the server. @default - none */
  readonly envFrom?: IEnvFrom[];

  /** Compute of each pod. @default - that of KServe's configuration */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each pod: resource, node selector, tolerations, `/dev/shm` and variables of the network in one.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** Volumes that the server mounts. @default - none more */
  readonly volumeMounts?: VolumeMount[];

  /** Labels that a node must have. @default - any node, or those with the accelerator */
  readonly nodeSelector?: { readonly [label: string]: string };

  /** Taints that the pods tolerate. Those of `resources` are tolerated already. @default - none more */
  readonly tolerations?: Toleration[];

  /** Further fields of the pod, as Kubernetes spells them. @default - none */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** Replicas of a large language model: those that answer, or those that read prompts. */
export interface LlmWorkload extends LlmPodOptions {
  /** Fixed number of replicas. Not together with `scaling`. @default 1 */
  readonly replicas?: number;

  /** Number of replicas by load. Not together with `replicas`. @default - the number is fixed */
  readonly scaling?: LlmScaling;

  /** How a replica is spread. @default - one GPU */
  readonly parallelism?: LlmParallelism;

  /**
   * Pods of the further nodes of a replica; `{}` for pods like the first. Needs `parallelism` by pipeline or data, and LeaderWorkerSet in the
   * cluster.
   * @default - a replica is one pod
   */
  readonly worker?: LlmPodOptions;

  /** Where keys and values go that do not fit into the GPU. @default - they are computed again */
  readonly kvCacheOffloading?: KvCacheOffloading;
}
