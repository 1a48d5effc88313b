/** The nodes of the cluster, kept up to date where the operator watches all namespaces. Never waited for: jobs are run without it. */
import type { OperatorConfig } from '../config';
import { NodeLeases } from './node-leases';
import { NodeStates, nodeState, trimNode, type NodeObject } from './nodes';
import type { NodeState } from '../plan/types';
import { catchUp } from '../../runtime/watch/catch-up';
import { SYSTEM_CLOCK } from '../../runtime/process/clock';
import type { KubeClient } from '../../runtime/kube-client';
import { ListWatch } from '../../runtime/watch/list-watch';
import type { Logger } from '../../runtime/process/logger';
import { NODES } from '../../runtime/resource-kind';
import { Store } from '../../runtime/watch/store';

/** See the top of this file. */
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
    const live = await this.options.client.tryGet<NodeObject>(NODES, { name });
    if (live === undefined) {
      this.store.markDeleted({ name });
      return { health: 'Gone', since: SYSTEM_CLOCK.now() };
    }
    this.store.applyWritten(live);
    await this.leases.lookNow(name);
    return { ...nodeState(live), lease: this.leases.of(name) };
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
