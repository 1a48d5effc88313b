/**
 * Specs of Kueue's queues, cohorts, flavors and related objects.
 * @see https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/
 */
import { coveredResources } from '../../model/queues/capacity';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec, ResourceGroupSpec } from '../../model/queues/spec';
import { canonicalQuantity } from '../../model/quantities';
import { nonEmpty, nonEmptyObject, plainObject } from '../plain-object';
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
    // Without a selector, the queue would accept no namespace.
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
    admissionChecksStrategy: admissionChecks.length === 0 ? undefined
      : { admissionChecks: admissionChecks.map(({ name, onFlavors }) => ({ name, onFlavors })) },
    stopPolicy,
  });
}

/** `spec` of a Cohort. */
export function constructCohortSpec({ parent, resourceGroups: groups, fairWeight }: CohortSpec): RenderedSpec | undefined {
  // A server-side apply of an empty object over one with fields results in null, which the API server rejects.
  return nonEmptyObject(plainObject({ parentName: parent, resourceGroups: nonEmpty(resourceGroups(groups)), fairSharing: fairSharing(fairWeight) }));
}

/** Settings of a LocalQueue. */
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
    nodeLabels: nonEmptyObject(nodeLabels), nodeTaints: nonEmpty(nodeTaints), tolerations: nonEmpty(tolerations), topologyName: topology?.name,
  });
}

/** `spec` of the check that dispatches workloads to other clusters. */
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
        // Kueue requires the order of the group.
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

/** A quantity in Kueue's form: its webhooks and controllers write objects back, and resource groups are an atomic list. */
function quantity<T extends string | undefined>(text: T): T {
  return (text === undefined ? undefined : canonicalQuantity(text)) as T;
}
