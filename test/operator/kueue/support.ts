/** Workloads for tests of the protocol. */
import { POD_SETS_HASH_ANNOTATION } from '../../../src/manifests/kueue/workload';
import type { QueuedJob, WorkloadStep } from '../../../src/operator/kueue/protocol';
import type { Workload, WorkloadCondition } from '../../../src/operator/kueue/workload';

/** When tests begin. */
export const NOW = '2026-03-01T12:00:00Z';

/** A Workload with these conditions, `Type=Status/Reason`. */
export function makeWorkload(conditions: readonly string[] = [], more: Partial<Workload> & { hash?: string; deleting?: boolean } = {}): Workload {
  const { hash = 'h', deleting = false, ...rest } = more;
  return {
    metadata: {
      name: 'mltj-net-12345', namespace: 'team', uid: 'w-1', resourceVersion: '7', generation: 1, annotations: { [POD_SETS_HASH_ANNOTATION]: hash },
      ...(deleting && { deletionTimestamp: NOW }),
    },
    ...rest,
    spec: { queueName: 'q', podSets: [{ name: 'worker', count: 4 }], ...rest.spec },
    status: { conditions: conditions.map(condition), ...rest.status },
  };
}

/** `Evicted=True/Preempted` as a condition. */
export function condition(text: string): WorkloadCondition {
  const [, type, status, reason = 'Because'] = /^(\w+)=(\w+)(?:\/(\w+))?$/.exec(text)!;
  return { type, status: status as 'True', reason, message: `${type} is ${status}`, lastTransitionTime: '2026-03-01T11:00:00Z' };
}

/** A job that wants to run and has no pods. */
export function makeQueuedJob(more: Partial<QueuedJob> = {}): QueuedJob {
  return { wanted: true, podSetsHash: 'h', active: false, podsReady: false, reclaimable: [], ...more };
}

/** The Workload after a step, as the API server would have it; undefined after a deletion. */
export function afterStep(workload: Workload | undefined, step: WorkloadStep): Workload | undefined {
  switch (step.type) {
    case 'create': return makeWorkload();
    case 'delete': return undefined;
    case 'patchStatus': {
      const merged = Object.entries({ ...workload!.status, ...step.status }).filter(([, value]) => value !== null);
      const version = String(Number(workload!.metadata!.resourceVersion) + 1);
      return { ...workload!, metadata: { ...workload!.metadata, resourceVersion: version }, status: Object.fromEntries(merged) };
    }
  }
}
