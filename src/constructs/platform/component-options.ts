import type { Duration, Size } from 'cdk8s';

/** What kustomizations of others are changed by. */
export interface PlatformPatch {
  /**
   * The change: a part of the object, which is merged into it, or operations of a JSON patch (`[{ op, path, value }]`), which need `target`.
   */
  // Objects of all kinds, and lists of operations.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly patch: any;

  /** Which objects are changed. @default - the one that `patch` names */
  readonly target?: PlatformPatchTarget;

  /**
   * Kustomization of the component that has the object, such as `controller` of the notebooks.
   * @default - the only one
   */
  readonly part?: string;
}

/** Objects that a patch is for. */
export interface PlatformPatchTarget {
  /** Group of their kind. @default - any */
  readonly group?: string;
  /** Their kind. @default - any */
  readonly kind?: string;
  /** Their name, or a regular expression of it. @default - any */
  readonly name?: string;
  /** Their namespace. @default - any */
  readonly namespace?: string;
}

/** What every component can be told. */
export interface ComponentOptions {
  /** Version of its charts, or tag of its folders. @default - the catalogue's, which is tested with the others */
  readonly version?: string;
  /** Values of its chart, over all that the platform sets; of the last one where there are several. @default - none */
  // Values are what the chart's author has thought of.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly values?: { readonly [name: string]: any };
  /** Changes of its kustomizations. @default - none */
  readonly patches?: PlatformPatch[];
}

/** Options of KServe. */
export interface KServeComponentOptions extends ComponentOptions {
  /** Whether services can run in Knative's mode. Needs Knative Serving and Istio. @default false */
  readonly knative?: boolean;
  /** Whether services get routes of the Gateway API. @default - as the preset has it, else false */
  readonly gatewayApi?: boolean;
  /** Whether services are scaled by KEDA. @default - as the preset has it, else false */
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
   * Kinds that it queues, as it names them: `batch/job`, `trainer.kubeflow.org/trainjob`.
   * @default - those of the operators that the catalogue has
   */
  readonly frameworks?: string[];

  /** Whether cohorts share what is left by weight. @default false */
  readonly fairSharing?: boolean;

  /** How long pods of an admitted job may take to become ready before it goes back to its queue. @default - without limit */
  readonly waitForPodsReady?: Duration;

  /** Whether jobs without a queue are held too. @default false */
  readonly manageJobsWithoutQueueName?: boolean;

  /**
   * Half-life of what a LocalQueue has used, for ClusterQueues with `admitByUsage`.
   * @default - Kueue does not look at what has been used
   */
  readonly usageHalfLife?: Duration;

  /**
   * Starts of names of resources that no queue counts, such as `networking.gke.io/`. ClusterQueues of the program name them too.
   * @default - all resources are counted
   */
  readonly uncountedResources?: string[];
}

/** Options of KubeRay. */
export interface KubeRayComponentOptions extends ComponentOptions {
  /**
   * Scheduler of gangs: `volcano`, `scheduler-plugins`, `yunikorn` or `kai-scheduler`.
   * @default - the cluster's own scheduler
   */
  readonly batchScheduler?: string;

  /** Namespaces that it looks into. @default - all */
  readonly watchNamespaces?: string[];
}

/** Options of the Spark operator. */
export interface SparkOperatorComponentOptions extends ComponentOptions {
  /** Namespaces of applications. @default - all */
  readonly jobNamespaces?: string[];
  /** Whether gangs can be asked for. @default false */
  readonly batchScheduler?: boolean;
}

/** Options of the NVIDIA GPU operator. */
export interface GpuOperatorComponentOptions extends ComponentOptions {
  /** Whether it installs drivers. @default - true, and false on GKE, which has them */
  readonly driver?: boolean;
  /** How partitions of GPUs are called: `none`, `single` or `mixed`. @default - the operator's own, single */
  readonly migStrategy?: string;
}

/** Options of the cluster autoscaler. GKE has its own, whose settings are those of node pools. */
export interface ClusterAutoscalerComponentOptions extends ComponentOptions {
  /**
   * Whose machines they are, as the chart names it: `aws`, `azure`, `gce`, `clusterapi`, `magnum`.
   * @default - the chart's own: aws
   */
  readonly cloudProvider?: string;

  /**
   * Name of the cluster, by which its groups of nodes are found. Without it, `values` name the groups.
   * @default - groups are named in `values.autoscalingGroups`
   */
  readonly clusterName?: string;

  /**
   * Groups of nodes in the order in which they grow: expressions for their names by priority, the largest first. Spot before others, say:
   * `{ 50: ['.*spot.*'], 10: ['.*'] }`.
   * @default - no order
   */
  readonly priorities?: { readonly [priority: string]: string[] };

  /** How long a node may take to come. @default Duration.minutes(30) */
  readonly maxNodeProvisionTime?: Duration;

  /** How long a node is idle before it goes. @default Duration.minutes(20) */
  readonly scaleDownUnneededTime?: Duration;

  /**
   * How it chooses among groups of nodes: `least-waste`, `price` and others.
   * @default - priority with `priorities`, else least-waste
   */
  readonly expander?: string;
}

/** Options of kube-prometheus-stack. */
export interface PrometheusComponentOptions extends ComponentOptions {
  /** How long samples are kept: whole hours. @default - the chart's */
  readonly retention?: Duration;
  /** Size of Prometheus' volume. @default - none: samples go with the pod */
  readonly storage?: Size;
  /** Whether Grafana is installed too. @default true */
  readonly grafana?: boolean;
}

/** Options of Fluent Bit. */
export interface FluentBitComponentOptions extends ComponentOptions {
  /**
   * URL of a Loki, where it is not the platform's.
   * @default - the store of lines that the platform has: Loki or Elasticsearch
   */
  readonly lokiUrl?: string;

  /** Namespaces whose pods are read. @default - all */
  readonly namespaces?: string[];
}

/** Options of Elasticsearch and Kibana. */
export interface ElasticStackComponentOptions {
  /** Nodes of Elasticsearch. @default 1 */
  readonly nodes?: number;
  /** Space of each node. @default Size.gibibytes(50) */
  readonly storage?: Size;
}

/** Options of the Trivy operator, which looks through the images that run. */
export interface TrivyComponentOptions extends ComponentOptions {
  /** Namespaces whose images are not looked at. @default - none */
  readonly exceptNamespaces?: string[];
  /** Images that are looked at at a time. @default 2 */
  readonly concurrentScans?: number;
  /** How long a report is good for. Then the image is looked at again. @default Duration.days(7) */
  readonly reportLifetime?: Duration;
  /** Whether weaknesses without a fix are reported. @default false */
  readonly unfixed?: boolean;
}
