/** All workloads of a program, whatever their kind. Each pod in an object of an unknown kind is counted once, with a note. */
import { fieldsAt, textAt } from './fields';
import { group, type Found, type KindReader, type WorkloadReader } from './kinds/kind-reader';
import { readDaemonSet, readInferenceService, readKnativeService, readLlmInferenceService, readPod, readReplicated } from './kinds/services';
import { readExperiment, readSpark, readTrainJob, readTrainingJob } from './kinds/training';
import type { Surroundings } from './surroundings';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { Workload } from '../../model/cost/workloads';
import { range } from '../../model/cost/ranges';
import { isRecord, type JsonRecord } from '../../model/json-parts';
import type { JobPods } from '../../model/kinds/pod-sets';
import { workloadKindOf } from '../../model/kinds/registry';
import type { CostReader, WorkloadKind } from '../../model/kinds/workload-kind';

/** Readers of kinds whose objects do not contain their pods. */
const READERS: { readonly [reader in CostReader]: WorkloadReader } = {
  MLTrainingJob: readTrainingJob, TrainJob: readTrainJob, Experiment: readExperiment(readFound), Spark: readSpark,
  InferenceService: readInferenceService, LLMInferenceService: readLlmInferenceService,
};

/** Readers of Kubernetes' own kinds. */
const OWN_READERS: { readonly [kind: string]: KindReader } = {
  Deployment: readReplicated, StatefulSet: readReplicated, ReplicaSet: readReplicated, DaemonSet: readDaemonSet, Pod: readPod,
};

/** Kinds with fields like those of pods that run no pods themselves. */
const NO_WORKLOADS: readonly string[] = [
  'CustomResourceDefinition', 'ConfigMap', 'Secret', 'PodTemplate', 'PodDefault', 'ServingRuntime', 'ClusterServingRuntime', 'ClusterStorageContainer',
  'LLMInferenceServiceConfig', 'ProvisioningRequest', 'ClusterPolicy', 'NVIDIADriver',
];

/** The workloads, in the order of the objects. */
export function workloadsOf(objects: readonly ManifestObject[], surroundings: Surroundings): Workload[] {
  return objects.flatMap((object): Workload[] => {
    const { kind = '', metadata } = object;
    const found = NO_WORKLOADS.includes(kind) ? undefined : readFound(object, surroundings);
    return found === undefined || found.groups.length === 0 ? [] : [{
      kind, name: metadata?.name ?? '', ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }), notes: [], ...found,
    }];
  });
}

function readFound(object: ManifestObject, surroundings: Surroundings): Found | undefined {
  const { kind = '' } = object;
  if (kind === 'Service') {
    return object.apiVersion?.startsWith('serving.knative.dev/') ? readKnativeService(object, surroundings) : undefined;
  }
  const known = workloadKindOf(object);
  if (known !== undefined) {
    return known.isTemplate === true ? undefined : readKind(known, object, surroundings);
  }
  return Object.hasOwn(OWN_READERS, kind) ? OWN_READERS[kind](object, surroundings) : readUnknown(object, surroundings);
}

/** A known kind: with a reader of its own, as the job of a schedule, or by its pods. */
function readKind({ hasEndingPods, cost, pods, scheduled }: WorkloadKind, object: ManifestObject, surroundings: Surroundings): Found | undefined {
  if (scheduled !== undefined) {
    const found = readKind(scheduled.of, { ...object, spec: fieldsAt(object, ...scheduled.spec) }, surroundings);
    return found && { ...found, notes: [...found.notes ?? [], `for one run; its schedule is ${textAt(object, 'spec', 'schedule') ?? 'not set'}`] };
  }
  const nature = hasEndingPods === true ? 'job' : 'service';
  if (cost !== undefined) {
    const found = READERS[cost](object, surroundings);
    return found && { nature, ...found };
  }
  return pods === undefined ? readUnknown(object, surroundings) : { nature, ...countedPods(pods(fieldsAt(object, 'spec')), surroundings) };
}

/** Pods that the object contains. */
function countedPods({ sets = [], beside = [], deadlineSeconds }: JobPods, surroundings: Surroundings): Omit<Found, 'nature'> {
  const counted = [...sets, ...beside].map((set) => ({ ...set, atATime: set.atATime ?? range(set.count) })).filter(({ atATime }) => atATime.max > 0);
  return {
    groups: counted.map((set) => group(set.name, set.atATime, set.pod, surroundings, set.deadlineSeconds)),
    ...(typeof deadlineSeconds === 'number' && { deadlineSeconds }),
    notes: counted.filter(({ atATime, completions = 0 }) => completions > atATime.max)
      .map(({ atATime, completions }) => `${completions} pods, ${atATime.max} at a time: the hours are for the whole job`),
  };
}

/** Maximum depth of the search for pods. */
const DEEPEST = 12;

function readUnknown(object: ManifestObject, surroundings: Surroundings): Found | undefined {
  const pods = podsIn(object as JsonRecord, 0);
  return pods.length === 0 ? undefined : {
    nature: 'service',
    groups: pods.map((pod, index) => group(`pod-${index}`, 1, pod, surroundings)),
    notes: [`how many pods a ${String(object.kind)} runs is not known here: each pod in it is counted once`],
  };
}

function podsIn(value: unknown, depth: number): JsonRecord[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry) => podsIn(entry, depth + 1));
  }
  if (!isRecord(value)) {
    return [];
  }
  const isPod = Array.isArray(value.containers) && value.containers.some((container) => isRecord(container) && 'image' in container);
  return isPod ? [value] : Object.values(value).flatMap((field) => podsIn(field, depth + 1));
}
