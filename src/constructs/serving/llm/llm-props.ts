import type * as kplus from 'cdk8s-plus-28';
import type { ModelCredentials } from '../models/credentials';
import type { GatewayReference } from '../inference-route';
import type { LlmWorkload } from './llm-workload';
import type { ModelStorage } from '../models/model-storage';
import type { LlmMonitoringOptions } from '../../monitoring/monitoring-options';

/** A LoRA adapter of the model. */
export interface LoraAdapter {
  /** Name with which requests select it. */
  readonly name: string;
  /** Its storage. */
  readonly storage: ModelStorage;
}

/** LoRA adapters of a model. */
export interface LoraAdapters {
  /** The adapters. @default - none; see `addAdapter` */
  readonly adapters?: LoraAdapter[];
  /** Maximum rank of the adapters: 8, 16, 32, 64, 128, 256, 320 or 512. @default - KServe's */
  readonly maxRank?: number;
  /** Maximum number of adapters in GPU memory at the same time. @default - all */
  readonly maxAdapters?: number;
  /** Maximum number of adapters in CPU memory. @default - KServe's */
  readonly maxCpuAdapters?: number;
}

/** The scheduler that selects a replica for each request, based on load and cache contents. */
export interface LlmScheduler {
  /** Number of replicas of the scheduler. @default 1 */
  readonly replicas?: number;

  /**
   * Configuration (`EndpointPickerConfig`), as in the inference extension. Not together with `configMap`.
   * @default - KServe's
   */
  readonly config?: { readonly [field: string]: unknown };

  /** ConfigMap with the configuration under the key `epp`, or under `configMapKey`. @default - KServe's */
  readonly configMap?: kplus.IConfigMap;

  /** Key in the ConfigMap. @default epp */
  readonly configMapKey?: string;
}

/** How requests are routed to replicas. `{}` for KServe's gateway and route. */
export interface LlmRouter {
  /** Existing gateways. @default - KServe's */
  readonly gateways?: GatewayReference[];

  /** Names of existing HTTPRoutes, through your own gateways. @default - KServe creates one */
  readonly routeNames?: string[];

  /** Names of existing Ingresses, instead of gateways. @default - a gateway */
  readonly ingressNames?: string[];

  /** The scheduler; `{}` for KServe's. @default - none; a Service selects replicas at random */
  readonly scheduler?: LlmScheduler;

  /**
   * Services in the same group share the traffic of one address by weight, for canaries of large language models.
   * @default - an address of its own
   */
  readonly trafficGroup?: string;

  /** Weight in the group. @default - none; only with a group */
  readonly trafficWeight?: number;
}

/** Traces of requests. */
export interface LlmTracing {
  /** URL of an OTLP collector. @default - from KServe's configuration */
  readonly endpoint?: string;
  /** Fraction of the requests, 0 to 1. @default - from KServe's configuration */
  readonly sampleRatio?: number;
}

/** Properties of an `LlmInferenceService`. */
export interface LlmInferenceServiceProps extends kplus.ResourceProps {
  /** Storage of the model: Hugging Face, S3, a claim or an image. */
  readonly model: ModelStorage;

  /** Name with which requests select the model. @default - the name of the service */
  readonly modelName?: string;

  /** LoRA adapters. @default - none */
  readonly lora?: LoraAdapters;

  /** Replicas of the server; with `prefill`, those that decode. @default - one replica with KServe's configuration */
  readonly workload?: LlmWorkload;

  /** Separate replicas for prefill, which pass their KV cache on. @default - the same replicas do both */
  readonly prefill?: LlmWorkload;

  /** How requests are routed to replicas. @default - a Service inside the cluster */
  readonly router?: LlmRouter;

  /**
   * Names of LLMInferenceServiceConfigs that the service is based on; later ones win.
   * @default - KServe selects them from the service's spec
   */
  readonly baseConfigs?: string[];

  /** Identity for downloading the model. @default - the namespace's default service account */
  readonly credentials?: ModelCredentials;

  /** Whether KServe downloads the model before the server starts. If not, vLLM downloads it. @default true */
  readonly storageInitializer?: boolean;

  /** Traces of requests. @default - none */
  readonly tracing?: LlmTracing;

  /** Monitoring with Prometheus and Grafana; `true` for all defaults. @default - none */
  readonly monitoring?: LlmMonitoringOptions | boolean;

  /**
   * Whether a PodDisruptionBudget keeps all but one of the replicas while nodes are drained. Disable it if you have your own, because Kubernetes does
   * not evict pods with two budgets.
   * @default true - with two or more replicas, each on one node
   */
  readonly disruptionBudget?: boolean;
}
