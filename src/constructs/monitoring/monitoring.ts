import { Construct } from 'constructs';
import { addMonitoringObjects } from './add-objects';
import { gpuExporterOf, MonitoringChecks, monitoredGpus, monitoredRay, monitoredServing, monitoredSpark } from './systems';
import type {
  GpuMonitoringOptions, MonitoringOptions, RayMonitoringOptions, ServingMonitoringOptions, SparkMonitoringOptions,
} from './monitoring-options';
import { alertsOf, type MonitoredSystem } from '../../model/monitoring/monitored-system';
import { checkTypes } from '../props/check-props';

/** Namespace of the objects of a `Monitoring`. */
export interface MonitoringPlacement {
  /**
   * Namespace of monitors, rules and dashboard. Prometheus and Grafana must read it.
   * @default - the chart's
   */
  readonly namespace?: string;
}

/** Namespaces that a `Monitoring` monitors. */
export interface MonitoredNamespaces extends MonitoringPlacement {
  /** Namespaces whose systems are monitored. @default - all */
  readonly namespaces?: string[];
}

/** Properties of `Monitoring.forRay`. */
export interface RayMonitoringProps extends RayMonitoringOptions, MonitoredNamespaces {}

/** Properties of `Monitoring.forSpark`. */
export interface SparkMonitoringProps extends SparkMonitoringOptions, MonitoredNamespaces {}

/** Properties of `Monitoring.forServing`. */
export interface ServingMonitoringProps extends ServingMonitoringOptions, MonitoredNamespaces {}

/** Properties of `Monitoring.forGpus`. */
export interface GpuMonitoringProps extends GpuMonitoringOptions, MonitoringPlacement {}

/**
 * Monitors, alerts and a Grafana dashboard for all systems of a kind, once for a cluster. To monitor a single one, use its `monitoring` property; for
 * training jobs, use the property of the `TrainingOperator`.
 * @example
 * import { Monitoring } from 'trainyard/monitoring';
 *
 * Monitoring.forGpus(chart, 'Gpus', { namespace: 'gpu-operator' });
 */
export class Monitoring extends Construct {
  /** Monitors Ray clusters: their nodes, Ray Serve, the autoscaler and the KubeRay operator. */
  public static forRay(scope: Construct, id: string, props: RayMonitoringProps = {}): Monitoring {
    checkTypes('Monitoring.forRay', 'RayMonitoringProps', props);
    return new Monitoring(scope, id, 'ray', props, (checks) => monitoredRay(checks, props, { namespaces: props.namespaces }));
  }

  /** Monitors Spark applications with the setting `spark.ui.prometheus.enabled`, and the Spark operator. */
  public static forSpark(scope: Construct, id: string, props: SparkMonitoringProps = {}): Monitoring {
    checkTypes('Monitoring.forSpark', 'SparkMonitoringProps', props);
    return new Monitoring(scope, id, 'spark', props, (checks) => monitoredSpark(checks, props, { namespaces: props.namespaces }));
  }

  /** Monitors model servers on KServe, including large language models. */
  public static forServing(scope: Construct, id: string, props: ServingMonitoringProps = {}): Monitoring {
    checkTypes('Monitoring.forServing', 'ServingMonitoringProps', props);
    return new Monitoring(scope, id, 'serving', props, (checks) => monitoredServing(checks, props, { namespaces: props.namespaces }));
  }

  /** Monitors GPUs with NVIDIA's DCGM exporter, installed by GKE, the GPU operator or its own chart. */
  public static forGpus(scope: Construct, id: string, props: GpuMonitoringProps = {}): Monitoring {
    checkTypes('Monitoring.forGpus', 'GpuMonitoringProps', props);
    return new Monitoring(scope, id, 'gpus', props, (checks) => monitoredGpus(checks, props, gpuExporterOf(scope)));
  }

  private readonly _alerts: string[];

  private constructor(
    scope: Construct, id: string, about: string, options: MonitoringOptions & MonitoredNamespaces,
    system: (checks: MonitoringChecks) => MonitoredSystem,
  ) {
    super(scope, id);
    const checks = new MonitoringChecks(this, 'Monitoring');
    const { namespace, namespaces } = options;
    if (namespaces?.length === 0) {
      checks.fail('namespaces', '[]', 'at least one namespace. Leave it out for all of them');
    }
    const monitored = system(checks);
    this._alerts = options.alerts ?? true ? alertsOf(monitored.groups).map(({ alert }) => alert) : [];
    addMonitoringObjects(this, checks, monitored, options, { name: `trainyard-${about}`, namespace, namespaces: namespaces ?? 'any' });
  }

  /** Names of the alerts that are installed, each once. */
  public get alertNames(): string[] {
    return [...new Set(this._alerts)];
  }
}
