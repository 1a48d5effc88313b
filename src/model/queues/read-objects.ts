/**
 * Queues, cohorts and flavors of Kueue as they are written in manifests, in the model's terms, so that the same rules hold for them. Versions
 * `v1beta2` and `v1beta1` differ in the name of a cohort's field. Values of the wrong type are left to the check of the structure.
 * @see https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/
 */
import type { AdmissionCheckKind, ClusterQueueSpec, CohortSpec, FlavorSpec, QueueLandscape, ResourceGroupSpec } from './spec';
import { amountIn, jsonNumber, jsonText, record, records, filled, type JsonRecord } from '../json-parts';
import type { ManifestObject } from '../objects/manifest-object';
import { tryParseQuantity } from '../quantities';

/** By the controller that an AdmissionCheck names. */
const CHECK_KINDS: { readonly [controller: string]: AdmissionCheckKind } = {
  'kueue.x-k8s.io/provisioning-request': 'provisioning', 'kueue.x-k8s.io/multikueue': 'multiKueue',
};

/** Label that each namespace has of its own name. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** A ClusterQueue. @param objects those of the same place, of which AdmissionChecks are read */
export function readClusterQueue({ metadata, spec: written }: ManifestObject, objects: readonly ManifestObject[]): ClusterQueueSpec {
  const spec = record(written);
  const { preemption, flavorFungibility } = spec as { readonly [field: string]: ClusterQueueSpec[keyof ClusterQueueSpec] | undefined };
  return {
    name: filled(metadata?.name) ?? '',
    cohort: filled(spec.cohortName) ?? filled(spec.cohort),
    resourceGroups: readGroups(spec.resourceGroups),
    namespaces: selectsNothing(spec.namespaceSelector) ? [] : namesIn(record(spec.namespaceSelector)),
    preemption: record(preemption) as ClusterQueueSpec['preemption'],
    flavorFungibility: record(flavorFungibility) as ClusterQueueSpec['flavorFungibility'],
    fairWeight: readWeight(spec),
    admissionChecks: records(record(spec.admissionChecksStrategy).admissionChecks).map(({ name, onFlavors }) => ({
      name: filled(name) ?? '',
      kind: kindOfCheck(filled(name), objects),
      onFlavors: Array.isArray(onFlavors) && onFlavors.length > 0 ? onFlavors.map(jsonText) : undefined,
    })),
  };
}

export function readCohort({ metadata, spec: written }: ManifestObject): CohortSpec {
  const spec = record(written);
  return {
    name: filled(metadata?.name) ?? '', parent: filled(spec.parentName) ?? filled(spec.parent),
    resourceGroups: readGroups(spec.resourceGroups), fairWeight: readWeight(spec),
  };
}

export function readFlavor({ metadata, spec: written }: ManifestObject): FlavorSpec {
  const spec = record(written);
  const topology = filled(spec.topologyName);
  return {
    name: filled(metadata?.name) ?? '',
    nodeLabels: Object.fromEntries(Object.entries(record(spec.nodeLabels)).map(([label, value]) => [label, jsonText(value)])),
    nodeTaints: records(spec.nodeTaints).map(({ key, value, effect }) => ({ key: jsonText(key), value: filled(value), effect: jsonText(effect) })),
    tolerations: records(spec.tolerations) as FlavorSpec['tolerations'],
    topology: topology === undefined ? undefined : { name: topology },
  };
}

export function readLandscape(objects: readonly ManifestObject[]): QueueLandscape {
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  return {
    clusterQueues: ofKind('ClusterQueue').map((object) => readClusterQueue(object, objects)),
    cohorts: ofKind('Cohort').map(readCohort),
    flavors: ofKind('ResourceFlavor').map(readFlavor),
  };
}

/** Kueue treats a missing selector as one that selects nothing, and an empty one as one that selects every namespace. */
function selectsNothing(selector: unknown): boolean {
  return selector === undefined || selector === null
    || records(record(selector).matchExpressions).some(({ operator, values }) => operator === 'In' && Array.isArray(values) && values.length === 0);
}

/** Names of namespaces, where a selector asks for them; whatever else it asks for, others are left out. */
function namesIn({ matchLabels, matchExpressions }: JsonRecord): string[] | undefined {
  const single = filled(record(matchLabels)[NAMESPACE_NAME]);
  const asked = records(matchExpressions).find(({ key, operator }) => key === NAMESPACE_NAME && operator === 'In');
  return single !== undefined ? [single] : Array.isArray(asked?.values) ? asked.values.map(jsonText) : undefined;
}

/** The queue of a LocalQueue; undefined where it is not among the objects of the same place. */
export function readQueueOf({ spec }: ManifestObject, objects: readonly ManifestObject[]): ClusterQueueSpec | undefined {
  const { clusterQueue } = record(spec);
  const found = objects.find(({ kind, metadata }) => kind === 'ClusterQueue' && metadata?.name === clusterQueue);
  return found && readClusterQueue(found, objects);
}

function readGroups(groups: unknown): ResourceGroupSpec[] {
  return records(groups).map(({ flavors, coveredResources }) => ({
    coveredResources: Array.isArray(coveredResources) ? coveredResources.map(jsonText) : undefined,
    flavors: records(flavors).map(({ name, resources }) => ({
      flavor: jsonText(name),
      quotas: records(resources).map((quota) => ({
        resource: jsonText(quota.name), nominal: amountIn(quota.nominalQuota) ?? '',
        borrowingLimit: amountIn(quota.borrowingLimit), lendingLimit: amountIn(quota.lendingLimit),
      })),
    })),
  }));
}

function readWeight({ fairSharing }: JsonRecord): number | undefined {
  const weight = amountIn(record(fairSharing).weight);
  return weight === undefined ? undefined : tryParseQuantity(weight) ?? jsonNumber(weight);
}

function kindOfCheck(name: string | undefined, objects: readonly ManifestObject[]): AdmissionCheckKind {
  const check = objects.find(({ kind, metadata }) => kind === 'AdmissionCheck' && metadata?.name === name);
  return CHECK_KINDS[jsonText(record(check?.spec).controllerName)] ?? 'other';
}
