/** The scaling fields of a component: one metric as `scaleMetric` where KServe's webhook allows it, else as a list. */
import type { Autoscaler, Fields, ScaleMetricSpec, ScalingSpec, ServingMode } from '../../model/serving/spec';

/** What KServe scales by when nothing is said: part of the CPU's request, in percent. */
const DEFAULT_METRIC: ScaleMetricSpec = { kind: 'cpu', target: 80 };

/** Fields of `spec.predictor` and its siblings. */
export function constructScaling(scaling: ScalingSpec, mode: ServingMode, autoscaler: Autoscaler): Fields {
  const { minReplicas, maxReplicas, metrics = [], scaleDownDelaySeconds } = scaling;
  const [only] = metrics;
  const asList = mode === 'Standard' && ((autoscaler === 'keda' && metrics.length > 0) || metrics.length > 1 || scaleDownDelaySeconds !== undefined);
  return {
    minReplicas,
    maxReplicas,
    ...(asList && {
      autoScaling: {
        // KServe looks at the list alone as soon as there is one, so its default has to stand in it.
        metrics: (metrics.length > 0 ? metrics : [DEFAULT_METRIC]).map(constructMetric),
        ...(scaleDownDelaySeconds !== undefined && { behavior: { scaleDown: { stabilizationWindowSeconds: scaleDownDelaySeconds } } }),
      },
    }),
    ...(!asList && only !== undefined && {
      scaleMetric: only.kind,
      scaleTarget: only.target,
      ...(mode === 'Standard' && { scaleMetricType: 'Utilization' }),
    }),
  };
}

/** Knative has the delay as an annotation of the revision. */
export function scalingAnnotations({ scaleDownDelaySeconds }: ScalingSpec, mode: ServingMode): { [name: string]: string } {
  return mode === 'Knative' && scaleDownDelaySeconds !== undefined ? { 'autoscaling.knative.dev/scale-down-delay': `${scaleDownDelaySeconds}s` } : {};
}

function constructMetric({ kind, target, query, serverAddress, metricNames, authenticationRef }: ScaleMetricSpec): Fields {
  const value = { type: 'Value', value: String(target) };
  switch (kind) {
    case 'prometheus':
      return {
        type: 'External',
        external: {
          metric: { backend: 'prometheus', serverAddress, query },
          target: value,
          ...(authenticationRef !== undefined && { authenticationRef: { authModes: 'bearer', authenticationRef: { name: authenticationRef } } }),
        },
      };
    case 'openTelemetry':
      return { type: 'PodMetric', podmetric: { metric: { backend: 'opentelemetry', serverAddress, metricNames, query }, target: value } };
    case 'cpu':
    case 'memory':
    case 'concurrency':
    case 'rps':
      return { type: 'Resource', resource: { name: kind, target: { type: 'Utilization', averageUtilization: target } } };
  }
}
