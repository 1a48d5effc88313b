/**
 * Rules of other systems on their own objects as they are in a manifest: the same that the constructs of these systems have, for authors of
 * the object by hand.
 */
import { jsonText, record, textIn } from '../json-parts';
import { CHECK_RULES } from './rule-list';
import { FindingCollector, type Finding } from '../findings';
import { checkFeatureRules } from '../gpu-operator/node-feature-rule';
import { readFeatureRules, validateClusterPolicyObject } from '../gpu-operator/read-objects';
import { inTermsOfExperiment, readExperiment, validateExperimentObject } from '../katib/read-objects';
import { validateKatibSearch } from '../katib/validation';
import { validateComputeClassObject, validateRequestConfigObject, validateRequestObject } from '../node-pools/read-objects';
import type { ManifestObject } from '../objects/manifest-object';
import { readClusterQueue, readCohort, readFlavor, readLandscape, readQueueOf } from '../queues/read-objects';
import { cohortCycle } from '../queues/capacity';
import { validateClusterQueue, validateCohort, validateFlavor, validateLocalQueue } from '../queues/rules';
import { readRayCluster, readRayCronJob, readRayJob, readRayService } from '../ray/read-objects';
import { validateRayCluster, validateRayCronJob, validateRayJob, validateRayService } from '../ray/validation';
import type { ClusterQueueSpec } from '../queues/spec';
import { validatePipelineVersion } from '../pipelines/pipeline-file';
import { keyOf } from '../references/relations';
import { checkModelOnce, validateLocalModelCache, validateNodeGroup, type LocalModelNodeGroupSpec } from '../serving/cache';
import { validateInferenceGraph } from '../serving/graph';
import { readLlmInferenceService } from '../serving/read-llm';
import { readInferenceGraphs, readInferenceServices } from '../serving/read-objects';
import { readComparedRuntime, readLocalModelCache, readNodeGroup, readServingRuntime, readStorageContainer } from '../serving/read-platform';
import { conflictWithRuntime, validateServingRuntime, validateStorageContainer } from '../serving/runtime';
import { validateInferenceService } from '../serving/validation';
import { validateLlmInferenceService } from '../serving/validation-llm';
import { readScheduledSparkApplication, readSparkApplication, readSparkConnect } from '../spark/read-objects';
import { validateScheduledSparkApplication, validateSparkApplication, validateSparkConnect } from '../spark/validation';
import type { Violation } from '../violations';
import { validateNotebook } from '../workbench/notebook';
import { validatePodDefault } from '../workbench/pod-default';
import { inTermsOfNotebook, readLogsPath, readNotebook, readPodDefault } from '../workbench/read-objects';
import { validateTensorBoard } from '../workbench/tensor-board';

/** Rules of a kind. @param objects those of the same place */
type ForeignRules = (object: ManifestObject, objects: readonly ManifestObject[]) => readonly Violation[];

const SERVING_RUNTIME: ForeignRules = (object, objects) => {
  const spec = readComparedRuntime(object);
  const conflicts = earlierThan(object, objects).map((other) => ({ name: nameOf(other), spec: readComparedRuntime(other) }))
    .filter((other) => other.spec.servesMany === spec.servesMany).flatMap((other) => conflictWithRuntime(spec, other));
  return [...validateServingRuntime(nameOf(object), readServingRuntime(object)), ...conflicts];
};

const LOCAL_MODEL_CACHE: ForeignRules = (object, objects) => validateLocalModelCache(nameOf(object), readLocalModelCache(object, objects));

const UNIQUE_MODEL_CACHE: ForeignRules = (object, objects) => [
  ...LOCAL_MODEL_CACHE(object, objects),
  ...checkModelOnce(modelOf(object), earlierThan(object, objects).map((other) => ({ name: nameOf(other), uri: modelOf(other) }))),
];

/** Logs of which there is nothing to say. */
const ANY_LOGS = 'gs://any';

