/** All workloads of a program, whatever their kind. Pods that stand in kinds that nobody knows here are counted once, and that is said. */
import type { Fields } from './fields';
import { group, isOf, type Found, type KindReader } from './kinds/kind-reader';
import {
  readRayCluster, readRayCronJob, readRayJob, readRayService, readScheduledSpark, readSparkApplication, readSparkConnect,
} from './kinds/ray-and-spark';
import { readDaemonSet, readInferenceService, readKnativeService, readLlmInferenceService, readPod, readReplicated } from './kinds/services';
import {
  V1_KINDS, readCronJob, readExperiment, readJob, readJobSet, readLeaderWorkerSet, readTrainJob, readTrainingJob, readV1Job,
} from './kinds/training';
import type { Surroundings } from './surroundings';
import type { ManifestObject } from '../../model/objects/manifest-object';
import type { Workload } from '../../model/cost/workloads';
import { TRAINING_JOB_KIND } from '../../model/labels';
import { isRecord } from '../../model/json-parts';

const READERS: { readonly [kind: string]: KindReader } = {
  [TRAINING_JOB_KIND]: readTrainingJob, TrainJob: readTrainJob, JobSet: readJobSet, Job: readJob, CronJob: readCronJob,
  ...Object.fromEntries(V1_KINDS.map((kind) => [kind, readV1Job])),
  LeaderWorkerSet: readLeaderWorkerSet, Experiment: readExperiment((object, surroundings) => readFound(object, surroundings)),
  RayCluster: readRayCluster, RayJob: readRayJob, RayService: readRayService, RayCronJob: readRayCronJob,
  SparkApplication: readSparkApplication, ScheduledSparkApplication: readScheduledSpark, SparkConnect: readSparkConnect,
  InferenceService: readInferenceService, LLMInferenceService: readLlmInferenceService,
  Deployment: readReplicated, StatefulSet: readReplicated, ReplicaSet: readReplicated, Notebook: readReplicated,
  DaemonSet: readDaemonSet, Pod: readPod,
};

/** Kinds with pods in them that others run, or that are no pods at all. */
const NO_WORKLOADS: readonly string[] = [
  'CustomResourceDefinition', 'ConfigMap', 'Secret', 'PodTemplate', 'PodDefault', 'TrainingRuntime', 'ClusterTrainingRuntime', 'ServingRuntime',
  'ClusterServingRuntime', 'ClusterStorageContainer', 'LLMInferenceServiceConfig', 'ProvisioningRequest', 'ClusterPolicy', 'NVIDIADriver',
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
    return isOf(object, 'serving.knative.dev') ? readKnativeService(object, surroundings) : undefined;
  }
  return Object.hasOwn(READERS, kind) ? READERS[kind](object, surroundings) : readUnknown(object, surroundings);
}

/** Deepest place in which a pod is looked for. */
const DEEPEST = 12;

function readUnknown(object: ManifestObject, surroundings: Surroundings): Found | undefined {
  const pods = podsIn(object as Fields, 0);
  return pods.length === 0 ? undefined : {
    nature: 'service',
    groups: pods.map((pod, index) => group(`pod-${index}`, 1, pod, surroundings)),
    notes: [`how many pods a ${String(object.kind)} runs is not known here: each pod in it is counted once`],
  };
}

function podsIn(value: unknown, depth: number): Fields[] {
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
