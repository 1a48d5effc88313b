/**
 * Queues, cohorts, flavors and what belongs to them, as Kueue reads them.
 * @see https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/
 */
import { coveredResources } from '../../model/queues/capacity';
import type { AdmissionCheckUseSpec, ClusterQueueSpec, CohortSpec, FlavorSpec, ResourceGroupSpec } from '../../model/queues/spec';
import { canonicalQuantity } from '../../model/quantities';
import { plainObject } from '../plain-object';
import { MULTI_KUEUE_CONTROLLER } from '../../model/kueue-names';

/** A rendered `spec`. */
export interface RenderedSpec {
  readonly [field: string]: unknown;
}

/** `spec` of a ClusterQueue. */
export function constructClusterQueueSpec(queue: ClusterQueueSpec): RenderedSpec {
  const { cohort, namespaces, namespaceLabels, queueingStrategy, preemption, flavorFungibility, admissionChecks = [], stopPolicy } = queue;
  return plainObject({
    cohortName: cohort,
    // Without a selector the queue would be for no namespace at all.
    namespaceSelector: {
      matchLabels: namespaceLabels,
      matchExpressions: namespaces && [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...namespaces] }],
    },
    queueingStrategy,
    resourceGroups: resourceGroups(queue.resourceGroups),
    preemption,
    flavorFungibility,
    fairSharing: fairSharing(queue.fairWeight),
    admissionScope: queue.admitByUsage ? { admissionMode: 'UsageBasedAdmissionFairSharing' } : undefined,
    admissionChecksStrategy: admissionChecks.length === 0 ? undefined : { admissionChecks: admissionChecks.map(checkUse) },
    stopPolicy,
  });
}

/** `spec` of a Cohort. */
export function constructCohortSpec({ parent, resourceGroups: groups, fairWeight }: CohortSpec): RenderedSpec | undefined {
  const spec = plainObject({
    parentName: parent, resourceGroups: groups.length === 0 ? undefined : resourceGroups(groups), fairSharing: fairSharing(fairWeight),
  });
  // A server-side apply of an empty object over one with fields leaves null, which the API server refuses.
  return Object.keys(spec).length > 0 ? spec : undefined;
}

/** What a LocalQueue says. */
interface LocalQueueFields {
  readonly clusterQueue: string;
  readonly fairWeight?: number;
  readonly stopPolicy?: string;
}

/** `spec` of a LocalQueue. */
export function constructLocalQueueSpec(queue: LocalQueueFields): RenderedSpec {
  return plainObject({ clusterQueue: queue.clusterQueue, fairSharing: fairSharing(queue.fairWeight), stopPolicy: queue.stopPolicy });
}

/** `spec` of a ResourceFlavor. */
export function constructFlavorSpec({ nodeLabels, nodeTaints, tolerations, topology }: FlavorSpec): RenderedSpec {
  return plainObject({
    nodeLabels: Object.keys(nodeLabels).length === 0 ? undefined : nodeLabels,
    nodeTaints: nodeTaints.length === 0 ? undefined : nodeTaints,
    tolerations: tolerations.length === 0 ? undefined : tolerations,
    topologyName: topology?.name,
  });
}

/** `spec` of the check that sends workloads to other clusters. */
export function constructMultiKueueCheckSpec(config: string): RenderedSpec {
  return { controllerName: MULTI_KUEUE_CONTROLLER, parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'MultiKueueConfig', name: config } };
}

function resourceGroups(groups: readonly ResourceGroupSpec[]): object[] {
  return groups.map((group) => {
    const covered = coveredResources(group);
    return {
      coveredResources: covered,
      flavors: group.flavors.map(({ flavor, quotas }) => ({
        name: flavor,
        // Kueue wants the order of the group.
        resources: [...quotas].sort((one, other) => covered.indexOf(one.resource) - covered.indexOf(other.resource))
          .map(({ resource, nominal, borrowingLimit, lendingLimit }) => ({
            name: resource, nominalQuota: quantity(nominal), borrowingLimit: quantity(borrowingLimit), lendingLimit: quantity(lendingLimit),
          })),
      })),
    };
  });
}

function fairSharing(weight: number | undefined): object | undefined {
  return weight === undefined ? undefined : { weight: quantity(String(weight)) };
}

/** As Kueue writes it: its webhooks and controllers write objects back, and groups of resources are an atomic list. */
function quantity<T extends string | undefined>(text: T): T {
  return (text === undefined ? undefined : canonicalQuantity(text)) as T;
}

function checkUse({ name, onFlavors }: AdmissionCheckUseSpec): object {
  return { name, onFlavors };
}