/** By kind; functions, so that their files are loaded when an object of the kind is there. */
const RULES: { readonly [kind: string]: ForeignRules } = {
  'autoscaling.x-k8s.io/ProvisioningRequest': (object) => validateRequestObject(object),
  'cloud.google.com/ComputeClass': (object) => validateComputeClassObject(object),
  'kubeflow.org/Experiment': (object) => [
    ...validateExperimentObject(object), ...inTermsOfExperiment(object, validateKatibSearch(readExperiment(object))),
  ],
  'kueue.x-k8s.io/ClusterQueue': (object, objects) => validateClusterQueue(readClusterQueue(object, objects)),
  'kueue.x-k8s.io/Cohort': (object, objects) => [...validateCohort(readCohort(object)), ...cycleAt(object, objects)],
  'kueue.x-k8s.io/ResourceFlavor': (object) => validateFlavor(readFlavor(object)),
  'kueue.x-k8s.io/LocalQueue': (object, objects) => validateInQueue(object, readQueueOf(object, objects)),
  'kueue.x-k8s.io/ProvisioningRequestConfig': (object) => validateRequestConfigObject(object),
  'kubeflow.org/Notebook': (object, objects) => inTermsOfNotebook(validateNotebook(readNotebook(object, objects))),
  'kubeflow.org/PodDefault': (object) => validatePodDefault(nameOf(object), readPodDefault(object)),
  'nfd.k8s-sigs.io/NodeFeatureRule': (object) => checkFeatureRules(readFeatureRules(object), 'spec.rules'),
  'nvidia.com/ClusterPolicy': (object) => validateClusterPolicyObject(object),
  'pipelines.kubeflow.org/PipelineVersion': (object) => validatePipelineVersion(object),
  'ray.io/RayCluster': (object) => validateRayCluster(readRayCluster(object)),
  'ray.io/RayJob': (object) => validateRayJob(readRayJob(object)),
  'ray.io/RayService': (object) => validateRayService(readRayService(object)),
  'ray.io/RayCronJob': (object) => validateRayCronJob(readRayCronJob(object)),
  'serving.kserve.io/InferenceService': (object) => inEveryMode(readInferenceServices(object).map(validateInferenceService)),
  'serving.kserve.io/InferenceGraph': (object) => inEveryMode(readInferenceGraphs(object).map((graph) => validateInferenceGraph(nameOf(object), graph))),
  'serving.kserve.io/LLMInferenceService': (object) => validateLlmInferenceService(nameOf(object), readLlmInferenceService(object)),
  'serving.kserve.io/ServingRuntime': SERVING_RUNTIME,
  'serving.kserve.io/ClusterServingRuntime': SERVING_RUNTIME,
  'serving.kserve.io/ClusterStorageContainer': (object) => validateStorageContainer(readStorageContainer(object)),
  'serving.kserve.io/LocalModelCache': UNIQUE_MODEL_CACHE,
  'serving.kserve.io/LocalModelNamespaceCache': LOCAL_MODEL_CACHE,
  'serving.kserve.io/LocalModelNodeGroup': (object) => validateGroupOfLocalDisks(nameOf(object), readNodeGroup(object)),
  'sparkoperator.k8s.io/SparkApplication': (object) => validateSparkApplication(nameOf(object), readSparkApplication(object)),
  'sparkoperator.k8s.io/ScheduledSparkApplication': (object) => validateScheduledSparkApplication(nameOf(object), readScheduledSparkApplication(object)),
  'sparkoperator.k8s.io/SparkConnect': (object) => validateSparkConnect(nameOf(object), readSparkConnect(object)),
  'tensorboard.kubeflow.org/Tensorboard': (object) => validateTensorBoard(nameOf(object), readLogsPath(object) ?? ANY_LOGS),
};

/** If the mode that runs a service is not known, what is wrong in one of them may be right. */
function inEveryMode([first, ...others]: readonly (readonly Violation[])[]): readonly Violation[] {
  const isSame = (one: Violation, other: Violation) => one.path === other.path && one.message === other.message;
  return first.filter((violation) => others.every((found) => found.some((other) => isSame(violation, other))));
}

function validateInQueue({ metadata }: ManifestObject, queue: ClusterQueueSpec | undefined): readonly Violation[] {
  return queue === undefined ? [] : validateLocalQueue(metadata?.namespace, queue);
}

function validateGroupOfLocalDisks(name: string, group: LocalModelNodeGroupSpec | undefined): readonly Violation[] {
  return group === undefined ? [] : validateNodeGroup(name, group);
}

function modelOf({ spec }: ManifestObject): string | undefined {
  return textIn(record(spec).sourceModelUri);
}

/** Objects of the same kind and namespace, under other names, that come before one. */
function earlierThan(object: ManifestObject, objects: readonly ManifestObject[]): readonly ManifestObject[] {
  const key = keyOf(object);
  return objects.slice(0, Math.max(0, objects.indexOf(object))).filter((other) => (
    keyOf(other) === key && other.metadata?.namespace === object.metadata?.namespace && nameOf(other) !== nameOf(object)));
}

function nameOf({ metadata }: ManifestObject): string {
  return jsonText(metadata?.name ?? '');
}

/** What is wrong with an object of another system. */
export function checkForeign(object: ManifestObject, objects: readonly ManifestObject[]): Finding[] {
  const key = keyOf(object);
  if (!Object.hasOwn(RULES, key)) {
    return [];
  }
  const findings = new FindingCollector();
  // One with generateName has no name yet.
  for (const { path, value, message } of RULES[key](object, objects).filter((each) => each.path !== 'metadata.name' || object.metadata?.name !== undefined)) {
    findings.error(CHECK_RULES.foreign, path, value, message);
  }
  return findings.findings;
}

/** A cycle of cohorts is reported once, at the cohort with which it begins. */
function cycleAt({ metadata }: ManifestObject, objects: readonly ManifestObject[]): Violation[] {
  const cycle = cohortCycle(readLandscape(objects).cohorts);
  return cycle.length > 0 && cycle[0] === metadata?.name
    ? [{ path: 'spec.parentName', value: cycle[1], message: `creates a cycle of cohorts, ${cycle.join(' -> ')}, in which Kueue admits nothing. Remove one parent.` }] : [];
}
