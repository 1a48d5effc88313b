/**
 * An InferenceService as it is written in a manifest, in the model's terms, so that the rules of the construct hold for it. Which mode runs it is
 * known only where an annotation says so. Candidates are left out, and so are values of the wrong type, which the check of the structure finds.
 * @see https://github.com/kserve/kserve/tree/v0.20.0/pkg/apis/serving/v1beta1
 */
import type { GraphNode, GraphStep, InferenceGraphSpec, RouterType } from './graph';
import type {
  Autoscaler, ComponentSpec, InferenceServiceSpec, LoggerSpec, ModelStorageSpec, NamedInferenceService, ScaleMetricSpec, ServingMode,
} from './spec';
import { NOT_IN_KNATIVE, SERVING_CONTAINER } from './validation-component';
import { isOfOwnContainer } from './validation-storage';
import { jsonNumber, jsonText, numberIn, record, records, textIn, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { EnvVarSpec } from '../training-job/spec';

const MODE = 'serving.kserve.io/deploymentMode';
const AUTOSCALER = 'serving.kserve.io/autoscalerClass';

/** Modes by their names, of which KServe had others before 0.16. */
const MODES: { readonly [name: string]: ServingMode } = { Standard: 'Standard', RawDeployment: 'Standard', Knative: 'Knative', Serverless: 'Knative' };

/** Fields of a predictor that name the format of its model, from before there was `model`. */
const FORMAT_FIELDS = ['sklearn', 'xgboost', 'tensorflow', 'pytorch', 'triton', 'onnx', 'huggingface', 'pmml', 'lightgbm', 'paddle'];

const AUTOSCALERS: readonly string[] = ['hpa', 'keda', 'external', 'none'] satisfies Autoscaler[];

/** What an object says in each mode that may run it. */
export function readInferenceServices(object: ManifestObject): NamedInferenceService[] {
  const annotations = record(object.metadata?.annotations);
  return modesOf(object.metadata).map((mode) => ({
    name: jsonText(object.metadata?.name ?? ''), namespace: textIn(object.metadata?.namespace), spec: readSpec(record(object.spec), annotations, mode),
  }));
}

/** Modes that may run an object: the one that its annotation names, or any. */
function modesOf(metadata: ManifestObject['metadata']): readonly ServingMode[] {
  const named = jsonText(record(metadata?.annotations)[MODE]);
  return Object.hasOwn(MODES, named) ? [MODES[named]] : ['Standard', 'Knative'];
}

function readSpec(spec: JsonRecord, annotations: JsonRecord, mode: ServingMode): InferenceServiceSpec {
  const autoscaler = AUTOSCALERS.includes(jsonText(annotations[AUTOSCALER])) ? annotations[AUTOSCALER] as Autoscaler : undefined;
  return {
    mode,
    autoscaler,
    predictor: readComponent(record(spec.predictor)),
    transformer: spec.transformer === undefined ? undefined : readComponent(record(spec.transformer)),
    explainer: spec.explainer === undefined ? undefined : readComponent(record(spec.explainer)),
    tagRouting: annotations['serving.kserve.io/enable-tag-routing'] === 'true' || undefined,
  };
}

function readComponent(component: JsonRecord): ComponentSpec {
  const older = FORMAT_FIELDS.find((field) => component[field] !== undefined);
  const model = component.model === undefined ? undefined : record(component.model);
  const [first, ...sidecars] = records(component.containers);
  const server = model ?? (older === undefined ? first : record(component[older])) ?? {};
  const format = model === undefined ? older : textIn(record(model.modelFormat).name);
  const worker = component.workerSpec === undefined ? undefined : record(component.workerSpec);
  return {
    name: textIn(component.name),
    ...(format !== undefined && { model: { format, runtime: textIn(model?.runtime) } }),
    ...(format === undefined && first !== undefined && { container: { image: jsonText(first.image) } }),
    storage: readStorage(component, server, format !== undefined && worker === undefined),
    protocol: textIn(server.protocolVersion) as ComponentSpec['protocol'],
    env: records(server.env) as unknown as readonly EnvVarSpec[],
    // A container of the server's name is merged into that of the runtime.
    podSpec: {
      ...Object.fromEntries(NOT_IN_KNATIVE.map((field) => [field, component[field]])),
      containers: format === undefined ? sidecars : records(component.containers).filter(({ name }) => name !== SERVING_CONTAINER),
    },
    scaling: {
      minReplicas: numberIn(component.minReplicas), maxReplicas: numberIn(component.maxReplicas), metrics: readMetrics(component),
      scaleDownDelaySeconds: numberIn(record(record(record(component.autoScaling).behavior).scaleDown).stabilizationWindowSeconds),
    },
    containerConcurrency: numberIn(component.containerConcurrency),
    timeoutSeconds: numberIn(component.timeout),
    logger: record(component.logger).url === undefined ? undefined : record(component.logger) as unknown as LoggerSpec,
    batcher: component.batcher === undefined ? undefined : readBatcher(record(component.batcher)),
    rollingUpdate: component.deploymentStrategy === undefined ? undefined : record(record(component.deploymentStrategy).rollingUpdate),
    worker: worker && { pipelineParallel: numberIn(worker.pipelineParallelSize), tensorParallel: numberIn(worker.tensorParallelSize) },
  };
}

function readStorage(component: JsonRecord, server: JsonRecord, hasTrainedModels: boolean): ModelStorageSpec[] {
  if (server.storage !== undefined) {
    const { key, path } = record(server.storage);
    return [{ secretEntry: { key: jsonText(key), path: jsonText(path) } }];
  }
  const single = textIn(server.storageUri);
  const several = records(component.storageUris)
    .flatMap(({ uri, mountPath }) => (typeof uri === 'string' ? [{ uri, mountPath: textIn(mountPath) }] : []));
  const found = [...(single === undefined ? [] : [{ uri: single }]), ...several].map((one) => ({ ...one, ownContainer: isOfOwnContainer(one.uri) }));
  // A server without a model gets those of TrainedModels.
  return found.length === 0 && hasTrainedModels ? [{}] : found;
}

function readMetrics({ scaleMetric, scaleTarget, autoScaling }: JsonRecord): ScaleMetricSpec[] {
  const single = scaleMetric === undefined ? [] : [{ kind: jsonText(scaleMetric) as ScaleMetricSpec['kind'], target: numberIn(scaleTarget) ?? 80 }];
  return [...single, ...records(record(autoScaling).metrics).flatMap(readMetric)];
}

function readMetric({ type, resource, external, podmetric }: JsonRecord): ScaleMetricSpec[] {
  const target = (of: JsonRecord) => jsonNumber(record(of.target).value ?? record(of.target).averageValue ?? 1);
  switch (type) {
    case 'Resource':
      // Of an absolute value a rule says nothing.
      return record(record(resource).target).type === 'Utilization'
        ? [{ kind: jsonText(record(resource).name) as ScaleMetricSpec['kind'], target: numberIn(record(record(resource).target).averageUtilization) ?? 80 }] : [];
    case 'External':
      return [{ kind: 'prometheus', target: target(record(external)), ...record(record(external).metric) as object }];
    case 'PodMetric':
      return [{ kind: 'openTelemetry', target: target(record(podmetric)), ...record(record(podmetric).metric) as object }];
    default:
      return [];
  }
}

function readBatcher({ maxBatchSize, maxLatency, timeout }: JsonRecord): ComponentSpec['batcher'] {
  return { maxBatchSize: numberIn(maxBatchSize), maxLatencyMilliseconds: numberIn(maxLatency), timeoutSeconds: numberIn(timeout) };
}

/** What KServe scales by where a metric has no target. */
const DEFAULT_TARGET = 80;

const READS_CONDITIONS: readonly string[] = ['Sequence', 'Switch'] satisfies RouterType[];

const READS_DEPENDENCIES: readonly string[] = ['Sequence', 'Ensemble'] satisfies RouterType[];

/**
 * What an object says in each mode that may run it.
 *
 * An InferenceGraph as it is written in a manifest, in the model's terms, so that the rules of the construct hold for it. Which mode runs its router
 * is known only where an annotation says so. Values of the wrong type are left to the check of the structure.
 * @see https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1alpha1/inference_graph.go
 */
export function readInferenceGraphs({ metadata, spec: written }: ManifestObject): InferenceGraphSpec[] {
  const spec = record(written);
  const autoscaler = record(metadata?.annotations)['serving.kserve.io/autoscalerClass'] ?? 'hpa';
  return modesOf(metadata).map((mode) => ({
    mode,
    nodes: Object.fromEntries(Object.entries(record(spec.nodes)).map(([name, node]) => [name, readNode(record(node))])),
    // Zero pods are for external autoscalers, and a maximum of zero means no limit.
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

/** An empty text counts as none, for KServe too. What the router passes over is left out: KServe's own graphs have it. */
function readStep(step: JsonRecord, routerType: string): GraphStep {
  const text = (field: string) => textIn(step[field]) || undefined;
  return {
    name: text('name'), nodeName: text('nodeName'), serviceName: text('serviceName'), serviceUrl: text('serviceUrl'), weight: numberIn(step.weight),
    condition: READS_CONDITIONS.includes(routerType) ? textIn(step.condition) : undefined,
    data: text('data'),
    dependency: READS_DEPENDENCIES.includes(routerType) ? text('dependency') as GraphStep['dependency'] : undefined,
  };
}
