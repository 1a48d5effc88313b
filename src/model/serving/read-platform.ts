/**
 * What a platform team sets up for KServe, as it is written in manifests, in the model's terms: runtimes, storage containers, caches of models and
 * the nodes for them. The rules of the constructs hold for it. Values of the wrong type are left to the check of the structure.
 * @see https://github.com/kserve/kserve/tree/v0.20.0/pkg/apis/serving/v1alpha1
 */
import type { LocalModelCacheSpec, LocalModelNodeGroupSpec } from './cache';
import type { RuntimeFormatSpec, ServingRuntimeSpec, StorageContainerSpec, StorageFormatSpec } from './runtime';
import type { ServingWorkerSpec } from './spec';
import { KNOWN_GPU_RESOURCES, SERVING_CONTAINER } from './validation-component';
import { isOfOwnContainer } from './validation-storage';
import { amountIn, flagIn, jsonNumber, jsonText, numberIn, record, records, textIn, texts, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';

/** Resources that KServe does not take for GPUs. */
const PLAIN_RESOURCES: readonly string[] = ['cpu', 'memory', 'storage', 'ephemeral-storage'];

/** Annotation of a runtime with further names of GPUs. */
const GPU_NAMES = 'serving.kserve.io/gpu-resource-types';

/** Fields of the metadata that KServe's templates can show in addition to those that our rules know. */
const FURTHER_FIELDS: readonly string[] = ['GenerateName', 'UID', 'ResourceVersion', 'Generation', 'CreationTimestamp', 'OwnerReferences', 'Finalizers'];

/** Name of the storage container that KServe is installed with. */
const OWN_STORAGE_CONTAINER = 'default';

/** A ServingRuntime or ClusterServingRuntime. KServe takes one without protocols for one of all protocols. */
export function readServingRuntime({ spec: written }: ManifestObject): ServingRuntimeSpec {
  const spec = record(written);
  const containers = records(spec.containers);
  const server = containers.find(({ name }) => name === SERVING_CONTAINER) ?? containers[0] ?? {};
  const protocols = Array.isArray(spec.protocolVersions) ? spec.protocolVersions.map(jsonText) : [];
  const knowsItsGpus = record(spec.annotations)[GPU_NAMES] !== undefined;
  // The webhook lets a disabled runtime pass.
  const isDisabled = spec.disabled === true;
  return {
    formats: records(spec.supportedModelFormats).map((format) => readFormat(format, isDisabled)),
    protocols: protocols.length === 0 ? ['v1'] : protocols,
    image: textIn(server.image) ?? '',
    command: readTemplates(server.command),
    args: readTemplates(server.args),
    env: records(server.env).map(({ name, value }): EnvVarSpec => ({ name: jsonText(name), value: readTemplate(value) })),
    resources: knowsItsGpus ? undefined : readGpus(server.resources),
    disabled: isDisabled,
    worker: spec.workerSpec === undefined || isDisabled ? undefined : readWorker(record(spec.workerSpec), knowsItsGpus),
  };
}

/** KServe's own runtimes have priorities that are never read. */
function readFormat({ name, version, autoSelect, priority }: JsonRecord, isDisabled: boolean): RuntimeFormatSpec {
  const isRanked = autoSelect === true && !isDisabled;
  return { name: jsonText(name), version: amountIn(version), autoSelect: flagIn(autoSelect), priority: isRanked ? numberIn(priority) : undefined };
}

function readWorker(worker: JsonRecord, knowsItsGpus: boolean): ServingWorkerSpec {
  return {
    pipelineParallel: numberIn(worker.pipelineParallelSize), tensorParallel: numberIn(worker.tensorParallelSize),
    resources: knowsItsGpus ? undefined : readGpus(record(records(worker.containers)[0]).resources),
  };
}

/** What KServe would count as GPUs, of which one that it does not know goes before all others. */
function readGpus(resources: unknown): ResourcesSpec {
  const { limits, requests } = record(resources);
  const amounts = { ...record(requests), ...record(limits) };
  const names = Object.keys(amounts).filter((name) => !PLAIN_RESOURCES.includes(name));
  const name = names.find((each) => !KNOWN_GPU_RESOURCES.includes(each)) ?? names[0];
  return name === undefined ? {} : { gpu: jsonNumber(amounts[name]), gpuResourceName: name };
}

function readTemplates(texts: unknown): string[] {
  return Array.isArray(texts) ? texts.map(readTemplate) : [];
}

/** A text whose placeholders are names alone; of Go's other templates nothing is said. */
function readTemplate(text: unknown): string {
  const template = textIn(text) ?? '';
  const places = [...template.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, inner]) => inner.trim());
  return places.every((place) => /^\.?[A-Za-z]+(\.[\w-]+)*$/.test(place) && !FURTHER_FIELDS.includes(place.slice(1))) ? template : '';
}

