/** KServe's InferenceGraph. */
import { AUTOSCALER_ANNOTATION, DEPLOYMENT_MODE_ANNOTATION } from './inference-service';
import type { Fields } from '../../model/serving/spec';
import type { InferenceGraphSpec } from '../../model/serving/graph';
import { DEFAULT_AUTOSCALER } from '../../model/serving/spec';
import { plainObject } from '../plain-object';
import { constructResources } from '../pod/resources';

/** `apiVersion` of an InferenceGraph, and of runtimes and caches. */
export const KSERVE_V1ALPHA1 = 'serving.kserve.io/v1alpha1';

export function graphAnnotations({ mode }: InferenceGraphSpec): { [name: string]: string } {
  return { [DEPLOYMENT_MODE_ANNOTATION]: mode, ...(mode === 'Standard' && { [AUTOSCALER_ANNOTATION]: DEFAULT_AUTOSCALER }) };
}

/** `spec` of the graph. */
export function constructInferenceGraphSpec(spec: InferenceGraphSpec): Fields {
  return plainObject({
    nodes: Object.fromEntries(Object.entries(spec.nodes).map(([name, { routerType, steps }]) => [name, { routerType, steps: [...steps] }])),
    minReplicas: spec.minReplicas,
    maxReplicas: spec.maxReplicas,
    scaleMetric: spec.metric?.kind,
    scaleTarget: spec.metric?.target,
    timeout: spec.timeoutSeconds,
    resources: constructResources(spec.resources ?? {}),
    serviceAccountName: spec.serviceAccountName,
    nodeSelector: spec.nodeSelector,
    tolerations: spec.tolerations !== undefined && spec.tolerations.length > 0 ? [...spec.tolerations] : undefined,
  });
}
