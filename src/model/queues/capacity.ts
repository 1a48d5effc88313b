/**
 * The most that a queue can ever have of a resource in a flavor, when nothing else uses it: its own quota, what the cohorts above it have, and
 * what their other members lend. The sums are those of Kueue's scheduler.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/cache/scheduler/resource_node.go
 */
import type { ClusterQueueSpec, CohortSpec, QueueLandscape, QuotaSpec, ResourceGroupSpec } from './spec';
import { tryParseQuantity } from '../quantities';

/** The number behind a quantity; 0 for none. Rules report what is not a quantity. */
export function amountOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : tryParseQuantity(quantity) ?? 0;
}

/** Sums of thousandths stay thousandths: a tenth of a core ten times is one core, as Kueue counts it. */
export function rounded(amount: number): number {
  return Number.isFinite(amount) ? Math.round(amount * 1000) / 1000 : amount;
}

const BYTE_UNITS: readonly (readonly [string, number])[] = [['Ti', 2 ** 40], ['Gi', 2 ** 30], ['Mi', 2 ** 20], ['Ki', 2 ** 10]];

/** An amount in the largest unit that it has at least one of: `1.5Ti`, `64`, `0.5`. */
export function shownAmount(resource: string, amount: number): string {
  const unit = isBytes(resource) ? BYTE_UNITS.find(([, size]) => amount >= size) : undefined;
  return unit === undefined ? String(rounded(amount)) : `${Math.round(amount / unit[1] * 100) / 100}${unit[0]}`;
}

/** An amount with the name of what it is: `64 nvidia.com/gpu`. */
export function namedAmount(resource: string, amount: number): string {
  return `${shownAmount(resource, amount)} ${resource}`;
}

function isBytes(resource: string): boolean {
  return resource === 'memory' || resource.endsWith('storage') || resource.startsWith('hugepages-');
}

type Member = ClusterQueueSpec | CohortSpec;

/** How much there is, and why. */
export interface Capacity {
  /** Infinity where a cohort that is not in the program may lend any amount. */
  readonly amount: number;
  /** Such as `64 nominal, and up to 32 of cohort 'all'`. */
  readonly why: string;
}

/** Sums over a program's queues. */
export class QueueCapacities {
  private readonly cohorts: ReadonlyMap<string, CohortSpec>;

  public constructor(private readonly landscape: QueueLandscape) {
    this.cohorts = new Map(landscape.cohorts.map((cohort) => [cohort.name, cohort]));
  }

  /** The most that a queue can have of a resource in a flavor. */
  public of(queue: ClusterQueueSpec, flavor: string, resource: string): Capacity {
    const own = quotaOf(queue, flavor, resource);
    const nominal = amountOf(own?.nominal);
    const amount = this.potential(queue, flavor, resource);
    const borrowed = rounded(amount - nominal);
    const shown = `${shownAmount(resource, nominal)} nominal`;
    if (queue.cohort === undefined) {
      return { amount, why: `${shown}, and no cohort to borrow from` };
    }
    const limit = own?.borrowingLimit === undefined ? '' : `, borrowing limit ${shownAmount(resource, amountOf(own.borrowingLimit))}`;
    const lent = borrowed > 0 ? `up to ${shownAmount(resource, borrowed)} borrowed` : 'nothing to borrow';
    return { amount, why: `${shown}, and ${lent} in cohort '${queue.cohort}'${limit}` };
  }

  /** Quotas of a flavor over all queues and cohorts, as `64 of 'a' and 32 of 'b'`. */
  public nominals(flavor: string, resource: string): { readonly sum: number; readonly parts: readonly string[] } {
    const quotas = [...this.landscape.clusterQueues, ...this.landscape.cohorts]
      .map((member) => ({ name: member.name, amount: amountOf(quotaOf(member, flavor, resource)?.nominal) }))
      .filter(({ amount }) => amount > 0);
    return { sum: rounded(quotas.reduce((sum, { amount }) => sum + amount, 0)), parts: quotas.map(({ name, amount }) => `${namedAmount(resource, amount)} of '${name}'`) };
  }

  private potential(member: Member, flavor: string, resource: string): number {
    const { name: parentName, known, cohort } = this.parentOf(member);
    const subtree = this.subtree(member, flavor, resource);
    if (parentName === undefined) {
      return subtree;
    }
    const own = quotaOf(member, flavor, resource);
    // What a cohort has outside of the program is not known here.
    const above = known ? this.potential(cohort!, flavor, resource) : Infinity;
    const all = rounded(this.kept(member, flavor, resource) + above);
    return own?.borrowingLimit === undefined ? all : Math.min(all, rounded(subtree + amountOf(own.borrowingLimit)));
  }

  /** Quota of a member and of all below it, as far as they lend. */
  private subtree(member: Member, flavor: string, resource: string): number {
    const nominal = amountOf(quotaOf(member, flavor, resource)?.nominal);
    return rounded(nominal + this.childrenOf(member)
      .reduce((sum, child) => sum + this.subtree(child, flavor, resource) - this.kept(child, flavor, resource), 0));
  }

  /** The part that is never lent. */
  private kept(member: Member, flavor: string, resource: string): number {
    const limit = quotaOf(member, flavor, resource)?.lendingLimit;
    return limit === undefined ? 0 : Math.max(0, rounded(this.subtree(member, flavor, resource) - amountOf(limit)));
  }

  private childrenOf(member: Member): readonly Member[] {
    return this.isQueue(member) ? [] : [
      ...this.landscape.cohorts.filter(({ parent }) => parent === member.name),
      ...this.landscape.clusterQueues.filter(({ cohort }) => cohort === member.name),
    ];
  }

  private parentOf(member: Member): { readonly name?: string; readonly known: boolean; readonly cohort?: CohortSpec } {
    const name = this.isQueue(member) ? member.cohort : member.parent;
    const cohort = name === undefined ? undefined : this.cohorts.get(name);
    return { name, cohort, known: cohort !== undefined };
  }

  private isQueue(member: Member): member is ClusterQueueSpec {
    return !this.landscape.cohorts.includes(member);
  }
}

/** Cohorts that are above themselves: the names of one such circle, in order; empty when there is none. */
export function cohortCycle(cohorts: readonly CohortSpec[]): readonly string[] {
  const parents = new Map(cohorts.map(({ name, parent }) => [name, parent]));
  for (const { name } of cohorts) {
    const path: string[] = [];
    for (let at: string | undefined = name; at !== undefined; at = parents.get(at)) {
      if (path.includes(at)) {
        return [...path.slice(path.indexOf(at)), at];
      }
      path.push(at);
    }
  }
  return [];
}

/** Quota of a queue or cohort; undefined where it has none of the resource in the flavor. */
function quotaOf({ resourceGroups }: { readonly resourceGroups: readonly ResourceGroupSpec[] }, flavor: string,
  resource: string): QuotaSpec | undefined {
  for (const group of resourceGroups) {
    const found = group.flavors.find((candidate) => candidate.flavor === flavor)?.quotas.find((quota) => quota.resource === resource);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Resources that a group has quotas of, as it says, or in the order of its first flavor. */
export function coveredResources({ coveredResources: covered, flavors }: ResourceGroupSpec): readonly string[] {
  return covered ?? (flavors.length === 0 ? [] : flavors[0].quotas.map(({ resource }) => resource));
}
