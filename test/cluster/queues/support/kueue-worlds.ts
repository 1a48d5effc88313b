/** Queues of a test, as objects of a real Kueue: names get a prefix, so that many tests share one cluster and have nothing in common. */
import { KUEUE_GROUP, KUEUE_VERSION } from '../../../../src/model/kueue-names';
import { constructClusterQueueSpec, constructCohortSpec, constructFlavorSpec, constructLocalQueueSpec } from '../../../../src/manifests/kueue/queues';
import { toQuantities } from '../../../../src/manifests/gang/gang-renderer';
import type { PodSetDemand } from '../../../../src/model/queues/flavor-match';
import type { FlavorSpec, ResourceGroupSpec } from '../../../../src/model/queues/spec';
import type { World } from '../../../support/queues/fit-cases';
import { eventually, type TestObject } from '../../support/cluster';
import type { TestApi } from '../../support/test-api';

const BASE = `/apis/${KUEUE_GROUP}/${KUEUE_VERSION}`;

/** Label of the nodes of a flavor of these tests that selects by nothing else. */
const FLAVOR_LABEL = 'kueue-fit.test/flavor';

/** What Kueue said to a workload. */
export interface Answer {
  readonly admitted: boolean;
  readonly message: string;
}

/** One world in a cluster. */
export class KueueWorld {
  public constructor(
    private readonly api: TestApi, private readonly namespace: string, private readonly prefix: string, private readonly world: World,
  ) {}

  /** Makes topologies, nodes, flavors, cohorts and queues. */
  public async create(): Promise<void> {
    const { queue, others = [], cohorts = [], flavors = [] } = this.world;
    const queues = [queue, ...others];
    const groups = [...queues, ...cohorts].flatMap(({ resourceGroups }) => resourceGroups);
    const names = new Set(groups.flatMap((group) => group.flavors.map(({ flavor }) => flavor)));
    for (const name of names) {
      await this.createFlavor(flavors.find((flavor) => flavor.name === name) ?? { name, nodeLabels: {}, nodeTaints: [], tolerations: [] });
    }
    for (const cohort of cohorts) {
      const spec = { ...cohort, parent: cohort.parent && this.own(cohort.parent), resourceGroups: this.ownFlavors(cohort.resourceGroups) };
      await this.make('cohorts', 'Cohort', cohort.name, constructCohortSpec(spec) ?? {});
    }
    for (const one of queues) {
      const spec = { ...one, cohort: one.cohort && this.own(one.cohort), resourceGroups: this.ownFlavors(one.resourceGroups) };
      await this.make('clusterqueues', 'ClusterQueue', one.name, constructClusterQueueSpec(spec));
      await this.make(`namespaces/${this.namespace}/localqueues`, 'LocalQueue', one.name, constructLocalQueueSpec({ clusterQueue: this.own(one.name) }));
    }
  }

  /** Submits a workload to the queue. */
  public async submit(name: string, podSets: readonly PodSetDemand[]): Promise<void> {
    await this.api.send('POST', this.workloads, {
      apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind: 'Workload', metadata: { name: this.own(name) },
      spec: { queueName: this.own(this.world.queue.name), podSets: podSets.map(podSet) },
    });
  }

