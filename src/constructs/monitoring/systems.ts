/** Checks the options of monitoring, applies defaults and converts them for the model. */
import { Duration } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  RequestCounter, type GpuMonitoringOptions, type LlmMonitoringOptions, type RayMonitoringOptions, type ServingMonitoringOptions,
  type SparkMonitoringOptions,
} from './monitoring-options';
import type { GpuExporterName } from '../../model/monitoring/gpu/exporters';
import { gpuSystem } from '../../model/monitoring/gpu/system';
import type { MonitoredSystem } from '../../model/monitoring/monitored-system';
import type { Selection } from '../../model/monitoring/promql';
import { raySystem } from '../../model/monitoring/ray/system';
import { llmSystem } from '../../model/monitoring/serving/llm-system';
import { servingSystem } from '../../model/monitoring/serving/system';
import { sparkSystem, type SparkTarget } from '../../model/monitoring/spark/system';

const SECOND = Duration.seconds(1);

/** Default sources of request metrics: one of them counts the requests of each service. */
const BOTH_MODES = [RequestCounter.KNATIVE, RequestCounter.ENVOY_GATEWAY];

/** Ray with its options. */
export function monitoredRay(checks: MonitoringChecks, options: RayMonitoringOptions, selection: Selection): MonitoredSystem {
  const { errorRatio = 0.05, latency = SECOND, gpuIdleBelowPercent = 5, pendingFor = Duration.minutes(30) } = options;
  checks.part('errorRatio', errorRatio, 'the requests');
  checks.positiveTime('latency', latency);
  checks.percent('gpuIdleBelowPercent', gpuIdleBelowPercent);
  checks.wholeSeconds('pendingFor', pendingFor);
  return raySystem(selection, {
    errorRatio, latencySeconds: latency.toMilliseconds() / 1000, gpuIdlePercent: gpuIdleBelowPercent, pendingSeconds: pendingFor.toSeconds(),
  });
}

/** Spark with its options. @param target what is monitored; by default, applications */
export function monitoredSpark(
  checks: MonitoringChecks, options: SparkMonitoringOptions, selection: Selection, target?: SparkTarget,
): MonitoredSystem {
  const { failedTaskRatio = 0.1, garbageCollectionRatio = 0.2, startWithin = Duration.minutes(10) } = options;
  checks.part('failedTaskRatio', failedTaskRatio, 'the tasks');
  checks.part('garbageCollectionRatio', garbageCollectionRatio, 'the tasks\' time');
  checks.wholeSeconds('startWithin', startWithin);
  return sparkSystem(selection, { failedTaskRatio, garbageCollectionRatio, startSeconds: startWithin.toSeconds() }, target);
}

/** A large language model with its options. */
export function monitoredLlm(checks: MonitoringChecks, options: LlmMonitoringOptions, selection: Selection): MonitoredSystem {
  const { errorRatio = 0.05, firstTokenWithin = Duration.seconds(5), waitingRequests = 10 } = options;
  checks.part('errorRatio', errorRatio, 'the requests');
  checks.positiveTime('firstTokenWithin', firstTokenWithin);
  checks.atLeast('waitingRequests', waitingRequests, 0);
  return llmSystem(selection, { errorRatio, firstTokenSeconds: firstTokenWithin.toMilliseconds() / 1000, waitingRequests });
}

/** Model servers with their options. @param requests sources of request metrics, unless the options set them */
export function monitoredServing(
  checks: MonitoringChecks, options: ServingMonitoringOptions, selection: Selection, requests: readonly RequestCounter[] = BOTH_MODES,
): MonitoredSystem {
  const { errorRatio = 0.05, latency = SECOND, waitingRequests = 10 } = options;
  const counters = options.requests ?? requests;
  checks.part('errorRatio', errorRatio, 'the requests');
  checks.positiveTime('latency', latency);
  checks.atLeast('waitingRequests', waitingRequests, 0);
  const twice = counters.find((counter, index) => counters.indexOf(counter) < index);
  if (twice !== undefined) {
    checks.fail('requests', `[${counters.join(', ')}]`, `a list that names '${twice}' once`);
  }
  return servingSystem(selection, { errorRatio, latencySeconds: latency.toMilliseconds() / 1000, waitingRequests }, counters);
}

/** GPUs with their options. @param exporter exporter of the program's platform, if any */
export function monitoredGpus(checks: MonitoringChecks, options: GpuMonitoringOptions, exporter: GpuExporterName | undefined): MonitoredSystem {
  const { idleBelowPercent = 5, idleFor = Duration.minutes(30), maxTemperature = 85, exporterNamespaces } = options;
  checks.percent('idleBelowPercent', idleBelowPercent);
  checks.wholeSeconds('idleFor', idleFor);
  checks.atLeast('maxTemperature', maxTemperature, 1);
  if (exporterNamespaces?.length === 0) {
    checks.fail('exporterNamespaces', '[]', 'at least one namespace. Leave it out for the default');
  }
  const chosen = options.exporter ?? exporter;
  return gpuSystem({
    idlePercent: idleBelowPercent, idleSeconds: idleFor.toSeconds(), temperature: maxTemperature, exporterNamespaces, exporters: chosen && [chosen],
  });
}

/** Checks of the options of one construct. */
export class MonitoringChecks {
  /**
   * @param owner the construct that was given the options
   * @param kind its class
   * @param prefix of fields, such as `monitoring.`
   */
  public constructor(private readonly owner: Construct, private readonly kind: string, private readonly prefix = '') {}

  /** Rejects a value. @param rule completes "must be ..." */
  public fail(field: string, value: unknown, rule: string): never {
    throw new Error(`${this.kind} at '${this.owner.node.path}': ${this.prefix}${field} is ${String(value)} and must be ${rule}.`);
  }

  /** A fraction, from 0 to 1. */
  public part(field: string, value: number, of: string): void {
    if (!(value >= 0 && value <= 1)) {
      this.fail(field, value, `a share of ${of}, from 0 to 1`);
    }
  }

  /** A percentage. */
  public percent(field: string, value: number): void {
    if (!(value > 0 && value <= 100)) {
      this.fail(field, value, 'more than 0 and at most 100, in percent');
    }
  }

  /** A duration that Prometheus accepts. */
  public wholeSeconds(field: string, duration: Duration): void {
    if (!(duration.toMilliseconds() >= 1000 && Number.isInteger(duration.toMilliseconds() / 1000))) {
      this.fail(field, `${duration.toMilliseconds()} ms`, 'whole seconds, 1 or more');
    }
  }

  /** A duration that a histogram can measure. */
  public positiveTime(field: string, duration: Duration): void {
    if (!(duration.toMilliseconds() > 0)) {
      this.fail(field, `${duration.toMilliseconds()} ms`, 'greater than zero');
    }
  }

  /** A number with a minimum. */
  public atLeast(field: string, value: number, least: number): void {
    if (!(Number.isFinite(value) && value >= least)) {
      this.fail(field, value, `a number, ${least} or more`);
    }
  }
}

/** The GPU exporter that an app's platform installs, the default of monitors. */
const EXPORTERS = new WeakMap<object, GpuExporterName>();

/** Records the GPU exporter of the app's cluster. */
export function recordGpuExporter(scope: Construct, exporter: GpuExporterName): void {
  EXPORTERS.set(scope.node.root, exporter);
}

/** The GPU exporter of the app's cluster, if a platform has recorded it. */
export function gpuExporterOf(scope: Construct): GpuExporterName | undefined {
  return EXPORTERS.get(scope.node.root);
}
