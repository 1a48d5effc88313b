import type { Duration } from 'cdk8s';

/** Object by which the Prometheus Operator scrapes the training operator. */
export enum MetricsScrape {
  /** A ServiceMonitor, which goes through the operator's Service. */
  SERVICE_MONITOR = 'ServiceMonitor',
  /** A PodMonitor, which goes to the pods by their own addresses. */
  POD_MONITOR = 'PodMonitor',
  /** None: another party scrapes `/metrics` on port 8081. */
  NONE = 'None',
}

/**
 * What is installed for Prometheus and Grafana. The cluster has to have the definitions of the Prometheus Operator, as kube-prometheus-stack brings
 * them; Grafana loads the dashboard where its sidecar for dashboards is on.
 */
export interface OperatorMonitoring {
  /** Object that has the operator scraped. @default MetricsScrape.SERVICE_MONITOR */
  readonly scrape?: MetricsScrape;

  /** Time between two scrapes. @default Duration.seconds(30) */
  readonly interval?: Duration;

  /**
   * Labels by which a Prometheus selects its monitors and rules, such as `release: kube-prometheus-stack`.
   * @default - none: for a Prometheus that selects all
   */
  readonly labels?: { readonly [label: string]: string };

  /** Whether to install alerts and the recorded goodput, as a PrometheusRule. @default true */
  readonly alerts?: boolean;

  /**
   * Part of the replicas' time, from 0 to 1, that has to be productive; an alert fires when it is less for an hour.
   * @default 0.8
   */
  readonly goodputTarget?: number;

  /** Age from which the last checkpoint of a running job is too old, for an alert. @default Duration.hours(2) */
  readonly checkpointMaxAge?: Duration;

  /**
   * Time from which a job has waited too long for its pods, in its queue or for other reasons, for an alert.
   * @default Duration.hours(4)
   */
  readonly queueMaxWait?: Duration;

  /** Use in percent below which the GPUs of a pod are idle, as NVIDIA's DCGM exporter has it. @default 5 */
  readonly gpuIdleBelowPercent?: number;

  /** For how long they are idle until an alert fires. @default Duration.minutes(30) */
  readonly gpuIdleFor?: Duration;

  /** Whether to install the Grafana dashboard, as a ConfigMap. @default true */
  readonly dashboard?: boolean;

  /** Labels by which Grafana's sidecar finds dashboards. @default - grafana_dashboard: "1" */
  readonly dashboardLabels?: { readonly [label: string]: string };

  /** Folder of Grafana that the dashboard is shown in. @default - Grafana's default */
  readonly dashboardFolder?: string;

  /**
   * Whether jobs are also counted by the names of Kubeflow's training-operator (`training_operator_jobs_created_total` and so on), for
   * dashboards that exist.
   * @default false
   */
  readonly trainingOperatorNames?: boolean;
}

/** Where traces of jobs and of the operator's passes are sent, by OTLP over HTTP. */
export interface OperatorTracing {
  /** URL of an OpenTelemetry collector, without the path, such as `http://collector.observability:4318`. */
  readonly endpoint: string;
  /** Part of the traces that is sent, from 0 to 1. The trace of a job is sent whole or not at all. @default 1 */
  readonly sampleRatio?: number;
}
