/**
 * An InferenceGraph as it is written in a manifest, in the model's terms, so that the rules of the construct hold for it. Which mode runs its router
 * is known only where an annotation says so. Values of the wrong type are left to the check of the structure.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1alpha1/inference_graph.go
 */
import type { GraphNode, GraphStep, InferenceGraphSpec, RouterType } from './graph';
import { modesOf } from './read-objects';
import type { ScaleMetricSpec } from './spec';
import { jsonText, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';

/** What KServe scales by where a metric has no target. */
const DEFAULT_TARGET = 80;

const READS_CONDITIONS: readonly string[] = ['Sequence', 'Switch'] satisfies RouterType[];

const READS_DEPENDENCIES: readonly string[] = ['Sequence', 'Ensemble'] satisfies RouterType[];

/** What an object says in each mode that may run it. */
export function readInferenceGraphs({ metadata, spec: written }: ManifestObject): InferenceGraphSpec[] {
  const spec = record(written);
  const autoscaler = record(metadata?.annotations)['serving.kserve.io/autoscalerClass'] ?? 'hpa';
  return modesOf(metadata).map((mode) => ({
    mode,
    nodes: Object.fromEntries(Object.entries(record(spec.nodes)).map(([name, node]) => [name, readNode(record(node))])),
    // Zero pods are for whoever scales from outside, and as many at most stand for no limit.
    minReplicas: spec.minReplicas === 0 && mode === 'Standard' && autoscaler !== 'hpa' ? undefined : numberIn(spec.minReplicas),
    maxReplicas: spec.maxReplicas === 0 ? undefined : numberIn(spec.maxReplicas),
    metric: spec.scaleMetric === undefined ? undefined : {
      kind: jsonText(spec.scaleMetric) as ScaleMetricSpec['kind'], target: numberIn(spec.scaleTarget) ?? DEFAULT_TARGET,
    },
    timeoutSeconds: numberIn(spec.timeout),
  }));
}

function readNode({ routerType, steps }: JsonRecord): GraphNode {
  return { routerType: jsonText(routerType) as RouterType, steps: records(steps).map((step) => readStep(step, jsonText(routerType))) };
}

/** An empty text is as good as none, for KServe too. What the router passes over is left out: KServe's own graphs have it. */
function readStep(step: JsonRecord, routerType: string): GraphStep {
  const text = (field: string) => textIn(step[field]) || undefined;
  return {
    name: text('name'), nodeName: text('nodeName'), serviceName: text('serviceName'), serviceUrl: text('serviceUrl'), weight: numberIn(step.weight),
    condition: READS_CONDITIONS.includes(routerType) ? textIn(step.condition) : undefined,
    data: text('data'),
    dependency: READS_DEPENDENCIES.includes(routerType) ? text('dependency') as GraphStep['dependency'] : undefined,
  };
}
