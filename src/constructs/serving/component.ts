import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { ServingScaling } from './scaling';
import type { AcceleratorRequest } from '../accelerators/accelerator';
import type { CredentialUse } from '../credentials/credential-use';
import type { TrainingResources } from '../training-job/pods/resources';
import type { Toleration } from '../training-job/pods/toleration';
import type { IEnvFrom, IProbe, VolumeMount } from '../training-job/pods/kplus-types';
import type { ModelStorage } from './models/model-storage';
import type { ServingProtocol } from './serving-mode';

/** The traffic that is logged. */
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
  /** Destination: a server such as Knative's broker, or a bucket (`s3://`, `gs://`). */
  readonly url: string;
  /** The traffic to copy. @default LoggedTraffic.ALL */
  readonly traffic?: LoggedTraffic;
  /** Request headers to include. @default - none */
  readonly headers?: string[];
  /** Annotations of the service to include. @default - none */
  readonly annotations?: string[];
}

/** Combines several requests of the protocol v1 into one for the server. */
export interface RequestBatcher {
  /** Maximum number of instances in a batch. @default 32 */
  readonly maxBatchSize?: number;
  /** Maximum time that a request waits for others. @default Duration.millis(5000) */
  readonly maxLatency?: Duration;
  /** Timeout of a batch in the server. @default Duration.seconds(60) */
  readonly timeout?: Duration;
}

/** How pods are replaced in `ServingMode.STANDARD`. */
export interface RollingUpdateOptions {
  /**
   * How many pods above the desired number there may be, such as `1` or `25%`. With `0`, no additional GPU is needed.
   * @default 25%
   */
  readonly maxSurge?: string;

  /** How many pods below the desired number there may be, such as `1` or `25%`. @default 25% */
  readonly maxUnavailable?: string;
}

/** Options of predictors, transformers and explainers. */
export interface ServingComponentOptions {
  /** Entry point of the server. @default - the image's or the runtime's */
  readonly command?: string[];

  /** Arguments of the server, after the runtime's. @default - the image's or the runtime's */
  readonly args?: string[];

  /** Environment of the server. @default - the runtime's */
  readonly env?: { readonly [name: string]: kplus.EnvValue };

  /** ConfigMaps and Secrets whose keys become variables of the server. @default - none */
  readonly envFrom?: IEnvFrom[];

  /**
   * Tokens and keys for the server at run time, as variables or files. For downloading weights, use `credentials` of the service.
   * @default - none
   */
  readonly credentials?: CredentialUse[];

  /** Compute of each replica. @default - the runtime's */
  readonly resources?: TrainingResources;

  /**
   * Accelerators of each replica: resource, node selector, tolerations, `/dev/shm` and network variables.
   * @default - none, or those of `resources`
   */
  readonly accelerator?: AcceleratorRequest;

  /** Number of replicas. @default - one, and KServe's defaults for the mode */
  readonly scaling?: ServingScaling;

  /**
   * Hard limit of requests that a replica processes at the same time. Only in `ServingMode.KNATIVE`.
   * @default - no limit
   */
  readonly containerConcurrency?: number;

  /** Timeout of a request. @default - the gateway's; 5 minutes in Knative mode */
  readonly timeout?: Duration;

  /** Copies of requests and responses. @default - none */
  readonly logger?: RequestLogger;

  /** Batches of requests. @default - no batches */
  readonly batcher?: RequestBatcher;

  /** When the server is restarted. @default - the runtime's */
  readonly liveness?: IProbe;

  /** When the server gets requests. @default - the runtime's; KServe adds a check of the port */
  readonly readiness?: IProbe;

  /** How long the server may take to start, for example to load large weights. @default - the runtime's */
  readonly startup?: IProbe;

  /** Volumes that the server mounts. @default - the runtime's */
  readonly volumeMounts?: VolumeMount[];

  /**
   * Labels that a node must have. Knative needs a feature flag for this.
   * @default - any node, or those with the accelerator
   */
  readonly nodeSelector?: { readonly [label: string]: string };

  /**
   * Taints that the pods tolerate, in addition to those of the requested resources.
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /** PriorityClass of the pods. @default - the cluster's */
  readonly priorityClassName?: string;

  /** Scheduler of the pods. @default - the cluster's */
  readonly schedulerName?: string;

  /** Registry credentials for pulling images. @default - the service account's */
  readonly imagePullSecrets?: kplus.ISecret[];

  /** Labels of the pods. @default - KServe's */
  readonly podLabels?: { readonly [name: string]: string };

  /** Annotations of the pods. @default - KServe's */
  readonly podAnnotations?: { readonly [name: string]: string };

  /** How pods are replaced. Only in `ServingMode.STANDARD`. @default - as Deployments do */
  readonly rollingUpdate?: RollingUpdateOptions;

  /**
   * Additional fields of the pod, as in Kubernetes: `affinity`, `initContainers`, sidecars in `containers` and so on.
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

  /** Protocol of the server. @default ServingProtocol.V1 */
  readonly protocol?: ServingProtocol;

  /**
   * Models to download or mount before the server starts, at `/mnt/models` unless they set `mountPath`.
   * @default - none
   */
  readonly storage?: ModelStorage[];
}
