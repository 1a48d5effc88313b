import type * as kplus from 'cdk8s-plus-28';
import type { ModelCredentials } from '../models/credentials';
import type { GatewayReference } from '../inference-route';
import type { LlmWorkload } from './llm-workload';
import type { ModelStorage } from '../models/model-storage';
import type { LlmMonitoringOptions } from '../../monitoring/monitoring-options';

/** A LoRA adapter next to the model. */
export interface LoraAdapter {
  /** Name by which requests choose it. */
  readonly name: string;
  /** Where it comes from. */
  readonly storage: ModelStorage;
}

/** LoRA adapters of a model. */
export interface LoraAdapters {
  /** The adapters; more can be added with `addAdapter`. @default - none yet */
  readonly adapters?: LoraAdapter[];
  /** Highest rank of them: 8, 16, 32, 64, 128, 256, 320 or 512. @default - KServe's */
  readonly maxRank?: number;
  /** Most adapters in the GPU at the same time. @default - all */
  readonly maxAdapters?: number;
  /** Most adapters in memory. @default - KServe's */
  readonly maxCpuAdapters?: number;
}

/** The scheduler that chooses a replica for each request, by load and by what the replica has in its cache. */
export interface LlmScheduler {
  /** Replicas of the scheduler. @default 1 */
  readonly replicas?: number;

  /**
   * Configuration (`EndpointPickerConfig`), as the inference extension spells it. Not together with `configMap`.
   * @default - KServe's
   */
  readonly config?: { readonly [field: string]: unknown };

  /** ConfigMap with the configuration under the key `epp`, or under `configMapKey`. @default - KServe's */
  readonly configMap?: kplus.IConfigMap;

  /** Key in the ConfigMap. @default epp */
  readonly configMapKey?: string;
}

/** How requests find a replica. `{}` asks for KServe's own gateway and route. */
export interface LlmRouter {
  /** Existing gateways. @default - KServe's */
  readonly gateways?: GatewayReference[];

  /** Names of existing HTTPRoutes, through your own gateways. @default - KServe makes one */
  readonly routeNames?: string[];

  /** Names of existing Ingresses, instead of gateways. @default - a gateway */
  readonly ingressNames?: string[];

  /** The scheduler; `{}` for KServe's. @default - a Service without one, which chooses by chance */
  readonly scheduler?: LlmScheduler;

  /**
   * Services of the same group share the traffic of one address by their weights: canaries of large language models.
   * @default - an address of its own
   */
  readonly trafficGroup?: string;

  /** Part of the group's traffic, against the weights of the others. @default - none, without a group */
  readonly trafficWeight?: number;
}

/** Traces of requests. */
export interface LlmTracing {
  /** URL of an OTLP collector. @default - that of KServe's configuration */
  readonly endpoint?: string;
  /** Part of the requests, 0 to 1. @default - that of KServe's configuration */
  readonly sampleRatio?: number;
}

/** Properties of an `LlmInferenceService`. */
export interface LlmInferenceServiceProps extends kplus.ResourceProps {
  /** Where the model comes from: Hugging Face, S3, a claim or an image. */
  readonly model: ModelStorage;

  /** Name by which requests choose the model. @default - the name of the service */
  readonly modelName?: string;

  /** LoRA adapters. @default - none */
  readonly lora?: LoraAdapters;

  /** Replicas that answer; with `prefill`, those that write. @default - one replica by KServe's configuration */
  readonly workload?: LlmWorkload;

  /** Replicas that read prompts and hand their keys and values over. @default - one kind of replicas does both */
  readonly prefill?: LlmWorkload;

  /** How requests find a replica. @default - a Service inside the cluster */
  readonly router?: LlmRouter;

  /**
   * Names of LLMInferenceServiceConfigs that the service is built on; later ones win.
   * @default - those that KServe chooses by what is asked for
   */
  readonly baseConfigs?: string[];

  /** With which identity the model is downloaded. @default - the namespace's default service account */
  readonly credentials?: ModelCredentials;

  /** Whether KServe downloads the model before the server starts. Without it, vLLM loads it by itself. @default true */
  readonly storageInitializer?: boolean;

  /** Traces of requests. @default - none */
  readonly tracing?: LlmTracing;

  /** What is installed for Prometheus and Grafana; `true` for all of it. @default - nothing */
  readonly monitoring?: LlmMonitoringOptions | boolean;

  /**
   * Whether a PodDisruptionBudget keeps all but one of the replicas while nodes are drained. Switch it off where you have written one yourself:
   * Kubernetes evicts no pod that two budgets are about.
   * @default true - for what has two replicas or more, each on one node
   */
  readonly disruptionBudget?: boolean;
}
