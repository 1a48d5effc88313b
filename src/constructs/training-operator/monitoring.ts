import type { Duration } from 'cdk8s';

/** Object with which the Prometheus Operator scrapes the training operator. */
export enum MetricsScrape {
  /** A ServiceMonitor, which uses the operator's Service. */
  SERVICE_MONITOR = 'ServiceMonitor',
  /** A PodMonitor, which uses the pods directly. */
  POD_MONITOR = 'PodMonitor',
  /** None: you scrape `/metrics` on port 8081 yourself. */
  NONE = 'None',
}

/**
 * Monitoring with Prometheus and Grafana. The cluster needs the CRDs of the Prometheus Operator, for example from kube-prometheus-stack; Grafana
 * loads the dashboard if its dashboard sidecar is enabled.
 */
export interface OperatorMonitoring {
  /** Object with which Prometheus scrapes the operator. @default MetricsScrape.SERVICE_MONITOR */
  readonly scrape?: MetricsScrape;

  /** Time between two scrapes. @default Duration.seconds(30) */
  readonly interval?: Duration;

  /**
   * Labels with which Prometheus selects its monitors and rules, such as `release: kube-prometheus-stack`.
   * @default - none, for a Prometheus that selects all
   */
  readonly labels?: { readonly [label: string]: string };

  /** Whether to install alerts and the recorded goodput, as a PrometheusRule. @default true */
  readonly alerts?: boolean;

  /**
   * Fraction of the replicas' time, from 0 to 1, that must be productive. An alert fires if it is lower for an hour.
   * @default 0.8
   */
  readonly goodputTarget?: number;

  /** Age of a running job's last checkpoint at which an alert fires. @default Duration.hours(2) */
  readonly checkpointMaxAge?: Duration;

  /**
   * Time that a job waits for its pods, in its queue or for other reasons, before an alert fires.
   * @default Duration.hours(4)
   */
  readonly queueMaxWait?: Duration;

  /** Utilization in percent, measured by NVIDIA's DCGM exporter, below which the GPUs of a pod are idle. @default 5 */
  readonly gpuIdleBelowPercent?: number;

  /** How long GPUs are idle before an alert fires. @default Duration.minutes(30) */
  readonly gpuIdleFor?: Duration;

  /** Whether to install the Grafana dashboard, as a ConfigMap. @default true */
  readonly dashboard?: boolean;

  /** Labels with which Grafana's sidecar selects dashboards. @default - grafana_dashboard: "1" */
  readonly dashboardLabels?: { readonly [label: string]: string };

  /** Grafana folder of the dashboard. @default - Grafana's default */
  readonly dashboardFolder?: string;

  /**
   * Whether metrics are also exported with the names of Kubeflow's training-operator (`training_operator_jobs_created_total` and so on), for
   * existing dashboards.
   * @default false
   */
  readonly trainingOperatorNames?: boolean;
}

/** Destination of traces of jobs and of the operator's passes, with OTLP over HTTP. */
export interface OperatorTracing {
  /** URL of an OpenTelemetry collector, without the path, such as `http://collector.observability:4318`. */
  readonly endpoint: string;
  /** Fraction of the traces to send, from 0 to 1. The trace of a job is sent completely or not at all. @default 1 */
  readonly sampleRatio?: number;
}
