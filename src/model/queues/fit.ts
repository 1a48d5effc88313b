/**
 * Whether a job can ever be admitted by a queue. A job is only said not to fit when there is no way at all: no flavor for one of its roles, or no
 * choice of flavors with which the quotas, and the nodes, are enough for all roles together, though nothing else runs. Flavors are chosen for a role
 * and a resource group; groups have no flavor in common, so that each is looked at alone.
 */
import { namedAmount, rounded, shownAmount, QueueCapacities, coveredResources, type Capacity } from './capacity';
import { mismatch, type PodSetDemand } from './flavor-match';
import type { ClusterQueueSpec, FlavorSpec, QueueLandscape, ResourceGroupSpec } from './spec';

/** Choices that are tried before a job gets the benefit of the doubt. */
const MOST_CHOICES = 20_000;

/** What is given away already, by flavor and resource. */
type Used = ReadonlyMap<string, number>;

/** A flavor for a role, or why not. */
interface Option {
  readonly flavor: string;
  readonly problem?: string;
  /** Most replicas of the role that the flavor has room for. */
  readonly room: number;
}

/** Why a job of these roles can never run in a queue, a sentence or two each; empty when it can, as far as the program shows. */
export function fitProblems(podSets: readonly PodSetDemand[], queue: ClusterQueueSpec, landscape: QueueLandscape): readonly string[] {
  const demands = podSets.map((pods) => withPodCount(counted(pods, queue), queue));
  const uncovered = demands.flatMap((pods) => uncoveredProblems(pods, queue));
  return uncovered.length > 0 ? uncovered : queue.resourceGroups.flatMap((group) => new GroupFit(group, queue, landscape).problems(demands));
}

/** The room of one resource group. */
class GroupFit {
  private readonly capacities: QueueCapacities;
  private readonly resources: readonly string[];
  private tries = 0;

  public constructor(private readonly group: ResourceGroupSpec, private readonly queue: ClusterQueueSpec,
    private readonly landscape: QueueLandscape) {
    this.capacities = new QueueCapacities(landscape);
    this.resources = coveredResources(group);
  }

  public problems(podSets: readonly PodSetDemand[]): readonly string[] {
    const asking = podSets.filter(({ requests }) => this.resources.some((resource) => (requests[resource] ?? 0) > 0));
    const options = asking.map((pods) => this.group.flavors.map(({ flavor }) => this.option(pods, flavor)));
    const alone = asking.flatMap((pods, index) =>
      (options[index].some(({ problem }) => problem === undefined) ? [] : [this.nothingFits(pods, options[index])]));
    if (alone.length > 0) {
      return alone;
    }
    const usable = options.map((all) => all.filter(({ problem }) => problem === undefined).map(({ flavor }) => flavor));
    return this.canPlace(asking, usable, 0, new Map()) ? [] : [this.notTogether(asking, usable)];
  }

  private option(pods: PodSetDemand, flavorName: string): Option {
    const flavor = this.landscape.flavors.find(({ name }) => name === flavorName);
    const wrong = flavor && mismatch(pods, flavor, this.queue, this.landscape);
    if (wrong !== undefined) {
      return { flavor: flavorName, problem: `flavor '${flavorName}' ${wrong}`, room: 0 };
    }
    const room = Math.min(...this.resources.filter((resource) => (pods.requests[resource] ?? 0) > 0)
      .map((resource) => Math.floor(rounded(this.capacity(flavorName, resource).amount / pods.requests[resource]))), nodesRoom(pods, flavor));
    return room >= pods.count ? { flavor: flavorName, room } : { flavor: flavorName, problem: this.shortage(pods, flavorName, flavor), room };
  }

  /** The first resource, or the nodes, of which there is not enough. */
  private shortage(pods: PodSetDemand, flavorName: string, flavor: FlavorSpec | undefined): string {
    for (const resource of this.resources) {
      const wanted = rounded((pods.requests[resource] ?? 0) * pods.count);
      const { amount, why } = this.capacity(flavorName, resource);
      if (wanted > amount) {
        return `flavor '${flavorName}' can have at most ${namedAmount(resource, amount)} (${why}), and ${shownAmount(resource, wanted)} are requested`;
      }
    }
    const room = nodesRoom(pods, flavor);
    return `flavor '${flavorName}' has at most ${flavor!.nodes!.count} nodes, with room for ${room} of these replicas, and ${pods.count} are requested`;
  }

  private nothingFits(pods: PodSetDemand, options: readonly Option[]): string {
    const most = Math.max(0, ...options.map(({ room }) => room));
    const widest = options.find(({ room }) => room === most)!;
    const mismatched = options.every(({ room }) => room === 0);
    const fix = mismatched ? '' : ` At most ${most} replicas of the role fit (flavor '${widest.flavor}'): request fewer, or raise the quota.`;
    return `${shownPods(pods, this.resources)} fits in no flavor of ClusterQueue '${this.queue.name}': ${options.map(({ problem }) => problem).join('; ')}.${fix}`;
  }

