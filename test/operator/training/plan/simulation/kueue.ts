/**
 * Kueue in a history: it admits the Workload of the job, takes the quota back, and now and then somebody deletes the Workload. Like the kubelets it
 * keeps the truth about what it did.
 */
import { Refusal, type ApiServer } from './api-server';
import type { Nodes } from './nodes';
import type { Random } from './random';
import { timeText } from '../../../../../src/operator/training/plan/timestamps';
import { isWorkloadConditionTrue, type Workload, type WorkloadCondition } from '../../../../../src/operator/kueue/workload';
import { controllerOf } from '../../../../../src/operator/runtime/kube-object';

/** Why quota is taken back. */
const EVICTIONS = ['Preempted', 'PodsReadyTimeout', 'NodeFailures', 'ClusterQueueStopped'] as const;

/** See the top of this file. */
export class SimulatedKueue {
  /** How often an admission was lost, by the uid of the job. */
  public readonly losses = new Map<string, number>();

  public constructor(
    private readonly server: ApiServer, private readonly nodes: Nodes, private readonly random: Random,
    private readonly clock: { readonly now: number },
  ) {}

  /** Whether there is a Workload that waits for nothing but Kueue. */
  public get hasWork(): boolean {
    return this.workloads.some(isPending);
  }

  /** Admits one that waits, or says that it has to wait on. */
  public admit(isSure: boolean): void {
    const workload = this.workloads.find(isPending);
    if (workload === undefined) {
      return;
    }
    if (!isSure && this.random.chance(0.4)) {
      this.put(workload, {}, { type: 'QuotaReserved', status: 'False', reason: 'WaitingForQuota' });
      return;
    }
    this.put(workload, { admission: { clusterQueue: 'all', podSetAssignments: [] } },
      { type: 'QuotaReserved', status: 'True', reason: 'QuotaReserved' },
      { type: 'Admitted', status: 'True', reason: 'Admitted' },
      { type: 'Evicted', status: 'False', reason: 'QuotaReserved' });
  }

  /** Asks for the quota of an admitted one back. */
  public evict(): void {
    const workload = this.workloads
      .find((candidate) => isWorkloadConditionTrue(candidate, 'Admitted') && !isWorkloadConditionTrue(candidate, 'Evicted'));
    if (workload !== undefined && !isWorkloadConditionTrue(workload, 'Finished')) {
      this.put(workload, {}, { type: 'Evicted', status: 'True', reason: this.random.pick(EVICTIONS) });
      this.lose(workload);
    }
  }

  /** Somebody deletes one. */
  public remove(): void {
    const [workload] = this.workloads;
    if (workload !== undefined) {
      this.server.workloads.remove(workload.metadata!.name!);
      this.lose(workload);
    }
  }

  /** The cluster takes the room of the job's pods away. Hooks run outside of the quota. */
  private lose(workload: Workload): void {
    const job = controllerOf(workload)?.uid ?? '';
    this.losses.set(job, (this.losses.get(job) ?? 0) + 1);
    [...this.nodes.truth.values()].filter((pod) => pod.jobUid === job && pod.hook === undefined && !pod.gone).forEach((pod) => { pod.lost = true; });
  }

  private get workloads(): Workload[] {
    return [...this.server.workloads.objects.values()];
  }

  private put(workload: Workload, change: object, ...changes: Pick<WorkloadCondition, 'type' | 'status' | 'reason'>[]): void {
    const kept = (workload.status?.conditions ?? []).filter(({ type }) => !changes.some((condition) => condition.type === type));
    const now = changes.map((condition) => ({ ...condition, message: condition.reason, lastTransitionTime: timeText(this.clock.now) }));
    this.server.workloads.put(workload.metadata!.name!, { ...workload, status: { ...workload.status, ...change, conditions: [...kept, ...now] } });
  }
}

/** A merge patch of a Workload's status, by its owner. */
export function patchWorkload(server: ApiServer, name: string, resourceVersion: string | undefined, status: object): Workload {
  server.check(server.workloads, name, { resourceVersion });
  const before = server.workloads.get(name);
  if (before === undefined) {
    throw new Refusal('NotFound');
  }
  const merged = Object.fromEntries(Object.entries({ ...before.status, ...status }).filter(([, value]) => value !== null));
  const after = server.workloads.put(name, { ...before, status: merged });
  server.onWorkload(before, after);
  return after;
}

/** Neither admitted nor ended, and given back if it was asked for. */
function isPending(workload: Workload): boolean {
  return !isWorkloadConditionTrue(workload, 'Finished') && !isWorkloadConditionTrue(workload, 'QuotaReserved');
}
