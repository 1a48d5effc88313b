import type { Duration } from 'cdk8s';

/**
 * What is installed to watch a system with Prometheus and Grafana. The cluster has to have the definitions of the Prometheus Operator, as
 * kube-prometheus-stack brings them; Grafana loads the dashboard where its sidecar for dashboards is on.
 */
export interface MonitoringOptions {
  /**
   * Whether to install monitors, which have the system scraped. Alerts and dashboards ask for labels that these monitors set.
   * @default true
   */
  readonly scrape?: boolean;

  /** Time between two scrapes. @default Duration.seconds(30) */
  readonly interval?: Duration;

  /**
   * Labels by which a Prometheus selects its monitors and rules, such as `release: kube-prometheus-stack`.
   * @default - none: for a Prometheus that selects all
   */
  readonly labels?: { readonly [label: string]: string };

  /** Whether to install alerts, as a PrometheusRule. @default true */
  readonly alerts?: boolean;

  /** Whether to install the Grafana dashboard, as a ConfigMap. @default true */
  readonly dashboard?: boolean;

  /** Labels by which Grafana's sidecar finds dashboards. @default - grafana_dashboard: "1" */
  readonly dashboardLabels?: { readonly [label: string]: string };

  /** Folder of Grafana that the dashboard is shown in. @default - Grafana's default */
  readonly dashboardFolder?: string;
}

/** Monitoring of a cluster of Ray. */
export interface RayMonitoringOptions extends MonitoringOptions {
  /** Part of Ray Serve's requests, from 0 to 1, from which on an alert fires when they fail. @default 0.05 */
  readonly errorRatio?: number;
  /** Time that 95 of 100 of Ray Serve's requests may take. @default Duration.seconds(1) */
  readonly latency?: Duration;
  /** Use of GPUs in percent below which they are idle. @default 5 */
  readonly gpuIdleBelowPercent?: number;
  /** How long nodes may be asked for in vain. @default Duration.minutes(30) */
  readonly pendingFor?: Duration;
}

/** What can be watched as a cluster of Ray. */
export interface RayMonitored {
  /** What is installed for Prometheus and Grafana; `true` for all of it. @default - nothing */
  readonly monitoring?: RayMonitoringOptions | boolean;
}

/** Monitoring of an application of Spark. */
export interface SparkMonitoringOptions extends MonitoringOptions {
  /** Part of the tasks, from 0 to 1, from which on an alert fires when they fail. @default 0.1 */
  readonly failedTaskRatio?: number;

  /** Part of the tasks' time, from 0 to 1, that garbage collection may take. @default 0.2 */
  readonly garbageCollectionRatio?: number;

  /**
   * How long applications may wait for their first executor, in the mean of an hour. Only where all applications are watched.
   * @default Duration.minutes(10)
   */
  readonly startWithin?: Duration;
}

/** Who counts requests to model servers and their errors. */
export enum RequestCounter {
  /** Knative's proxy next to each server, in `ServingMode.KNATIVE`. */
  KNATIVE = 'knative',
  /** Istio's gateways and sidecars, which have to be scraped already. */
  ISTIO = 'istio',
  /** Envoy Gateway's proxies, which have to be scraped already. */
  ENVOY_GATEWAY = 'envoy-gateway',
}

/** Monitoring of model servers. */
export interface ServingMonitoringOptions extends MonitoringOptions {
  /**
   * Who counts requests and errors: KServe's own servers count neither.
   * @default - of one service, KNATIVE in Knative mode and ENVOY_GATEWAY in Standard mode; both where all are watched
   */
  readonly requests?: RequestCounter[];

  /** Part of the requests, from 0 to 1, from which on an alert fires when they fail. @default 0.05 */
  readonly errorRatio?: number;

  /** Time that 95 of 100 requests may take. @default Duration.seconds(1) */
  readonly latency?: Duration;

  /** How many requests may wait for a large language model's engine. @default 10 */
  readonly waitingRequests?: number;
}

/** Monitoring of an `LlmInferenceService`, whose servers count requests and errors themselves. */
export interface LlmMonitoringOptions extends MonitoringOptions {
  /** Part of the requests, from 0 to 1, from which on an alert fires when they fail. @default 0.05 */
  readonly errorRatio?: number;
  /** Time that 95 of 100 requests may wait for their first token. @default Duration.seconds(5) */
  readonly firstTokenWithin?: Duration;
  /** How many requests may wait for the engine. @default 10 */
  readonly waitingRequests?: number;
}

/** Which installation of NVIDIA's DCGM exporter measures the GPUs of a cluster. */
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

/** Monitoring of GPUs, as NVIDIA's DCGM exporter sees them. */
export interface GpuMonitoringOptions extends MonitoringOptions {
  /**
   * Which installation of the exporter the cluster has.
   * @default - that of the `KubeflowPlatform` that the app has when this is called; a monitor for each known installation if there is none
   */
  readonly exporter?: GpuExporter;

  /** Use in percent below which a pod's GPUs are idle. @default 5 */
  readonly idleBelowPercent?: number;

  /** For how long, for an alert. @default Duration.minutes(30) */
  readonly idleFor?: Duration;

  /**
   * Namespaces of NVIDIA's DCGM exporter, in which nobody else may create pods: its labels are taken as they are, so that whoever could have a pod
   * scraped in its place could say anything about the GPUs of others. Series of exporters elsewhere are neither scraped nor believed.
   * @default - those of the exporter, out of gpu-operator, nvidia-gpu-operator, gke-managed-system and gpu-monitoring
   */
  readonly exporterNamespaces?: string[];

  /** Temperature in Celsius from which on an alert fires. @default 85 */
  readonly maxTemperature?: number;
}