/** A runtime as KServe compares it with others: those of no protocol, and those of one model and of many, are not compared. */
export function readComparedRuntime(object: ManifestObject): ServingRuntimeSpec & { readonly servesMany: boolean } {
  const { protocolVersions, multiModel } = record(object.spec);
  return { ...readServingRuntime(object), protocols: texts(protocolVersions), servesMany: multiModel === true };
}

/** A ClusterStorageContainer. Schemes of KServe are for its own one, and for those that download to the disks of nodes. */
export function readStorageContainer({ metadata, spec: written }: ManifestObject): StorageContainerSpec {
  const spec = record(written);
  const mayHaveAny = metadata?.name === OWN_STORAGE_CONTAINER || spec.workloadType === 'localModelDownloadJob' || record(written).disabled === true;
  return {
    image: '',
    formats: records(spec.supportedUriFormats).map(({ prefix, regex }): StorageFormatSpec => ({
      prefix: mayHaveAny ? undefined : textIn(prefix) || undefined, regex: textIn(regex) || undefined,
    })),
  };
}

/** A LocalModelCache, or a LocalModelNamespaceCache. @param objects those of the same place, of which groups of nodes are read */
export function readLocalModelCache({ spec: written }: ManifestObject, objects: readonly ManifestObject[]): LocalModelCacheSpec {
  const { sourceModelUri, modelSize, nodeGroups, serviceAccountName } = record(written);
  const uri = textIn(sourceModelUri);
  return {
    uri,
    ownContainer: uri !== undefined && isOfOwnContainer(uri),
    size: amountIn(modelSize) ?? '',
    nodeGroups: (Array.isArray(nodeGroups) ? nodeGroups.map(jsonText) : []).map((name) => ({ name, limit: limitOf(name, objects) })),
    serviceAccountName: textIn(serviceAccountName),
  };
}

function limitOf(name: string, objects: readonly ManifestObject[]): string | undefined {
  const group = objects.find(({ kind, metadata }) => kind === 'LocalModelNodeGroup' && metadata?.name === name);
  return amountIn(record(group?.spec).storageLimit);
}

/** A LocalModelNodeGroup; undefined where its volumes are not local disks, of which the rules say nothing. */
export function readNodeGroup({ spec: written }: ManifestObject): LocalModelNodeGroupSpec | undefined {
  const { storageLimit, persistentVolumeSpec } = record(written);
  const { local, nodeAffinity, storageClassName } = record(persistentVolumeSpec);
  const terms = records(record(record(nodeAffinity).required).nodeSelectorTerms);
  const selects = terms.flatMap(({ matchExpressions, matchFields }) => [...records(matchExpressions), ...records(matchFields)]);
  return local === undefined ? undefined : {
    limit: amountIn(storageLimit) ?? '',
    path: textIn(record(local).path) ?? '',
    storageClassName: textIn(storageClassName) ?? '',
    nodeSelector: Object.fromEntries(selects.map(({ key, values }) => [jsonText(key), jsonText(values)])),
  };
}
