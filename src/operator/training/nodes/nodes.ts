/**
 * What the operator knows of nodes: a few bytes of each. Only where it watches the whole cluster, because nodes belong to no namespace. A node that
 * was never seen is unknown and not gone: news of pods and of nodes come by different watches, and a pod may be told of first. (A pod whose node
 * went while no operator ran is removed by Kubernetes' own pod garbage collector.)
 */
import { NodeLeases } from './node-leases';
import { NodeOutage } from './node-outage';
import type { OperatorConfig } from '../config';
import type { NodeState } from '../plan/types';
import { BY_NODE, controllingJobKey, type ChildStores, type PodObject } from '../resources';
import type { Source } from '../../runtime/controller';
import type { KubeClient } from '../../runtime/kube-client';
import { objectKey, type KubeObject } from '../../runtime/kube-object';
import { SYSTEM_CLOCK } from '../../runtime/process/clock';
import type { Logger } from '../../runtime/process/logger';
import { NODES, PODS } from '../../runtime/resource-kind';
import { catchUp, readAgain } from '../../runtime/watch/list-pages';
import { ListWatch } from '../../runtime/watch/list-watch';
import { Store } from '../../runtime/watch/store';

/** A node, as far as it is kept. */
export interface NodeObject extends KubeObject {
  spec?: { taints?: { key: string }[] };
  status?: { conditions?: { type: string; status: string; lastTransitionTime?: string }[] };
}

/** Set by an administrator who knows that the node is off. @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/ */
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Taints of nodes that are about to be shut down, by whoever sets them. */
const LEAVING_TAINTS: ReadonlySet<string> = new Set([
  // Google: spot and preemptible machines, maintenance, GKE's own shutdown of nodes.
  'cloud.google.com/impending-node-termination',
  // Cloud controller managers: the machine is stopped.
  'node.cloudprovider.kubernetes.io/shutdown',
  // Autoscalers that remove the node.
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  // AWS node termination handler.
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'aws-node-termination-handler/rebalance-recommendation',
]);

/** Names of nodes that are gone which are remembered; the oldest are forgotten. */
const MAX_GONE = 4096;

/** Keeps of a node what {@link NodeStates} reads. */
export function trimNode(node: NodeObject): NodeObject {
  const { name, uid, resourceVersion, deletionTimestamp } = node.metadata ?? {};
  const taints = node.spec?.taints?.filter(({ key }) => key === OUT_OF_SERVICE || LEAVING_TAINTS.has(key)).map(({ key }) => ({ key }));
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    metadata: { name, uid, resourceVersion, deletionTimestamp },
    ...(taints !== undefined && taints.length > 0 && { spec: { taints } }),
    ...(ready && { status: { conditions: [{ type: 'Ready', status: ready.status, lastTransitionTime: ready.lastTransitionTime }] } }),
  };
}

/** Answers what nodes are like. */
export class NodeStates {
  /** Whether most nodes are not ready, so that none of them counts as lost. */
  public readonly outage: NodeOutage;
  /** When nodes were seen to go, by name; milliseconds since the epoch. */
  private readonly gone = new Map<string, number>();

  /**
   * @param leases what their Leases have shown @default - nobody reads them
   */
  public constructor(private readonly store: Store<NodeObject>, now: () => number, private readonly leases?: Pick<NodeLeases, 'of'>) {
    this.outage = new NodeOutage(now);
    store.onChange(({ key, previous, current }) => {
      this.outage.count(previous && isReady(previous), current && isReady(current));
      this.gone.delete(key);
      if (current === undefined) {
        this.gone.set(key, now());
        if (this.gone.size > MAX_GONE) {
          this.gone.delete(this.gone.keys().next().value!);
        }
      }
    });
  }

  /** State of a node; undefined when nothing is known of it. */
  public of(name: string | undefined): NodeState | undefined {
    if (name === undefined) {
      return undefined;
    }
    const node = this.store.get(name);
    if (node === undefined) {
      const since = this.gone.get(name);
      return since === undefined ? undefined : { health: 'Gone', since };
    }
    const { outage } = this;
    const lease = this.leases?.of(name);
    const state = nodeState(node);
    return {
      ...state,
      ...(state.health === 'NotReady' && { since: outage.since(state.since) }),
      ...(lease && { lease }),
      ...(outage.lasts && { inOutage: true }),
    };
  }
}

function isReady(node: NodeObject): boolean {
  return nodeState(node).health === 'Ready';
}

