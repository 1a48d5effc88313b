import type { Duration } from 'cdk8s';

/**
 * Monitoring of a system with Prometheus and Grafana. The cluster needs the CRDs of the Prometheus Operator, for example from kube-prometheus-stack;
 * Grafana loads the dashboard if its dashboard sidecar is enabled.
 */
export interface MonitoringOptions {
  /**
   * Whether to install monitors, which scrape the system. Alerts and dashboards use labels that these monitors set.
   * @default true
   */
  readonly scrape?: boolean;

  /** Time between two scrapes. @default Duration.seconds(30) */
  readonly interval?: Duration;

  /**
   * Labels with which Prometheus selects its monitors and rules, such as `release: kube-prometheus-stack`.
   * @default - none, for a Prometheus that selects all
   */
  readonly labels?: { readonly [label: string]: string };

  /** Whether to install alerts, as a PrometheusRule. @default true */
  readonly alerts?: boolean;

  /** Whether to install the Grafana dashboard, as a ConfigMap. @default true */
  readonly dashboard?: boolean;

  /** Labels with which Grafana's sidecar selects dashboards. @default - grafana_dashboard: "1" */
  readonly dashboardLabels?: { readonly [label: string]: string };

  /** Grafana folder of the dashboard. @default - Grafana's default */
  readonly dashboardFolder?: string;
}

/** Monitoring of a Ray cluster. */
export interface RayMonitoringOptions extends MonitoringOptions {
  /** Ratio of failed Ray Serve requests, from 0 to 1, above which an alert fires. @default 0.05 */
  readonly errorRatio?: number;
  /** 95th percentile of the latency of Ray Serve requests above which an alert fires. @default Duration.seconds(1) */
  readonly latency?: Duration;
  /** GPU utilization in percent below which GPUs are idle. @default 5 */
  readonly gpuIdleBelowPercent?: number;
  /** How long requested nodes may be pending before an alert fires. @default Duration.minutes(30) */
  readonly pendingFor?: Duration;
}

/** Properties of constructs with a Ray cluster. */
export interface RayMonitored {
  /** Monitoring with Prometheus and Grafana; `true` for all defaults. @default - none */
  readonly monitoring?: RayMonitoringOptions | boolean;
}

/** Monitoring of Spark applications. */
export interface SparkMonitoringOptions extends MonitoringOptions {
  /** Ratio of failed tasks, from 0 to 1, above which an alert fires. @default 0.1 */
  readonly failedTaskRatio?: number;

  /** Fraction of the tasks' time in garbage collection, from 0 to 1, above which an alert fires. @default 0.2 */
  readonly garbageCollectionRatio?: number;

  /**
   * How long applications may wait for their first executor on average in an hour, before an alert fires. Only if all applications are monitored.
   * @default Duration.minutes(10)
   */
  readonly startWithin?: Duration;
}

/** Source of metrics on requests to model servers and their errors. */
export enum RequestCounter {
  /** Knative's proxy in each server's pod, with `ServingMode.KNATIVE`. */
  KNATIVE = 'knative',
  /** Istio's gateways and sidecars. Prometheus must already scrape them. */
  ISTIO = 'istio',
  /** Envoy Gateway's proxies. Prometheus must already scrape them. */
  ENVOY_GATEWAY = 'envoy-gateway',
}

/** Monitoring of model servers. */
export interface ServingMonitoringOptions extends MonitoringOptions {
  /**
   * Sources of metrics on requests and errors, because KServe's own servers have none.
   * @default - for one service, KNATIVE in Knative mode and ENVOY_GATEWAY in Standard mode; both if all services are monitored
   */
  readonly requests?: RequestCounter[];

  /** Ratio of failed requests, from 0 to 1, above which an alert fires. @default 0.05 */
  readonly errorRatio?: number;

  /** 95th percentile of the latency above which an alert fires. @default Duration.seconds(1) */
  readonly latency?: Duration;

  /** Number of requests waiting for a language model's engine above which an alert fires. @default 10 */
  readonly waitingRequests?: number;
}

/** Monitoring of an `LlmInferenceService`, whose servers count requests and errors themselves. */
export interface LlmMonitoringOptions extends MonitoringOptions {
  /** Ratio of failed requests, from 0 to 1, above which an alert fires. @default 0.05 */
  readonly errorRatio?: number;
  /** 95th percentile of the time to the first token above which an alert fires. @default Duration.seconds(5) */
  readonly firstTokenWithin?: Duration;
  /** Number of requests waiting for the engine above which an alert fires. @default 10 */
  readonly waitingRequests?: number;
}

/** The installation of NVIDIA's DCGM exporter in a cluster. */
export enum GpuExporter {
  /**
   * The one that GKE runs in `gke-managed-system` on clusters with GPU metrics (`DCGM`) enabled. It exports no XID errors and no row remappings,
   * so the alerts `GpuXidError` and `GpuMemoryBroken` are left out.
   */
  GKE_MANAGED = 'gke-managed',

  /** The one that NVIDIA's GPU operator installs, in `gpu-operator` or `nvidia-gpu-operator`. */
  GPU_OPERATOR = 'gpu-operator',

  /** The chart `dcgm-exporter`, in `gpu-monitoring`. */
  CHART = 'chart',
}

/** Monitoring of GPUs with NVIDIA's DCGM exporter. */
export interface GpuMonitoringOptions extends MonitoringOptions {
  /**
   * The installation of the exporter in the cluster.
   * @default - that of the app's `KubeflowPlatform`, if it was created before; otherwise a monitor for each known installation
   */
  readonly exporter?: GpuExporter;

  /** Utilization in percent below which a pod's GPUs are idle. @default 5 */
  readonly idleBelowPercent?: number;

  /** How long GPUs are idle before an alert fires. @default Duration.minutes(30) */
  readonly idleFor?: Duration;

  /**
   * Namespaces of NVIDIA's DCGM exporter. Do not let other users create pods in them: Prometheus trusts the exporter's labels, so a scraped pod there
   * could fake metrics about any GPU. Exporters in other namespaces are ignored.
   * @default - those of the exporter, out of gpu-operator, nvidia-gpu-operator, gke-managed-system and gpu-monitoring
   */
  readonly exporterNamespaces?: string[];

  /** Temperature in degrees Celsius at which an alert fires. @default 85 */
  readonly maxTemperature?: number;
}
