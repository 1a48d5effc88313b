/**
 * Rules on replicas and what they are counted by. KServe's webhook judges the autoscaler that an annotation names, and only that; what the other one
 * would have needed is dropped without a word.
 * @see https://kserve.github.io/website/docs/model-serving/predictive-inference/autoscaling/hpa-autoscaler
 */
import {
  DEFAULT_AUTOSCALER, DEFAULT_MIN_REPLICAS, componentsOf,
  type Autoscaler, type InferenceServiceSpec, type ScaleMetricSpec, type ScalingSpec, type ServingMode,
} from './spec';
import { ViolationCollector, type Violation } from '../violations';

const KNATIVE_MAX_SCALE_DOWN_DELAY = 3600;

/** Longest window of a HorizontalPodAutoscaler. */
const HPA_MAX_STABILIZATION = 3600;

/** Metrics of queries, which only KEDA asks. */
const QUERIED: readonly ScaleMetricSpec['kind'][] = ['prometheus', 'openTelemetry'];

/** Metrics that pods have, which need a running pod to be measured. */
const OF_RUNNING_PODS: readonly ScaleMetricSpec['kind'][] = ['cpu', 'memory'];

export function validateServingScaling(spec: InferenceServiceSpec): Violation[] {
  const violations = new ViolationCollector();
  if (spec.mode === 'Knative' && spec.autoscaler !== undefined) {
    violations.add('metadata.annotations[serving.kserve.io/autoscalerClass]', spec.autoscaler,
      'is an autoscaler for Standard mode; Knative scales its revisions itself. Leave the autoscaler out.');
  }
  // Also components that say nothing of scaling: the autoscaler is one for all.
  for (const { component: { scaling = {} }, path } of componentsOf(spec)) {
    validateReplicas(scaling, path, violations);
    (scaling.metrics ?? []).forEach((metric) => validateTarget(metric, path, violations));
    if (spec.mode === 'Knative') {
      validateKnative(scaling, path, violations);
    } else {
      validateStandard(scaling, spec.autoscaler ?? DEFAULT_AUTOSCALER, path, violations);
    }
  }
  return violations.violations;
}

function validateReplicas({ minReplicas, maxReplicas }: ScalingSpec, path: string, violations: ViolationCollector): void {
  violations.whole(`${path}.minReplicas`, minReplicas, 0);
  violations.whole(`${path}.maxReplicas`, maxReplicas, 1, Infinity, '. To stop the service, use stopped.');
  if (maxReplicas !== undefined && maxReplicas >= 1 && (minReplicas ?? DEFAULT_MIN_REPLICAS) > maxReplicas) {
    violations.add(`${path}.minReplicas`, minReplicas, `is more than maxReplicas (${maxReplicas}). Raise one or lower the other.`);
  }
}

function validateTarget({ kind, target, query, serverAddress, metricNames }: ScaleMetricSpec, path: string, violations: ViolationCollector): void {
  if (OF_RUNNING_PODS.includes(kind) && !(Number.isInteger(target) && target >= 1 && target <= 100)) {
    violations.add(`${path}.scaleTarget`, target, `is the utilization of ${kind} in percent of the request: a whole number from 1 to 100.`);
  }
  if ((kind === 'concurrency' || kind === 'rps') && !(Number.isInteger(target) && target >= 1)) {
    violations.add(`${path}.scaleTarget`, target, `is the number of ${kind === 'rps' ? 'requests per second' : 'concurrent requests'} of a replica: a whole number, 1 or more.`);
  }
  if (QUERIED.includes(kind)) {
    const place = `${path}.autoScaling.metrics[].${kind === 'prometheus' ? 'external' : 'podmetric'}`;
    if (!(target > 0)) {
      violations.add(`${place}.target.value`, target, 'must be more than 0: the value of the query that one replica can take.');
    }
    if ((query ?? '').trim() === '') {
      violations.add(`${place}.metric.query`, query, 'must not be empty.');
    }
    violations.form(`${place}.metric.serverAddress`, serverAddress, /^https?:\/\/[^/\s]+/, 'must be a URL that begins with http:// or https://.');
    if (kind === 'openTelemetry' && (metricNames ?? []).length === 0) {
      violations.add(`${place}.metric.metricNames`, metricNames, 'must name the metrics that the sidecar collects.');
    }
  }
}