/** State of a node that is there. */
export function nodeState({ metadata, spec, status }: NodeObject): NodeState {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const taints = spec?.taints ?? [];
  const taint = taints.find(({ key }) => LEAVING_TAINTS.has(key));
  const leaving = metadata?.deletionTimestamp !== undefined ? 'it is being deleted' : taint && `taint ${taint.key}`;
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  return {
    // A node that has said nothing yet is new.
    health: ready === undefined || ready.status === 'True' ? 'Ready' : 'NotReady',
    ...(!Number.isNaN(since) && { since }),
    ...(leaving !== undefined && { leaving }),
    ...(taints.some(({ key }) => key === OUT_OF_SERVICE) && { outOfService: true }),
  };
}

/**
 * Changes of nodes, as the keys of the jobs that have pods there. A kubelet writes its node every few minutes, or seconds; only what changes a
 * node's state wakes anybody. At the end of an outage, all nodes count again that are not ready.
 */
export function nodeSource({ store: nodes, states: { outage } }: Pick<NodeCache, 'store' | 'states'>, { pods }: ChildStores): Source {
  return {
    name: 'nodes',
    // Nodes are a help: jobs are run without them, where they may not be listed.
    waitForSync: () => Promise.resolve(),
    subscribe: (onChange, onError) => {
      const wakeOn = (names: readonly string[]): void => {
        try {
          const keys = new Set(names.flatMap((name) => pods.byIndex(BY_NODE, name)).flatMap((pod) => controllingJobKey(pod) ?? []));
          if (keys.size > 0) {
            onChange([...keys], false);
          }
        } catch (error) {
          onError(error);
        }
      };
      const ends = [
        nodes.onChange(({ key, previous, current }) => {
          if (!previous || !current || JSON.stringify(nodeState(previous)) !== JSON.stringify(nodeState(current))) {
            wakeOn([key]);
          }
        }),
        outage.onChange(() => wakeOn(outage.lasts ? [] : nodes.list().filter((node) => !isReady(node)).map(objectKey))),
      ];
      return () => ends.forEach((end) => end());
    },
  };
}

/** The nodes of the cluster, kept up to date where the operator watches all namespaces. Never waited for: jobs are run without it. */
export class NodeCache {
  public readonly store = new Store<NodeObject>({ transform: trimNode });
  public readonly leases: NodeLeases;
  public readonly states: NodeStates;
  /** Feeds the store. */
  public readonly watch: ListWatch<NodeObject>;

  public constructor(private readonly options: { readonly client: KubeClient; readonly config: OperatorConfig; readonly logger: Logger }) {
    const { client, config, logger } = options;
    this.leases = new NodeLeases({ client, clock: SYSTEM_CLOCK, logger });
    this.states = new NodeStates(this.store, () => SYSTEM_CLOCK.now(), this.leases);
    const { outage } = this.states;
    outage.onChange(() => (outage.lasts
      ? logger.warn('most nodes are not ready; until more are, no pod counts as lost because of its node', outage.nodes)
      : logger.info('enough nodes are ready again', outage.nodes)));
    this.watch = new ListWatch<NodeObject>({ client, kind: NODES, store: this.store, logger, resyncMs: config.resyncSeconds * 1000 });
  }

  /** Follows the nodes until the signal aborts. */
  public async run(signal: AbortSignal): Promise<void> {
    await this.watch.run(signal);
  }

  /**
   * What a node is like now, its Lease too: asked of the API server, because a watch may be behind. The answer goes into the cache too.
   * @throws ApiError, TransportError when nobody can say
   */
  public async read(name: string): Promise<NodeState> {
    const live = await readAgain(this.options.client, NODES, this.store, { name });
    if (live === undefined) {
      return { health: 'Gone', since: SYSTEM_CLOCK.now() };
    }
    await this.leases.lookNow(name);
    return this.states.of(name) ?? nodeState(live);
  }

  /**
   * Looks at the Lease of a pod's node. Errors are only logged, because a later look may succeed.
   * @param pod namespace and name
   */
  public async lookAtNodeOf(pod: { readonly namespace: string; readonly name: string }): Promise<void> {
    const { client, logger } = this.options;
    try {
      const node = (await client.tryGet<PodObject>(PODS, pod))?.spec?.nodeName;
      if (node !== undefined) {
        await this.leases.look(node);
      }
    } catch (error) {
      logger.debug('the node of a pod could not be read', { pod: pod.name, error });
    }
  }

  /** Brings it up to this moment, if it can be: an operator without the right to list nodes goes on without them. */
  public async catchUp(): Promise<void> {
    try {
      await catchUp(this.options.client, NODES, this.store, {});
    } catch (error) {
      this.options.logger.warn('nodes are not known; pods on lost nodes wait until Kubernetes removes them', { error });
    }
  }
}
