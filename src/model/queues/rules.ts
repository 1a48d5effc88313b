/**
 * What Kueue's definitions, its webhooks and its controllers say about queues, flavors and cohorts.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/webhooks
 */
import { amountOf, namedAmount, shownAmount, QueueCapacities, cohortCycle, coveredResources } from './capacity';
import type { ClusterQueueSpec, CohortSpec, FlavorSpec, QueueLandscape, QuotaSpec, ResourceGroupSpec } from './spec';
import { checkLabels, isLabelKey, isLabelValue, isSubdomain } from '../names';
import { isQuantity } from '../quantities';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

const MOST_GROUPS = 16;
const MOST_IN_GROUP = 64;
const MOST_IN_QUEUE = 256;
const MOST_COMBINATIONS = 512;

export function validateClusterQueue(queue: ClusterQueueSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(queue.name, violations);
  checkGroups(queue.resourceGroups, { what: 'a cohort', hasParent: queue.cohort !== undefined, lendsItsOwn: true }, violations);
  checkWeight(queue.fairWeight, violations);
  checkPreemption(queue, violations);
  checkChecks(queue, violations);
  const { whenCanBorrow, whenCanPreempt, preference } = queue.flavorFungibility ?? {};
  if (preference !== undefined && (whenCanBorrow !== 'TryNextFlavor' || whenCanPreempt !== 'TryNextFlavor')) {
    violations.add('spec.flavorFungibility.preference', preference, 'applies only if all flavors are tried: set whenCanBorrow and whenCanPreempt to TryNextFlavor, or leave the preference out.');
  }
  if (queue.namespaces?.length === 0) {
    violations.add('spec.namespaceSelector', [], 'selects no namespace, so no job is ever admitted. Name namespaces, or select all of them: {} in YAML, the default of a ClusterQueue in code.');
  }
  return violations.violations;
}

export function validateCohort(cohort: CohortSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(cohort.name, violations);
  checkGroups(cohort.resourceGroups, { what: 'a parent', hasParent: cohort.parent !== undefined, lendsItsOwn: false }, violations);
  checkWeight(cohort.fairWeight, violations);
  return violations.violations;
}

export function validateFlavor(flavor: FlavorSpec): Violation[] {
  const violations = new ViolationCollector();
  checkName(flavor.name, violations);
  const { nodeLabels, nodeTaints, tolerations, topology } = flavor;
  checkCount('spec.nodeLabels', Object.keys(nodeLabels).length, 8, violations);
  checkCount('spec.nodeTaints', nodeTaints.length, 8, violations);
  checkCount('spec.tolerations', tolerations.length, 8, violations);
  checkLabels(nodeLabels, 'spec.nodeLabels', violations);
  nodeTaints.forEach(({ key, value = '', effect }, index) => {
    if (!isLabelKey(key) || !isLabelValue(value)) {
      violations.add(`spec.nodeTaints[${index}]`, `${key}=${value}`, 'must have a key and a value that are valid in a label.');
    }
    if (nodeTaints.findIndex((other) => other.key === key && other.effect === effect) < index) {
      violations.add(`spec.nodeTaints[${index}]`, `${key}:${effect}`, 'duplicates a taint with the same key and effect. Remove it.');
    }
  });
  if (topology !== undefined && Object.keys(nodeLabels).length === 0) {
    violations.add('spec.nodeLabels', undefined, `a flavor with a topology ('${topology.name}') must set at least one node label. Add one.`);
  }
  return violations.violations;
}

/** Rules for a LocalQueue in a namespace, with the queue that it belongs to. */
export function validateLocalQueue(namespace: string | undefined, { name, namespaces = [] }: ClusterQueueSpec): Violation[] {
  const isAccepted = namespace === undefined || namespaces.length === 0 || namespaces.includes(namespace);
  return isAccepted ? [] : [{
    path: 'metadata.namespace', value: namespace, message: `ClusterQueue '${name}' only accepts jobs of ${namespaces.join(', ')}. Add the namespace there.`,
  }];
}

