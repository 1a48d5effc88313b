/** The `monitoring` property of a construct: adds monitoring of this system as its children. */
import { Construct } from 'constructs';
import { addMonitoringObjects } from './add-objects';
import type {
  LlmMonitoringOptions, MonitoringOptions, RayMonitoringOptions, RequestCounter, ServingMonitoringOptions, SparkMonitoringOptions,
} from './monitoring-options';
import { MonitoringChecks, monitoredLlm, monitoredRay, monitoredServing, monitoredSpark } from './systems';
import { RAY_CRON_OWNED_SUFFIX, RAY_OWNED_SUFFIX } from '../../model/monitoring/ray/system';
import type { MonitoredSystem } from '../../model/monitoring/monitored-system';
import type { Selection } from '../../model/monitoring/promql';
import { SPARK_CONNECT, SPARK_OWNED_SUFFIX } from '../../model/monitoring/spark/system';

/** The monitored object. */
export interface MonitoredObject {
  /** Its kind, for errors. */
  readonly kind: string;
  readonly name: string;
  /** Its namespace, if the chart or its metadata has one. */
  readonly namespace?: string;
}

/**
 * Monitors a RayCluster, or the clusters of a RayJob, RayService or RayCronJob.
 * @param options `true` for the defaults; undefined for no monitoring
 * @param ownCluster whether it has a cluster of its own
 */
export function attachRayMonitoring(
  owner: Construct, object: MonitoredObject, options: RayMonitoringOptions | boolean | undefined, ownCluster: boolean = true,
): void {
  if (options !== undefined && options !== false && !ownCluster) {
    throw new Error(`${object.kind} at '${owner.node.path}': sets 'monitoring', but runs on a cluster that it does not own. Monitor that cluster instead, or all with Monitoring.forRay.`);
  }
  const suffix = object.kind === 'RayCluster' ? undefined : object.kind === 'RayCronJob' ? RAY_CRON_OWNED_SUFFIX : RAY_OWNED_SUFFIX;
  attach(owner, object, 'ray', options, (checks, given) => monitoredRay(checks, given, selectionOf(object, suffix)));
}

/** Monitors a SparkApplication, or those of a ScheduledSparkApplication. */
export function attachSparkMonitoring(owner: Construct, object: MonitoredObject, options: SparkMonitoringOptions | boolean | undefined): void {
  const suffix = object.kind === 'ScheduledSparkApplication' ? SPARK_OWNED_SUFFIX : undefined;
  attach(owner, object, 'spark', options, (checks, given) => monitoredSpark(checks, given, selectionOf(object, suffix)));
}

/** Monitors a SparkConnect. */
export function attachSparkConnectMonitoring(owner: Construct, object: MonitoredObject, options: SparkMonitoringOptions | boolean | undefined): void {
  attach(owner, object, 'spark-connect', options, (checks, given) => monitoredSpark(checks, given, selectionOf(object), SPARK_CONNECT));
}

/** Monitors an LLMInferenceService. */
export function attachLlmMonitoring(owner: Construct, object: MonitoredObject, options: LlmMonitoringOptions | boolean | undefined): void {
  attach(owner, object, 'llm', options, (checks, given) => monitoredLlm(checks, given, selectionOf(object)));
}

/** Monitors an InferenceService. @param requests sources of request metrics, unless the options set them */
export function attachServingMonitoring(
  owner: Construct, object: MonitoredObject, options: ServingMonitoringOptions | boolean | undefined, requests: readonly RequestCounter[],
): void {
  attach(owner, object, 'serving', options, (checks, given) => monitoredServing(checks, given, selectionOf(object), requests));
}

function selectionOf({ name, namespace }: MonitoredObject, suffix?: string): Selection {
  return { name, suffix, namespaces: namespace === undefined ? undefined : [namespace] };
}

function attach<T extends MonitoringOptions>(
  owner: Construct, { kind, name, namespace }: MonitoredObject, about: string, options: T | boolean | undefined,
  system: (checks: MonitoringChecks, options: T | MonitoringOptions) => MonitoredSystem,
): void {
  if (options === undefined || options === false) {
    return;
  }
  const given = options === true ? {} : options;
  const checks = new MonitoringChecks(owner, kind, 'monitoring.');
  addMonitoringObjects(new Construct(owner, 'Monitoring'), checks, system(checks, given), given, { name: `${name}-${about}`, namespace });
}
