import type { Duration } from 'cdk8s';
import type { ScaleMetricSpec } from '../../model/serving/spec';
import { checkTypes } from '../props/check-props';

/** Options of `ScaleMetric.prometheus`. */
export interface PrometheusMetricOptions {
  /** Query with one number as its result. */
  readonly query: string;
  /** What one replica can take of it. Above that, there are more. */
  readonly target: number;
  /** URL of Prometheus. @default - the one of KServe's configuration */
  readonly serverAddress?: string;
  /** Name of a TriggerAuthentication of KEDA with a bearer token. @default - none */
  readonly authentication?: string;
}

/** Options of `ScaleMetric.openTelemetry`. */
export interface OpenTelemetryMetricOptions {
  /** Metrics of the server that the collector next to it reads, such as `vllm:num_requests_running`. */
  readonly metricNames: string[];
  /** Query of KEDA's OpenTelemetry add-on over them. */
  readonly query: string;
  /** What one replica can take of it. */
  readonly target: number;
}

/** What replicas are counted by. */
export class ScaleMetric {
  /** Use of the CPU. @param percent part of the request, 1 to 100 */
  public static cpu(percent: number): ScaleMetric {
    return new ScaleMetric({ kind: 'cpu', target: percent });
  }

  /** Use of memory. @param percent part of the request, 1 to 100 */
  public static memory(percent: number): ScaleMetric {
    return new ScaleMetric({ kind: 'memory', target: percent });
  }

  /** Requests at the same time. Only in `ServingMode.KNATIVE`. @param requests how many a replica should have */
  public static concurrency(requests: number): ScaleMetric {
    return new ScaleMetric({ kind: 'concurrency', target: requests });
  }

  /** Requests a second. Only in `ServingMode.KNATIVE`. @param requests how many a replica should have */
  public static requestsPerSecond(requests: number): ScaleMetric {
    return new ScaleMetric({ kind: 'rps', target: requests });
  }

  /** A query of Prometheus. Only with `Autoscaler.KEDA`. */
  public static prometheus(options: PrometheusMetricOptions): ScaleMetric {
    checkTypes('ScaleMetric.prometheus', 'PrometheusMetricOptions', options);
    const { query, target, serverAddress, authentication } = options;
    return new ScaleMetric({ kind: 'prometheus', query, target, serverAddress, authenticationRef: authentication });
  }

  /**
   * Metrics of the server itself, read by a collector next to it. Only with `Autoscaler.KEDA`, and with KEDA's OpenTelemetry add-on.
   */
  public static openTelemetry(options: OpenTelemetryMetricOptions): ScaleMetric {
    checkTypes('ScaleMetric.openTelemetry', 'OpenTelemetryMetricOptions', options);
    return new ScaleMetric({ kind: 'openTelemetry', ...options });
  }

  private constructor(private readonly spec: ScaleMetricSpec) {}

  /** @internal */
  public _toSpec(): ScaleMetricSpec {
    return this.spec;
  }
}

/** How many replicas a component has. */
export interface ServingScaling {
  /** Fewest replicas. 0 only in `ServingMode.KNATIVE`, and with `Autoscaler.KEDA` by a query. @default 1 */
  readonly minReplicas?: number;

  /** Most replicas. @default - `minReplicas` in Standard mode, no limit in Knative mode */
  readonly maxReplicas?: number;

  /**
   * What they are counted by; several only in Standard mode.
   * @default - 80 % of the CPU in Standard mode, 100 requests at the same time in Knative mode
   */
  readonly metrics?: ScaleMetric[];

  /**
   * How long fewer replicas have to be enough before one is taken away, an hour at most.
   * @default - 5 minutes in Standard mode, at once in Knative mode
   */
  readonly scaleDownDelay?: Duration;
}