  /** Waits until a workload is admitted. Kueue gives a role the first flavor with room, and tries the next ones in later turns. */
  public async untilAdmitted(name: string): Promise<void> {
    let last = 'nothing';
    await eventually(`Kueue to admit ${this.own(name)}`, async () => {
      const { admitted, message } = await this.answer(name) ?? { admitted: false, message: 'nothing' };
      last = message;
      return admitted;
    }).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; Kueue says: ${last}`, { cause: error });
    });
  }

  /**
   * Waits until Kueue refuses a workload in such words. It may know a part of the queues only when it sees the workload, and says something else at
   * first.
   */
  public async untilRefused(name: string, isMeant: (message: string) => boolean): Promise<void> {
    let last = 'nothing';
    await eventually(`Kueue to refuse ${this.own(name)}`, async () => {
      const { admitted, message } = await this.answer(name) ?? { admitted: true, message: 'nothing' };
      last = message;
      return !admitted && isMeant(message);
    }, 20_000).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; Kueue says: ${last}`, { cause: error });
    });
  }

  /** What Kueue says of a workload; undefined while it says nothing. */
  public async answer(name: string): Promise<Answer | undefined> {
    const { status } = await this.api.send('GET', `${this.workloads}/${this.own(name)}`);
    const reserved = (status?.conditions as TestObject['status'][] ?? []).find(({ type }: { type: string }) => type === 'QuotaReserved');
    // A queue that is not known to Kueue yet is no word on the workload.
    return reserved === undefined || /doesn't exist|inactive/.test(reserved.message) ? undefined : { admitted: reserved.status === 'True', message: reserved.message };
  }

  private get workloads(): string {
    return `${BASE}/namespaces/${this.namespace}/workloads`;
  }

  private async createFlavor(flavor: FlavorSpec): Promise<void> {
    const { topology } = flavor;
    const isLabelled = topology === undefined || Object.keys(flavor.nodeLabels).length > 0;
    const nodeLabels = isLabelled ? flavor.nodeLabels : { [FLAVOR_LABEL]: this.own(flavor.name) };
    if (topology !== undefined) {
      await this.make('topologies', 'Topology', flavor.name, { levels: topology.levels!.map((nodeLabel) => ({ nodeLabel })) });
      for (const index of [0, 1]) {
        await this.createNode(this.own(`${flavor.name}-${index}`), { ...nodeLabels, ...Object.fromEntries(topology.levels!.map((level) => [level, 'one'])) });
      }
    }
    await this.make('resourceflavors', 'ResourceFlavor', flavor.name, constructFlavorSpec({ ...flavor, nodeLabels, ...(topology && { topology: { name: this.own(flavor.name) } }) }));
  }

  /** A node of eight GPUs, which no kubelet is on. */
  private async createNode(name: string, labels: { readonly [label: string]: string }): Promise<void> {
    const amounts = { 'cpu': '64', 'memory': '512Gi', 'pods': '110', 'nvidia.com/gpu': '8' };
    await this.api.create('nodes', undefined, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { ...labels, 'kubernetes.io/hostname': name } } });
    const ready = { type: 'Ready', status: 'True', reason: 'Test', message: '', lastHeartbeatTime: null, lastTransitionTime: null };
    await this.api.patch('nodes', '', name, { status: { allocatable: amounts, capacity: amounts, conditions: [ready] } }, 'status');
    // The API server taints whatever it has not heard of.
    await this.api.patch('nodes', '', name, { spec: { taints: null } });
  }

  private async make(path: string, kind: string, name: string, spec: object): Promise<void> {
    await this.api.send('POST', `${BASE}/${path}?fieldValidation=Strict`, { apiVersion: `${KUEUE_GROUP}/${KUEUE_VERSION}`, kind, metadata: { name: this.own(name) }, spec });
  }

  private ownFlavors(groups: readonly ResourceGroupSpec[]): ResourceGroupSpec[] {
    return groups.map(({ flavors }) => ({ flavors: flavors.map(({ flavor, quotas }) => ({ flavor: this.own(flavor), quotas })) }));
  }

  private own(name: string): string {
    return `${this.prefix}-${name}`;
  }
}

/** One of `spec.podSets`. */
function podSet({ name, count, requests, nodeSelector, affinity, tolerations, topology }: PodSetDemand): object {
  const nodeSelectorTerms = affinity.map((matchExpressions) => ({ matchExpressions }));
  return {
    name,
    count,
    template: {
      spec: {
        restartPolicy: 'Never',
        nodeSelector, tolerations,
        ...(affinity.length > 0 && { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } }),
        containers: [{ name: 'training', image: 'image', resources: { requests: toQuantities(requests) } }],
      },
    },
    ...(topology && { topologyRequest: { [topology.required ? 'required' : 'preferred']: topology.key } }),
  };
}
