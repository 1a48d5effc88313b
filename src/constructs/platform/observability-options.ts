import type { Duration, Size } from 'cdk8s';
import type { ComponentOptions } from './component-options';

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