  private notTogether(podSets: readonly PodSetDemand[], usable: readonly (readonly string[])[]): string {
    const flavors = [...new Set(usable.flat())];
    const short = this.resources.map((resource) => {
      const wanted = rounded(podSets.reduce((sum, { requests, count }) => sum + (requests[resource] ?? 0) * count, 0));
      const capacities = flavors.map((flavor) => ({ flavor, ...this.capacity(flavor, resource) }));
      const amount = rounded(capacities.reduce((sum, capacity) => sum + capacity.amount, 0));
      return { resource, wanted, amount, capacities };
    });
    const { resource, wanted, capacities } = short.find((one) => one.wanted > one.amount) ?? short.find((one) => one.wanted > 0)!;
    const rooms = capacities.map(({ flavor, amount, why }) => `${shownAmount(resource, amount)} in flavor '${flavor}' (${why})`).join(', ');
    return `${podSets.map((pods) => shownPods(pods, this.resources)).join(' and ')} request ${namedAmount(resource, wanted)} together, and ClusterQueue `
      + `'${this.queue.name}' can have at most ${rooms}, with each role in one flavor. Request less, or raise the quota.`;
  }

  /** Quota, or the nodes where they are fewer. */
  private capacity(flavorName: string, resource: string): Capacity {
    const quota = this.capacities.of(this.queue, flavorName, resource);
    const { perNode = {}, count } = this.landscape.flavors.find(({ name }) => name === flavorName)?.nodes ?? {};
    const node = perNode[resource];
    if (node === undefined || count === undefined || node * count >= quota.amount) {
      return quota;
    }
    return { amount: rounded(node * count), why: `at most ${count} nodes of ${shownAmount(resource, node)}` };
  }

  private canPlace(podSets: readonly PodSetDemand[], usable: readonly (readonly string[])[], index: number, used: Used): boolean {
    if (index === podSets.length || ++this.tries > MOST_CHOICES) {
      return true;
    }
    const { requests, count } = podSets[index];
    return usable[index].some((flavor) => {
      const after = new Map(used);
      for (const resource of this.resources) {
        const key = `${flavor}\n${resource}`;
        const amount = rounded((used.get(key) ?? 0) + (requests[resource] ?? 0) * count);
        if (amount > this.capacity(flavor, resource).amount) {
          return false;
        }
        after.set(key, amount);
      }
      return this.canPlace(podSets, usable, index + 1, after);
    });
  }
}

/** Replicas that all nodes together have room for, each replica on one node. */
function nodesRoom({ requests }: PodSetDemand, flavor: FlavorSpec | undefined): number {
  const { perNode = {}, count } = flavor?.nodes ?? {};
  const rooms = Object.entries(requests).filter(([resource, amount]) => amount > 0 && perNode[resource] !== undefined)
    .map(([resource, amount]) => Math.floor(rounded(perNode[resource] / amount)));
  return count === undefined || rooms.length === 0 ? Infinity : count * Math.min(...rooms);
}

function uncoveredProblems({ name, requests }: PodSetDemand, queue: ClusterQueueSpec): string[] {
  const covered = queue.resourceGroups.flatMap(coveredResources);
  return Object.entries(requests).filter(([resource, amount]) => amount > 0 && !covered.includes(resource))
    .map(([resource, amount]) => `role '${name}' requests ${namedAmount(resource, amount)} in each replica, and ClusterQueue '${queue.name}' has no quota of `
      + `${resource}: it has ${covered.length === 0 ? 'none at all' : covered.join(', ')}. Add a quota, or name ${resource} in uncountedResources if Kueue's configuration excludes it.`);
}

function counted(pods: PodSetDemand, { uncountedResources = [] }: ClusterQueueSpec): PodSetDemand {
  const requests = Object.entries(pods.requests).filter(([resource]) => !uncountedResources.some((start) => resource.startsWith(start)));
  return { ...pods, requests: Object.fromEntries(requests) };
}

/** A queue that counts pods counts one for each. */
function withPodCount(pods: PodSetDemand, { resourceGroups }: ClusterQueueSpec): PodSetDemand {
  return resourceGroups.flatMap(coveredResources).includes('pods') ? { ...pods, requests: { ...pods.requests, pods: 1 } } : pods;
}

function shownPods({ name, count, requests }: PodSetDemand, resources: readonly string[]): string {
  const amounts = resources.filter((resource) => (requests[resource] ?? 0) > 0).map((resource) => namedAmount(resource, requests[resource]));
  return `role '${name}' (${count} x ${amounts.join(', ')})`;
}
