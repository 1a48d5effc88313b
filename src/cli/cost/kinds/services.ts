/** Workloads that run until they are deleted: model servers, notebooks, Deployments. */
import { group, podOf, type KindReader, type WorkloadReader } from './kind-reader';
import { at, fieldsAt, listAt, numberAt, textAt } from '../fields';
import { withResources, type Surroundings } from '../surroundings';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import { range, times, type Range } from '../../../model/cost/ranges';
import type { PodGroup } from '../../../model/cost/workloads';
import type { JsonRecord } from '../../../model/json-parts';

const COMPONENTS = ['predictor', 'transformer', 'explainer'] as const;

/** KServe's model server, with its transformer and explainer. */
export const readInferenceService: WorkloadReader = ({ metadata, spec }, surroundings) => {
  const notes: string[] = [];
  const groups = COMPONENTS.flatMap((name): PodGroup[] => {
    const component = at(spec, name);
    if (component === undefined) {
      return [];
    }
    const replicas = replicasOf(component);
    const runtime = runtimeOf(component, metadata?.namespace, surroundings, notes);
    const model = fieldsAt(component, 'model');
    const pod = { ...fieldsAt(runtime, 'spec'), ...component as JsonRecord };
    const served = model.resources === undefined ? pod : withResources({ ...pod, containers: listAt(runtime, 'spec', 'containers') }, 'kserve-container', model.resources);
    const workers = at(component, 'workerSpec');
    const size = numberAt(workers, 'pipelineParallelSize') ?? (workers === undefined ? 1 : 2);
    return [
      group(name, replicas, served, surroundings),
      ...(workers === undefined ? [] : [group(`${name}-worker`, times(replicas, size - 1), workers as JsonRecord, surroundings)]),
    ];
  });
  return { groups, notes };
};

/** KServe keeps one replica by default. */
function replicasOf(component: unknown): Range {
  const min = numberAt(component, 'minReplicas') ?? 1;
  return range(min, Math.max(min, numberAt(component, 'maxReplicas') ?? min));
}

function runtimeOf(component: unknown, namespace: string | undefined, surroundings: Surroundings, notes: string[]): ManifestObject | undefined {
  const name = textAt(component, 'model', 'runtime');
  const runtime = name === undefined ? undefined : surroundings.runtime(['ServingRuntime', 'ClusterServingRuntime'], name, namespace);
  if (runtime === undefined && at(component, 'model') !== undefined && at(component, 'model', 'resources') === undefined) {
    notes.push(`the requests of its containers are in ${name === undefined ? 'a runtime that KServe chooses' : `runtime ${name}, which is not in these manifests`}, and is not in the price`);
  }
  return runtime;
}

/** KServe's server of language models: a replica may have several nodes, and prefill may have its own replicas. */
export const readLlmInferenceService: WorkloadReader = ({ spec }, surroundings) => ({
  groups: [...llmGroups('decode', fieldsAt({ spec }, 'spec'), surroundings), ...(at(spec, 'prefill') === undefined ? [] : llmGroups('prefill', fieldsAt(spec, 'prefill'), surroundings))],
  notes: listAt(spec, 'baseRefs').map(({ name }) => `the pods in its configuration ${String(name)} are not in the price`),
});

function llmGroups(name: string, workload: JsonRecord, surroundings: Surroundings): PodGroup[] {
  const scaling = fieldsAt(workload, 'scaling');
  const fixed = numberAt(workload, 'replicas') ?? numberAt(scaling, 'minReplicas') ?? 1;
  const replicas = scaling.maxReplicas === undefined ? range(fixed) : range(numberAt(scaling, 'minReplicas') ?? 1, numberAt(scaling, 'maxReplicas') ?? fixed);
  const [data, local, pipeline] = ['data', 'dataLocal', 'pipeline'].map((kind) => numberAt(workload, 'parallelism', kind));
  const nodes = data !== undefined && local !== undefined ? data / local : pipeline ?? 1;
  const isMulti = workload.worker !== undefined;
  return [
    group(name, replicas, fieldsAt(workload, 'template'), surroundings),
    ...(isMulti && nodes > 1 ? [group(`${name}-worker`, times(replicas, nodes - 1), fieldsAt(workload, 'worker'), surroundings)] : []),
  ];
}

/** Kinds with `replicas` and a template. */
export const readReplicated: KindReader = (object, surroundings) => {
  const replicas = surroundings.scaled(object) ?? range(numberAt(object, 'spec', 'replicas') ?? 1);
  return { nature: 'service', groups: [group('pod', replicas, podOf(at(object, 'spec', 'template')), surroundings)] };
};

/** Knative scales from zero to the maximum in an annotation. */
export const readKnativeService: KindReader = ({ spec }, surroundings) => {
  const annotations = fieldsAt(spec, 'template', 'metadata', 'annotations');
  const [min, max] = ['min-scale', 'max-scale'].map((name) => numberAt(annotations, `autoscaling.knative.dev/${name}`));
  return { nature: 'service', groups: [group('pod', range(min ?? 0, Math.max(min ?? 0, max ?? 1)), podOf(at(spec, 'template')), surroundings)] };
};

/** The number of nodes that it selects is unknown. */
export const readDaemonSet: KindReader = ({ spec }, surroundings) => ({
  nature: 'service', groups: [group('pod', 1, podOf(at(spec, 'template')), surroundings)], notes: ['runs on every node that it selects: the price is for one'],
});

export const readPod: KindReader = ({ spec }, surroundings) => {
  const pod = fieldsAt({ spec }, 'spec');
  return { nature: pod.restartPolicy === 'Never' || pod.restartPolicy === 'OnFailure' ? 'job' : 'service', groups: [group('pod', 1, pod, surroundings)] };
};
