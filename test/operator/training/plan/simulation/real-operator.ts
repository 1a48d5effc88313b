/** The real reconciler, executor and status writer as one process of a history. Slower than the simulated one, and nothing about it is simulated. */
import type { ApiClient } from './api-client';
import { NAMESPACE, type ApiServer } from './api-server';
import type { Caches } from './caches';
import { FakeKubeClient } from './fake-kube-client';
import type { Clock, OperatorObserver, OperatorProcess } from './operator-variant';
import { ApiError } from '../../../../../src/operator/runtime/http/api-error';
import type { Clock as RuntimeClock } from '../../../../../src/operator/runtime/process/clock';
import type { KubeClient } from '../../../../../src/operator/runtime/kube-client';
import { Logger } from '../../../../../src/operator/runtime/process/logger';
import { addressBooks } from '../../../../../src/operator/training/addresses';
import { Executor } from '../../../../../src/operator/training/executor';
import { JobQueues } from '../../../../../src/operator/training/children/job-queues';
import type { QueuePositions } from '../../../../../src/operator/kueue/queue-positions';
import type { WorkloadCache } from '../../../../../src/operator/kueue/workload-cache';
import { ForcedDeletion } from '../../../../../src/operator/training/cleanup/stuck-orphans';
import { TrainingJobReconciler } from '../../../../../src/operator/training/reconciler';
import { NodeLeases } from '../../../../../src/operator/training/nodes/node-leases';
import type { NodeState } from '../../../../../src/operator/training/plan/types';
import type { NodeStates } from '../../../../../src/operator/training/nodes/nodes';
import { StatusWriter } from '../../../../../src/operator/training/status-writer';

/** See the top of this file. */
export class RealOperator implements OperatorProcess {
  private readonly client: FakeKubeClient;
  private readonly reconciler: TrainingJobReconciler;
  private dirty = true;
  private timers: number[] = [];
  /** What an invariant threw inside of a request; the operator must not swallow it. */
  private violation?: unknown;

  public constructor(
    server: ApiServer, client: ApiClient, private readonly clock: Clock, private readonly jobName: string, observer: OperatorObserver,
    public readonly caches: Caches,
  ) {
    const watched = (check: () => void) => {
      try {
        check();
      } catch (error) {
        this.violation ??= error;
        throw error;
      }
    };
    this.client = new FakeKubeClient(
      server, client, (pod) => watched(() => observer.onCreatePod(pod, caches)), (pod, byForce) => watched(() => observer.onDeletePod(pod, byForce)),
      (job) => watched(() => observer.onDeleteJob(job)),
    );
    const kube = this.client as unknown as KubeClient;
    const runtimeClock = { now: () => clock.now, monotonic: () => clock.monotonic } as RuntimeClock;
    const children = { pods: caches.pods, services: caches.services };
    const logger = Logger.silent();
    const leaseClient = {
      tryGet: async (_kind: unknown, { name }: { name: string }) => this.client.readLease(name, (node) => caches.nodes.leaseOf(node)),
    };
    const leases = new NodeLeases({ client: leaseClient as unknown as KubeClient, clock: runtimeClock, logger });
    const withLease = (name: string, state: NodeState | undefined) => {
      const lease = leases.of(name);
      return state && lease ? { ...state, lease } : state;
    };
    const nodes = {
      read: async (name: string) => {
        const state = await this.client.readNode(name, (node) => caches.nodes.read(node));
        await leases.lookNow(name);
        return withLease(name, state)!;
      },
    };
    const forced = new ForcedDeletion(nodes, caches.pods, runtimeClock);
    const positions = { positionOf: () => undefined } as unknown as QueuePositions;
    const queues = new JobQueues({ client: kube, cache: workloadCache(caches), positions, clock: runtimeClock, logger });
    this.reconciler = new TrainingJobReconciler({
      client: kube,
      jobs: caches.jobs,
      nodes: { of: (name: string | undefined) => (name === undefined ? undefined : withLease(name, caches.nodes.of(name))) } as unknown as NodeStates,
      children,
      executor: new Executor(kube, children, addressBooks('pods'), logger, undefined, queues, undefined, forced, undefined, leases),
      queues,
      statuses: new StatusWriter(kube, caches.jobs, runtimeClock),
      clock: runtimeClock,
      logger,
      publish: () => undefined,
    });
    caches.onChange(() => { this.dirty = true; });
  }

  public get isDue(): boolean {
    return this.caches.synced && (this.dirty || this.timers.some((time) => time <= this.clock.monotonic));
  }

  public get nextTimer(): number | undefined {
    return this.timers.length > 0 ? Math.min(...this.timers) : undefined;
  }

  /** One turn of the work queue; false when the process died in it. */
  public async reconcile(): Promise<boolean> {
    this.dirty = false;
    this.timers = this.timers.filter((time) => time > this.clock.monotonic);
    this.caches.planNumber++;
    const turn = this.reconciler.reconcile(`${NAMESPACE}/${this.jobName}`).then(
      (result) => { this.comeBackIn(result.requeueAfterMs); },
      (error: unknown) => { this.comeBackIn(Math.max(1_000, error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0)); },
    );
    const survived = await Promise.race([turn.then(() => true), this.client.crashed.then(() => false)]);
    if (this.violation) {
      throw this.violation as Error;
    }
    return survived;
  }

  private comeBackIn(ms: number | undefined): void {
    if (ms !== undefined) {
      this.timers.push(this.clock.monotonic + ms);
    }
  }
}

/** The cache of Workloads as the real one answers. */
function workloadCache(caches: Caches): WorkloadCache {
  return {
    store: caches.workloads,
    get state() { return caches.workloads.hasSynced ? 'Ready' : 'NotRead'; },
    ofOwner: ({ uid }: { readonly uid?: string }) => caches.workloadOf(uid!),
    ofOwnerName: () => caches.workloads.list(),
  } as unknown as WorkloadCache;
}
