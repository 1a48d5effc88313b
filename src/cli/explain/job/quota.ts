/** Compares the requests of a job with the quota of its ClusterQueue. */
import type { AnyObject } from '../../jobs/objects';
import { podRequests, sumOf, toQuantities, type Amounts } from '../../../manifests/gang/gang-renderer';
import type { PodSpec } from '../../../manifests/kubernetes';
import { tryParseQuantity } from '../../../model/quantities';
import type { Workload } from '../../../operator/kueue/workload';

/** Whether the quota can ever be enough; `unknown` if the quota is not the reason. */
export type QuotaVerdict = 'never' | 'later' | 'unknown';

interface Flavor<Resource> {
  readonly name: string;
  readonly resources?: readonly Resource[];
}

interface Quota {
  readonly name: string;
  readonly nominalQuota: string | number;
  readonly borrowingLimit?: string | number;
}

interface Usage {
  readonly name: string;
  readonly total?: string | number;
}

interface ClusterQueueSpec {
  readonly cohort?: string;
  readonly cohortName?: string;
  readonly resourceGroups?: readonly { readonly flavors?: readonly Flavor<Quota>[] }[];
}

interface QuotaReport {
  /** One for each resource without enough quota. */
  readonly lines: readonly string[];
  readonly verdict: QuotaVerdict;
}

export function quotaLines(workload: Workload, clusterQueue: AnyObject | undefined): QuotaReport {
  if (clusterQueue === undefined) {
    return { lines: [], verdict: 'unknown' };
  }
  const spec = (clusterQueue.spec ?? {}) as ClusterQueueSpec;
  const usage = (clusterQueue.status?.flavorsReservation ?? clusterQueue.status?.flavorsUsage ?? []) as readonly Flavor<Usage>[];
  const flavors = (spec.resourceGroups ?? []).flatMap((group) => group.flavors ?? []);
  const canBorrow = (spec.cohortName ?? spec.cohort) !== undefined;
  const lines: string[] = [];
  let verdict: QuotaVerdict = 'unknown';
  for (const [resource, asked] of Object.entries(requestsOf(workload))) {
    const offers = flavors.flatMap((flavor) => (flavor.resources ?? []).filter(({ name }) => name === resource).map((quota) => {
      const used = amount(usage.find(({ name }) => name === flavor.name)?.resources?.find(({ name }) => name === resource)?.total ?? 0);
      const nominal = amount(quota.nominalQuota);
      // Without a limit, a queue of a cohort can borrow all unused quota.
      const most = !canBorrow ? nominal : quota.borrowingLimit === undefined ? Infinity : nominal + amount(quota.borrowingLimit);
      return { flavor: flavor.name, nominal, used, most };
    }));
    if (asked === 0 || offers.some(({ nominal, used }) => nominal - used >= asked)) {
      continue;
    }
    if (offers.length === 0) {
      lines.push(`${resource}: the job requests ${show(resource, asked)}, and the ClusterQueue has no quota for it.`);
      verdict = 'never';
      continue;
    }
    lines.push(`${resource}: the job requests ${show(resource, asked)}; ${offers.map(({ flavor, nominal, used }) => `${flavor} has ${show(resource, nominal)}, of which ${show(resource, used)} are in use`).join('; ')}.`);
    verdict = verdict === 'never' || offers.every(({ most }) => most < asked) ? 'never' : 'later';
  }
  return { lines, verdict };
}

/** Requests of all pods of the job. */
function requestsOf({ spec }: Workload): Amounts {
  const podSets = (spec?.podSets ?? []) as readonly { readonly count: number; readonly template?: { readonly spec?: PodSpec } }[];
  return sumOf(podSets.map(({ count, template }) => {
    const each = template?.spec === undefined ? {} : podRequests(template.spec);
    return { ...Object.fromEntries(Object.entries(each).map(([resource, number]) => [resource, number * count])), pods: 0 };
  }));
}

/** A quantity as a number; 0 if it is invalid. */
export function amount(quantity: string | number): number {
  return tryParseQuantity(String(quantity)) ?? 0;
}

/** An amount with its unit: bytes in Gi. */
export function show(resource: string, number: number): string {
  const gibibytes = number / 2 ** 30;
  return (resource === 'memory' || resource === 'ephemeral-storage') && gibibytes >= 1 ? `${Math.round(gibibytes * 10) / 10}Gi` : toQuantities({ [resource]: number })[resource];
}
