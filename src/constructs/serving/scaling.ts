import type { Duration } from 'cdk8s';
import type { ScaleMetricSpec } from '../../model/serving/spec';
import { checkTypes } from '../props/check-props';

/** Options of `ScaleMetric.prometheus`. */
export interface PrometheusMetricOptions {
  /** Query with a single number as result. */
  readonly query: string;
  /** Target value per replica. Above it, replicas are added. */
  readonly target: number;
  /** URL of Prometheus. @default - from KServe's configuration */
  readonly serverAddress?: string;
  /** Name of a KEDA TriggerAuthentication with a bearer token. @default - none */
  readonly authentication?: string;
}

/** Options of `ScaleMetric.openTelemetry`. */
export interface OpenTelemetryMetricOptions {
  /** Metrics of the server that the collector in its pod reads, such as `vllm:num_requests_running`. */
  readonly metricNames: string[];
  /** Query of KEDA's OpenTelemetry add-on over them. */
  readonly query: string;
  /** Target value per replica. */
  readonly target: number;
}

/** A metric by which replicas are scaled. */
export class ScaleMetric {
  /** CPU utilization. @param percent percentage of the request, 1 to 100 */
  public static cpu(percent: number): ScaleMetric {
    return new ScaleMetric({ kind: 'cpu', target: percent });
  }

  /** Memory utilization. @param percent percentage of the request, 1 to 100 */
  public static memory(percent: number): ScaleMetric {
    return new ScaleMetric({ kind: 'memory', target: percent });
  }

  /** Concurrent requests. Only in `ServingMode.KNATIVE`. @param requests target per replica */
  public static concurrency(requests: number): ScaleMetric {
    return new ScaleMetric({ kind: 'concurrency', target: requests });
  }

  /** Requests per second. Only in `ServingMode.KNATIVE`. @param requests target per replica */
  public static requestsPerSecond(requests: number): ScaleMetric {
    return new ScaleMetric({ kind: 'rps', target: requests });
  }

  /** A Prometheus query. Only with `Autoscaler.KEDA`. */
  public static prometheus(options: PrometheusMetricOptions): ScaleMetric {
    checkTypes('ScaleMetric.prometheus', 'PrometheusMetricOptions', options);
    const { query, target, serverAddress, authentication } = options;
    return new ScaleMetric({ kind: 'prometheus', query, target, serverAddress, authenticationRef: authentication });
  }

  /**
   * Metrics of the server itself, which a collector in its pod reads. Only with `Autoscaler.KEDA`, and with KEDA's OpenTelemetry add-on.
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

/** Number of replicas of a component. */
export interface ServingScaling {
  /** Minimum number of replicas. 0 only in `ServingMode.KNATIVE`, and with `Autoscaler.KEDA` and a query. @default 1 */
  readonly minReplicas?: number;

  /** Maximum number of replicas. @default - `minReplicas` in Standard mode, no limit in Knative mode */
  readonly maxReplicas?: number;

  /**
   * Metrics by which they are scaled; several only in Standard mode.
   * @default - 80 % of the CPU in Standard mode, 100 concurrent requests in Knative mode
   */
  readonly metrics?: ScaleMetric[];

  /**
   * How long fewer replicas must be sufficient before one is removed, at most one hour.
   * @default - 5 minutes in Standard mode, immediately in Knative mode
   */
  readonly scaleDownDelay?: Duration;
}