export function validateLandscape(landscape: QueueLandscape): Violation[] {
  const violations = new ViolationCollector();
  const cycle = cohortCycle(landscape.cohorts);
  if (cycle.length > 0) {
    violations.add('cohorts', cycle.join(' -> '), 'forms a cycle, and Kueue admits nothing in it. Remove one parent.');
    return violations.violations;
  }
  const capacities = new QueueCapacities(landscape);
  for (const { name, nodes } of landscape.flavors) {
    const { perNode = {}, count, overcommitted = false } = nodes ?? {};
    for (const [resource, amount] of count === undefined || overcommitted ? [] : Object.entries(perNode)) {
      const { sum, parts } = capacities.nominals(name, resource);
      if (sum > amount * count!) {
        violations.add(`flavors['${name}']`, namedAmount(resource, sum), `is the total of the quotas (${parts.join(', ')}), but ${count} nodes of ${shownAmount(resource, amount)} have `
          + `${shownAmount(resource, amount * count!)}: Kueue would admit jobs that cannot run. Lower the quotas, enlarge the pool, or set overcommitted.`);
      }
    }
  }
  return violations.violations;
}

interface Relation {
  readonly what: string;
  readonly hasParent: boolean;
  /** A queue has no more to lend than is its own; a cohort has its members' too. */
  readonly lendsItsOwn: boolean;
}

function checkGroups(groups: readonly ResourceGroupSpec[], relation: Relation, violations: ViolationCollector): void {
  checkCount('spec.resourceGroups', groups.length, MOST_GROUPS, violations);
  const seenResources = new Set<string>();
  const seenFlavors = new Set<string>();
  groups.forEach((group, index) => {
    const path = `spec.resourceGroups[${index}]`;
    const covered = coveredResources(group);
    checkCount(`${path}.flavors`, group.flavors.length, MOST_IN_GROUP, violations, 1);
    checkCount(`${path}.coveredResources`, covered.length, MOST_IN_GROUP, violations, 1);
    if (group.flavors.length * covered.length > MOST_COMBINATIONS) {
      violations.add(path, group.flavors.length * covered.length, `has more quotas than ${MOST_COMBINATIONS}. Split the group.`);
    }
    covered.forEach((resource, position) => {
      if (!isLabelKey(resource)) {
        violations.add(`${path}.coveredResources[${position}]`, resource, 'must be the name of a resource, such as cpu or nvidia.com/gpu.');
      }
      if (seenResources.has(resource)) {
        violations.add(`${path}.coveredResources[${position}]`, resource, 'has quota in another group, or twice: a resource belongs to one. Put its flavors together.');
      }
      seenResources.add(resource);
    });
    group.flavors.forEach(({ flavor, quotas }, position) => {
      const at = `${path}.flavors[${position}]`;
      if (seenFlavors.has(flavor)) {
        violations.add(`${at}.name`, flavor, 'is already in the queue: a flavor belongs to one group. Merge the two groups.');
      }
      seenFlavors.add(flavor);
      checkSameResources(at, quotas, covered, group.coveredResources === undefined ? `flavor '${group.flavors[0].flavor}'` : 'coveredResources', violations);
      quotas.forEach((quota) => checkQuota(`${at}.resources['${quota.resource}']`, quota, relation, violations));
    });
  });
  checkCount('spec.resourceGroups, all flavors', seenFlavors.size, MOST_IN_QUEUE, violations);
  checkCount('spec.resourceGroups, all resources', seenResources.size, MOST_IN_QUEUE, violations);
}

function checkSameResources(path: string, quotas: readonly QuotaSpec[], covered: readonly string[], where: string,
  violations: ViolationCollector): void {
  const names = quotas.map(({ resource }) => resource);
  const missing = covered.filter((resource) => !names.includes(resource));
  const further = names.filter((resource) => !covered.includes(resource));
  if (missing.length > 0) {
    violations.add(`${path}.resources`, names, `has no quota of ${missing.join(', ')}, which ${where} of the group has. Add it, 0 if there is none.`);
  }
  if (further.length > 0) {
    violations.add(`${path}.resources`, names, `has a quota of ${further.join(', ')}, which ${where} of the group does not have. Add it there, or create another group.`);
  }
}

