/**
 * A model server as its author describes it, in our terms: what serves, from where the weights come, how it scales, which candidate gets part of the
 * traffic. The constructs produce it, the rules next to this file judge it, and `manifests/serving` makes KServe's InferenceService of it.
 * @see https://kserve.github.io/website/docs/reference/crd-api
 */
import type { PodSettings } from '../pod-settings';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';

/** How KServe runs pods: as Deployments, or as revisions of Knative. */
export type ServingMode = 'Standard' | 'Knative';

/** What changes the number of replicas in Standard mode. */
export type Autoscaler = 'hpa' | 'keda' | 'external' | 'none';

/** JSON that passes through to Kubernetes. */
export type Fields = { readonly [field: string]: unknown };

/** What replicas are counted by. */
export interface ScaleMetricSpec {
  readonly kind: 'cpu' | 'memory' | 'concurrency' | 'rps' | 'prometheus' | 'openTelemetry';
  /** Percent of the request for cpu and memory, requests for concurrency and rps, else the value of the query. */
  readonly target: number;
  readonly query?: string;
  readonly serverAddress?: string;
  /** Names of the metrics that the sidecar of OpenTelemetry collects. */
  readonly metricNames?: readonly string[];
  readonly authenticationRef?: string;
}

export interface ScalingSpec {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly ScaleMetricSpec[];
  readonly scaleDownDelaySeconds?: number;
}

/** Entry of the storage secret, and the path behind it. */
export interface SecretEntrySpec {
  readonly key: string;
  readonly path: string;
  readonly schemaPath?: string;
  readonly parameters?: { readonly [name: string]: string };
}

export interface ModelStorageSpec {
  /** URI of KServe's storage initializer; undefined when the storage secret has the location. */
  readonly uri?: string;
  /** Where they are mounted. @default /mnt/models */
  readonly mountPath?: string;
  /** Entry of the Secret `storage-config`, and the path behind it. */
  readonly secretEntry?: SecretEntrySpec;
  /** Whether a ClusterStorageContainer of the user's downloads it, so that KServe's list of schemes says nothing. */
  readonly ownContainer?: boolean;
}

export interface ModelServerSpec {
  readonly format: string;
  readonly formatVersion?: string;
  readonly runtime?: string;
  readonly runtimeVersion?: string;
}

/** Requests and responses that are copied elsewhere. */
export interface LoggerSpec {
  readonly url: string;
  readonly mode?: 'all' | 'request' | 'response';
  readonly metadataHeaders?: readonly string[];
  readonly metadataAnnotations?: readonly string[];
}

export interface BatcherSpec {
  readonly maxBatchSize?: number;
  readonly maxLatencyMilliseconds?: number;
  readonly timeoutSeconds?: number;
}

export interface ServingWorkerSpec {
  readonly pipelineParallel?: number;
  readonly tensorParallel?: number;
  readonly resources?: ResourcesSpec;
  /** Variables of their network; everything else comes from the runtime. */
  readonly env?: readonly EnvVarSpec[];
}

/** Predictor, transformer or explainer. Exactly one of `model`, `container` and `art` says what runs. */
export interface ComponentSpec extends PodSettings {
  /** Name of the variant; only of predictors. */
  readonly name?: string;
  readonly model?: ModelServerSpec;
  readonly container?: { readonly image: string };
  /** Explainer of the Adversarial Robustness Toolbox. */
  readonly art?: { readonly type: string; readonly config?: { readonly [name: string]: string } };
  readonly storage?: readonly ModelStorageSpec[];
  readonly port?: number;
  readonly protocol?: 'v1' | 'v2' | 'grpc-v1' | 'grpc-v2';
  readonly probes?: { readonly liveness?: Fields; readonly readiness?: Fields; readonly startup?: Fields };
  readonly scaling?: ScalingSpec;
  readonly containerConcurrency?: number;
  readonly timeoutSeconds?: number;
  readonly logger?: LoggerSpec;
  readonly batcher?: BatcherSpec;
  readonly rollingUpdate?: { readonly maxSurge?: string; readonly maxUnavailable?: string };
  readonly worker?: ServingWorkerSpec;
}

/** Where a candidate stands. */
export type CanaryPhase = 'serving' | 'promoted' | 'rolled-back';

/** A candidate next to the predictor that serves now. */
export interface CanarySpec {
  readonly name: string;
  readonly trafficPercent: number;
  readonly phase: CanaryPhase;
  /** The predictor's fields that the candidate has otherwise. */
  readonly changes: Partial<ComponentSpec>;
  readonly replicas?: number;
}

/** `InferenceService` in our terms. */
export interface InferenceServiceSpec {
  readonly mode: ServingMode;
  readonly autoscaler?: Autoscaler;
  readonly stopped?: boolean;
  readonly predictor: ComponentSpec;
  readonly transformer?: ComponentSpec;
  readonly explainer?: ComponentSpec;
  readonly canaries?: readonly CanarySpec[];
  /** Whether each revision of Knative has an address of its own. */
  readonly tagRouting?: boolean;
  /** LocalModelNodeGroup whose disks hold the model; false to leave caches unused. */
  readonly localModelCache?: string | false;
  readonly storageSecretName?: string;
}

/** A spec with what its object is called. */
export interface NamedInferenceService {
  readonly name: string;
  /** Undefined when it is decided by who applies the manifest. */
  readonly namespace?: string;
  readonly spec: InferenceServiceSpec;
}

export interface PlacedComponent {
  readonly path: string;
  readonly role: 'predictor' | 'transformer' | 'explainer';
  readonly component: ComponentSpec;
}

/** The components that an InferenceService has, without its candidates. */
export function componentsOf({ predictor, transformer, explainer }: InferenceServiceSpec): PlacedComponent[] {
  return ([['predictor', predictor], ['transformer', transformer], ['explainer', explainer]] as const)
    .flatMap(([role, component]) => (component === undefined ? [] : [{ path: `spec.${role}`, role, component }]));
}

/** The predictor with what a candidate changes. */
export function canaryPredictor(predictor: ComponentSpec, { name, changes }: CanarySpec): ComponentSpec {
  return { ...predictor, ...changes, model: changes.model ?? predictor.model, container: changes.container ?? predictor.container, name };
}

export const DEFAULT_MIN_REPLICAS = 1;

/** Autoscaler of Standard mode if none is named. */
export const DEFAULT_AUTOSCALER: Autoscaler = 'hpa';
