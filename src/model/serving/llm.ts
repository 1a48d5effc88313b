/**
 * A large language model as its author describes it: the model with its adapters, how a replica is spread over GPUs and nodes, whether prompts are
 * read by pods of their own, and how requests find a replica. `validation-llm.ts` judges it, `manifests/serving/llm.ts` makes KServe's object of it.
 * @see https://kserve.github.io/website/docs/model-serving/generative-inference/llmisvc/llmisvc-overview
 */
import type { GatewaySpec } from './route';
import type { Fields } from './spec';
import type { PodSettings } from '../pod-settings';

export interface LoraAdapterSpec {
  readonly name: string;
  readonly uri?: string;
}

export interface LlmModelSpec {
  readonly uri?: string;
  readonly name?: string;
  readonly adapters: readonly LoraAdapterSpec[];
  readonly maxRank?: number;
  readonly maxAdapters?: number;
  readonly maxCpuAdapters?: number;
}

export interface LlmParallelismSpec {
  readonly tensor?: number;
  readonly pipeline?: number;
  readonly data?: number;
  readonly dataLocal?: number;
  readonly dataRpcPort?: number;
  readonly expert?: boolean;
}

/** Autoscaling by KServe's variant autoscaler. */
export interface LlmScalingSpec {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly actuator: 'hpa' | 'keda';
  readonly variantCost?: string;
  readonly idleReplicas?: number;
  readonly pollingIntervalSeconds?: number;
  readonly cooldownSeconds?: number;
  readonly scaleDownDelaySeconds?: number;
}

/** Pods of one kind in a replica. */
export type LlmPodSpec = Omit<PodSettings, 'imagePullSecrets' | 'priorityClassName' | 'schedulerName' | 'labels' | 'annotations'>;

/** Where keys and values go that do not fit into the GPU. */
export interface KvCacheOffloadingSpec {
  readonly cpu: string;
  readonly evictionPolicy?: 'lru' | 'arc';
  readonly disk?: { readonly size: string } | { readonly claimName: string; readonly path?: string };
}

/** Replicas of one kind: those that answer, or those that read prompts. */
export interface LlmWorkloadSpec {
  readonly replicas?: number;
  readonly scaling?: LlmScalingSpec;
  readonly parallelism?: LlmParallelismSpec;
  readonly leader: LlmPodSpec;
  readonly worker?: LlmPodSpec;
  readonly kvCacheOffloading?: KvCacheOffloadingSpec;
}

/** The scheduler that chooses a replica for each request. */
export interface LlmSchedulerSpec {
  readonly replicas?: number;
  readonly config?: Fields;
  readonly configMap?: { readonly name: string; readonly key: string };
}

/** How requests find a replica. */
export interface LlmRouterSpec {
  readonly gateways: readonly GatewaySpec[];
  readonly routeNames: readonly string[];
  readonly ingressNames: readonly string[];
  readonly scheduler?: LlmSchedulerSpec;
  readonly trafficGroup?: string;
  readonly trafficWeight?: number;
}

export interface LlmInferenceServiceSpec {
  readonly model: LlmModelSpec;
  readonly decode: LlmWorkloadSpec;
  readonly prefill?: LlmWorkloadSpec;
  readonly router?: LlmRouterSpec;
  readonly baseConfigs: readonly string[];
  readonly storageInitializer?: boolean;
  readonly tracing?: { readonly endpoint?: string; readonly sampleRatio?: number };
}

export function nodesOf({ data, dataLocal, pipeline }: LlmParallelismSpec): number {
  return data !== undefined && dataLocal !== undefined ? Math.max(1, Math.ceil(data / dataLocal)) : pipeline ?? 1;
}