function checkQuota(path: string, { resource, nominal, borrowingLimit, lendingLimit }: QuotaSpec, { what, hasParent, lendsItsOwn }: Relation,
  violations: ViolationCollector): void {
  Object.entries({ nominalQuota: nominal, borrowingLimit, lendingLimit }).forEach(([field, amount]) => {
    if (amount !== undefined && !isQuantity(amount)) {
      violations.add(`${path}.${field}`, amount, 'must be 0 or more.');
    }
    if (amount !== undefined && field !== 'nominalQuota' && !hasParent) {
      violations.add(`${path}.${field}`, amount, `applies only in ${what}. Set one, or leave the limit out.`);
    }
  });
  if (lendsItsOwn && lendingLimit !== undefined && amountOf(lendingLimit) > amountOf(nominal)) {
    violations.add(`${path}.lendingLimit`, lendingLimit, `is more than the queue can lend: the nominal quota is ${shownAmount(resource, amountOf(nominal))}. Lower it, or leave it out to lend all.`);
  }
}

function checkWeight(weight: number | undefined, violations: ViolationCollector): void {
  if (weight !== undefined && (!(weight >= 0) || (weight > 0 && weight <= 1e-9))) {
    violations.add('spec.fairSharing.weight', weight, 'must be 0, or more than 0.000000001. Use a share such as 1 or 2.');
  }
}

function checkPreemption({ preemption, cohort }: ClusterQueueSpec, violations: ViolationCollector): void {
  const { reclaimWithinCohort = 'Never', borrowWithinCohort } = preemption ?? {};
  if (reclaimWithinCohort === 'Never' && borrowWithinCohort !== undefined && borrowWithinCohort.policy !== 'Never') {
    violations.add('spec.preemption.borrowWithinCohort', borrowWithinCohort.policy, 'preempts other jobs to borrow, but reclaimWithinCohort is Never. Set that to LowerPriority or Any first.');
  }
  if (cohort === undefined && reclaimWithinCohort !== 'Never') {
    violations.add('spec.preemption.reclaimWithinCohort', reclaimWithinCohort, 'has no effect without a cohort, because quota is lent only within one. Set a cohort, or remove this.');
  }
}

/** @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/cache/scheduler/clusterqueue.go `inactiveReason` */
function checkChecks({ admissionChecks = [], resourceGroups }: ClusterQueueSpec, violations: ViolationCollector): void {
  const flavors = resourceGroups.flatMap((group) => group.flavors.map(({ flavor }) => flavor));
  const path = 'spec.admissionChecksStrategy.admissionChecks';
  checkCount(path, admissionChecks.length, 64, violations);
  admissionChecks.forEach(({ name, onFlavors = [] }, index) => {
    if (admissionChecks.findIndex((other) => other.name === name) < index) {
      violations.add(`${path}[${index}].name`, name, 'is listed twice. Merge the two entries.');
    }
    // A queue without quotas admits nothing, whatever its checks say.
    onFlavors.filter((flavor) => flavors.length > 0 && !flavors.includes(flavor)).forEach((flavor) => {
      violations.add(`${path}[${index}].onFlavors`, flavor, `is not a flavor of the queue, which has ${flavors.join(', ')}.${didYouMean(flavor, flavors)}`);
    });
  });
  const multi = admissionChecks.filter(({ kind }) => kind === 'multiKueue');
  if (multi.length > 1) {
    violations.add(path, multi.map(({ name }) => name), 'are several MultiKueue checks, and a queue can have only one. List all clusters in one config.');
  }
  if (multi.some(({ onFlavors }) => onFlavors !== undefined)) {
    violations.add(path, multi[0].name, 'a MultiKueue check applies to all flavors. Leave onFlavors out.');
  }
  const provisioning = admissionChecks.find(({ kind }) => kind === 'provisioning');
  if (multi.length > 0 && provisioning !== undefined) {
    violations.add(path, [multi[0].name, provisioning.name], 'MultiKueue and ProvisioningRequest cannot be in the same queue: machines are provisioned in the other clusters. Move the provisioning check there.');
  }
}

function checkName(name: string, violations: ViolationCollector): void {
  if (!isSubdomain(name)) {
    violations.add('metadata.name', name, 'must be lower-case letters, digits, - and ., with a letter or digit at both ends, and at most 253 characters.');
  }
}

function checkCount(path: string, count: number, most: number, violations: ViolationCollector, least = 0): void {
  if (count > most || count < least) {
    violations.add(path, count, `must be ${least} to ${most}.`);
  }
}
