import type { Duration, Size } from 'cdk8s';

/** A patch of a component's kustomization. */
export interface PlatformPatch {
  /**
   * The patch: a part of the object, which is merged into it, or operations of a JSON patch (`[{ op, path, value }]`), which need `target`.
   */
  // Objects of all kinds, and lists of operations.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly patch: any;

  /** Which objects are changed. @default - the one that `patch` names */
  readonly target?: PlatformPatchTarget;

  /**
   * Kustomization of the component that contains the object, such as `controller` of the notebooks.
   * @default - the only one
   */
  readonly part?: string;
}

/** Objects that a patch applies to. */
export interface PlatformPatchTarget {
  /** Group of their kind. @default - any */
  readonly group?: string;
  /** Their kind. @default - any */
  readonly kind?: string;
  /** Their name, or a regular expression for it. @default - any */
  readonly name?: string;
  /** Their namespace. @default - any */
  readonly namespace?: string;
}

/** Options of all components. */
export interface ComponentOptions {
  /** Version of its charts, or tag of its folders. @default - the catalogue's, which is tested with the others */
  readonly version?: string;
  /** Values of its chart, which override the platform's; of the last chart if there are several. @default - none */
  // The chart defines the structure of its values.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly values?: { readonly [name: string]: any };
  /** Changes of its kustomizations. @default - none */
  readonly patches?: PlatformPatch[];
}

/** Options of KServe. */
export interface KServeComponentOptions extends ComponentOptions {
  /** Whether services can run in Knative's mode. Needs Knative Serving and Istio. @default false */
  readonly knative?: boolean;
  /** Whether services get routes of the Gateway API. @default - the preset's, else false */
  readonly gatewayApi?: boolean;
  /** Whether KEDA scales services. @default - the preset's, else false */
  readonly keda?: boolean;
}

/** Options of Kubeflow Trainer. */
export interface TrainerComponentOptions extends ComponentOptions {
  /** Whether its runtimes for PyTorch, DeepSpeed, JAX and others are installed. @default true */
  readonly runtimes?: boolean;
}

/** Options of Kueue. */
export interface KueueComponentOptions extends ComponentOptions {
  /**
   * Kinds that it queues, as Kueue names them: `batch/job`, `trainer.kubeflow.org/trainjob`.
   * @default - all that Kueue supports: it ignores kinds that are not installed
   */
  readonly frameworks?: string[];

  /** Whether cohorts share unused quota by weight. @default false */
  readonly fairSharing?: boolean;

  /** How long pods of an admitted job may take to become ready before it is queued again. @default - no limit */
  readonly waitForPodsReady?: Duration;

  /** Whether jobs without a queue are suspended too. @default false */
  readonly manageJobsWithoutQueueName?: boolean;

  /**
   * Half-life of the usage of a LocalQueue, for ClusterQueues with `admitByUsage`.
   * @default - Kueue ignores past usage
   */
  readonly usageHalfLife?: Duration;

  /**
   * Prefixes of resources that no queue counts, such as `networking.gke.io/`. Set them on the program's ClusterQueues too.
   * @default - all resources are counted
   */
  readonly uncountedResources?: string[];

  /**
   * Feature gates, such as `TASFailedNodeReplacement`. Set them here and not in the values of the chart: Kueue does not start with gates in both.
   * @default - those that its integrations need: SparkApplicationIntegration for SparkApplications
   */
  readonly featureGates?: { readonly [gate: string]: boolean };
}

/** Options of KubeRay. */
export interface KubeRayComponentOptions extends ComponentOptions {
  /**
   * Scheduler of gangs: `volcano`, `scheduler-plugins`, `yunikorn` or `kai-scheduler`.
   * @default - the cluster's own scheduler
   */
  readonly batchScheduler?: string;

  /** Namespaces that it watches. @default - all */
  readonly watchNamespaces?: string[];
}

/** Options of the Spark operator. */
export interface SparkOperatorComponentOptions extends ComponentOptions {
  /** Namespaces of applications. @default - all */
  readonly jobNamespaces?: string[];
  /** Whether applications can use a gang scheduler. @default false */
  readonly batchScheduler?: boolean;
}

/** Options of the NVIDIA GPU operator. */
export interface GpuOperatorComponentOptions extends ComponentOptions {
  /** Whether it installs drivers. @default - true, but false on GKE, which installs them */
  readonly driver?: boolean;
  /** MIG strategy: `none`, `single` or `mixed`. @default - the operator's, single */
  readonly migStrategy?: string;
}

/** Options of the cluster autoscaler. GKE has its own, which is configured in node pools. */
export interface ClusterAutoscalerComponentOptions extends ComponentOptions {
  /**
   * Cloud provider, as the chart names it: `aws`, `azure`, `gce`, `clusterapi`, `magnum`.
   * @default - the chart's: aws
   */
  readonly cloudProvider?: string;

  /**
   * Name of the cluster, with which its node groups are discovered.
   * @default - the node groups are in `values.autoscalingGroups`
   */
  readonly clusterName?: string;

  /**
   * Regular expressions for names of node groups by priority; the highest priority is scaled up first. For example, spot first:
   * `{ 50: ['.*spot.*'], 10: ['.*'] }`.
   * @default - no order
   */
  readonly priorities?: { readonly [priority: string]: string[] };

  /** How long a node may take to start. @default Duration.minutes(30) */
  readonly maxNodeProvisionTime?: Duration;

  /** How long a node is idle before it is removed. @default Duration.minutes(20) */
  readonly scaleDownUnneededTime?: Duration;

  /**
   * How it chooses among node groups: `least-waste`, `price` and others.
   * @default - priority with `priorities`, else least-waste
   */
  readonly expander?: string;
}

/** Options of kube-prometheus-stack. */
export interface PrometheusComponentOptions extends ComponentOptions {
  /** How long samples are kept: whole hours. @default - the chart's */
  readonly retention?: Duration;
  /** Size of Prometheus' volume. @default - none: samples are lost with the pod */
  readonly storage?: Size;
  /** Whether Grafana is installed too. @default true */
  readonly grafana?: boolean;
}

/** Options of Fluent Bit. */
export interface FluentBitComponentOptions extends ComponentOptions {
  /**
   * URL of a Loki outside the platform.
   * @default - the platform's log store: Loki or Elasticsearch
   */
  readonly lokiUrl?: string;

  /** Namespaces whose logs are collected. @default - all */
  readonly namespaces?: string[];
}

/** Options of Elasticsearch and Kibana. */
export interface ElasticStackComponentOptions {
  /** Number of Elasticsearch nodes. @default 1 */
  readonly nodes?: number;
  /** Volume size of each node. @default Size.gibibytes(50) */
  readonly storage?: Size;
}

/** Options of the Trivy operator, which scans running images. */
export interface TrivyComponentOptions extends ComponentOptions {
  /** Namespaces whose images are not scanned. @default - none */
  readonly exceptNamespaces?: string[];
  /** Number of images that are scanned at the same time. @default 2 */
  readonly concurrentScans?: number;
  /** How long a report is valid. Then the image is scanned again. @default Duration.days(7) */
  readonly reportLifetime?: Duration;
  /** Whether vulnerabilities without a fix are reported. @default false */
  readonly unfixed?: boolean;
}
