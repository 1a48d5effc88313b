import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { ServingScaling } from './scaling';
import type { AcceleratorRequest } from '../accelerators/accelerator-request';
import type { CredentialUse } from '../credentials/credential-use';
import type { TrainingResources } from '../training-job/pods/resources';
import type { Toleration } from '../training-job/pods/toleration';
import type { IEnvFrom, IProbe, VolumeMount } from '../training-job/pods/kplus-types';
import type { ModelStorage } from './models/model-storage';
import type { ServingProtocol } from './serving-mode';

/** What of requests is logged. */
export enum LoggedTraffic {
  /** Requests and responses. */
  ALL = 'all',
  /** Requests. */
  REQUESTS = 'request',
  /** Responses. */
  RESPONSES = 'response',
}

/** Copies of requests and responses, as CloudEvents. */
export interface RequestLogger {
  /** Where they are sent: a server such as Knative's broker, or a bucket (`s3://`, `gs://`). */
  readonly url: string;
  /** What is copied. @default LoggedTraffic.ALL */
  readonly traffic?: LoggedTraffic;
  /** Headers of the request that are copied too. @default - none */
  readonly headers?: string[];
  /** Annotations of the service that are copied too. @default - none */
  readonly annotations?: string[];
}

/** Requests of the protocol v1 that wait for each other and reach the server as one. */
export interface RequestBatcher {
  /** Most instances of a batch. @default 32 */
  readonly maxBatchSize?: number;
  /** Longest time that a request waits for others. @default Duration.millis(5000) */
  readonly maxLatency?: Duration;
  /** Longest time of a batch in the server. @default Duration.seconds(60) */
  readonly timeout?: Duration;
}

/** How pods are replaced in `ServingMode.STANDARD`. */
export interface RollingUpdateOptions {
  /**
   * How many pods more than wanted there may be, such as `1` or `25%`. With `0`, no further GPU is needed.
   * @default 25%
   */
  readonly maxSurge?: string;

  /** How many pods less than wanted there may be, such as `1` or `25%`. @default 25% */
  readonly maxUnavailable?: string;
}

/** What predictors, transformers and explainers have in common. */
export interface ServingComponentOptions {
  /** Entry point of the server. @default - the image's or the runtime's */
  readonly command?: string[];

  /** Arguments of the server, behind the runtime's. @default - the image's or the runtime's */
  readonly args?: string[];

  /** Environment of the server. @default - the runtime's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** ConfigMaps and Secrets whose keys become variables of the server. @default - none */
  readonly envFrom?: IEnvFrom[];

  /**
   * Tokens and keys that the server gets at run time, as variables or files. What downloads the weights has `credentials` of the service.
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /** Compute of each replica. @default - the runtime's */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each replica: resource, node selector, tolerations, `/dev/shm` and variables of the network in one.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** How many replicas. @default - one, and KServe's defaults of the mode */
  readonly scaling?: ServingScaling;

  /**
   * Hard limit of requests that a replica works on at the same time. Only in `ServingMode.KNATIVE`.
   * @default - no limit
   */
  readonly containerConcurrency?: number;

  /** Longest time of a request. @default - the gateway's; 5 minutes in Knative mode */
  readonly timeout?: Duration;

  /** Copies of requests and responses. @default - none */
  readonly logger?: RequestLogger;

  /** Requests that wait for each other. @default - each on its own */
  readonly batcher?: RequestBatcher;

  /** When the server is restarted. @default - the runtime's */
  readonly liveness?: IProbe;

  /** When the server gets requests. @default - the runtime's; KServe adds a check of the port */
  readonly readiness?: IProbe;

  /** Until when the server may start, such as the time to load large weights. @default - the runtime's */
  readonly startup?: IProbe;

  /** Volumes that the server mounts. @default - the runtime's */
  readonly volumeMounts?: VolumeMount[];

  /**
   * Labels that a node must have. Knative has a feature flag for it.
   * @default - any node, or those with the accelerator
   */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate. Those of the resources that they ask for are tolerated already.
   * @default - none more
   */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's */
  readonly schedulerName?: string;

  /** Registry credentials that images are pulled with. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Labels of the pods. @default - KServe's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - KServe's */
  readonly podAnnotations?: { readonly [name: string]: string };

  /** How pods are replaced. Only in `ServingMode.STANDARD`. @default - as Deployments do */
  readonly rollingUpdate?: RollingUpdateOptions;

  /**
   * Further fields of the pod, as Kubernetes spells them: `affinity`, `initContainers`, sidecars in `containers` and so on.
   * @default - none
   */
  readonly podSpec?: { readonly [field: string]: unknown };
}

/** Options of `Predictor.container`, of transformers and of explainers. */
export interface ContainerServerOptions extends ServingComponentOptions {
  /** Image of the server. */
  readonly image: string;

  /** Port that the server listens on. @default 8080 */
  readonly port?: number;

  /** Protocol that the server speaks. @default ServingProtocol.V1 */
  readonly protocol?: ServingProtocol;

  /**
   * What is downloaded or mounted before the server starts, at `/mnt/models` unless it says otherwise.
   * @default - nothing
   */
  readonly storage?: ModelStorage[];
}