function validateKnative({ minReplicas, metrics = [], scaleDownDelaySeconds }: ScalingSpec, path: string, violations: ViolationCollector): void {
  if (metrics.length > 1) {
    violations.add(`${path}.scaleMetric`, metrics.map(({ kind }) => kind).join(', '), 'Knative scales by one metric. Keep one of them.');
  }
  for (const { kind } of metrics) {
    if (QUERIED.includes(kind)) {
      violations.add(`${path}.autoScaling.metrics`, kind, 'is a KEDA metric, which Knative mode does not support. Scale by concurrency or requests, or use Standard mode with KEDA.');
    }
    if (OF_RUNNING_PODS.includes(kind) && minReplicas === 0) {
      violations.add(`${path}.minReplicas`, 0, `cannot be reached with ${kind}: Knative scales by it with a HorizontalPodAutoscaler, which keeps one pod. Scale by concurrency.`);
    }
  }
  if (scaleDownDelaySeconds !== undefined && scaleDownDelaySeconds > KNATIVE_MAX_SCALE_DOWN_DELAY) {
    violations.add(`${path}.annotations[autoscaling.knative.dev/scale-down-delay]`, scaleDownDelaySeconds, 'Knative accepts at most an hour. Shorten it.');
  }
}

function validateStandard(scaling: ScalingSpec, autoscaler: Autoscaler, path: string, violations: ViolationCollector): void {
  const { minReplicas = DEFAULT_MIN_REPLICAS, maxReplicas, metrics = [], scaleDownDelaySeconds } = scaling;
  for (const { kind } of metrics) {
    if (kind === 'concurrency' || kind === 'rps') {
      violations.add(`${path}.scaleMetric`, kind, notByConcurrency('Standard', autoscaler));
    } else if (QUERIED.includes(kind) && autoscaler !== 'keda') {
      violations.add(`${path}.autoScaling.metrics`, kind, `only KEDA uses it, and the autoscaler is ${autoscaler}. Use Autoscaler.KEDA.`);
    }
  }
  if (minReplicas === 0 && autoscaler === 'hpa') {
    violations.add(`${path}.minReplicas`, 0, 'a HorizontalPodAutoscaler keeps one pod. Use Knative mode, or KEDA with a query.');
  }
  if (minReplicas === 0 && autoscaler === 'keda' && !metrics.some(({ kind }) => QUERIED.includes(kind))) {
    violations.add(`${path}.minReplicas`, 0, 'KEDA rejects it if cpu and memory are the only metrics: without pods they have no value. Add a query metric.');
  }
  if (autoscaler === 'keda' && metrics.length === 0) {
    violations.add(`${path}.autoScaling.metrics`, undefined, 'is required with KEDA, which does not create a trigger by itself. Add a metric.');
  }
  if (autoscaler === 'none' || autoscaler === 'external') {
    if (metrics.length > 0) {
      violations.add(`${path}.scaleMetric`, metrics.map(({ kind }) => kind).join(', '), `nothing uses it for scaling: the autoscaler is ${autoscaler}. Remove it, or choose HPA or KEDA.`);
    }
    if (autoscaler === 'none' && maxReplicas !== undefined && maxReplicas !== minReplicas) {
      violations.add(`${path}.maxReplicas`, maxReplicas, `nothing scales up to it: the autoscaler is none, and ${minReplicas} replicas remain. Remove it, or choose HPA or KEDA.`);
    }
  }
  if (scaleDownDelaySeconds !== undefined && scaleDownDelaySeconds > HPA_MAX_STABILIZATION) {
    violations.add(`${path}.autoScaling.behavior.scaleDown.stabilizationWindowSeconds`, scaleDownDelaySeconds, 'Kubernetes accepts at most an hour. Shorten it.');
  }
}

function notByConcurrency(mode: ServingMode, autoscaler: Autoscaler): string {
  return `is counted by Knative's proxy, which ${mode} mode does not have. `
    + (autoscaler === 'keda' ? 'Scale by a query of the server\'s own metric.' : 'Scale by cpu, by a query with KEDA, or use Knative mode.');
}
