import type { PodObject } from '../objects';
import { mainContainer, replicasOf } from '../replicas';
import type { WorkloadKind } from '../../../model/kinds/workload-kind';

export interface ReplicaRow {
  readonly pod: string;
  readonly role?: string;
  readonly rank?: number;
  readonly node?: string;
  /** As kubectl shows it: `Running`, `ContainerCreating`, `CrashLoopBackOff`, `Error (1)`. */
  readonly state: string;
  readonly restarts: number;
  readonly startedAt?: string;
}

export function replicaRows(kind: WorkloadKind, pods: readonly PodObject[]): readonly ReplicaRow[] {
  return replicasOf(kind, pods).map(({ pod, name, role, rank }) => {
    const statuses = pod.status?.containerStatuses ?? [];
    return {
      pod: name, ...(role !== undefined && { role }), ...(rank !== undefined && { rank }),
      ...(pod.spec?.nodeName !== undefined && { node: pod.spec.nodeName }),
      state: stateOf(pod), restarts: statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
      ...(pod.status?.startTime !== undefined && { startedAt: pod.status.startTime }),
    };
  });
}

function stateOf(pod: PodObject): string {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined) {
    return 'Terminating';
  }
  const waitsInit = (status?.initContainerStatuses ?? [])
    .find(({ state }) => state?.waiting?.reason !== undefined || (state?.terminated?.exitCode ?? 0) !== 0);
  const container = waitsInit ?? (status?.containerStatuses ?? []).find(({ name }) => name === mainContainer(pod));
  const { waiting, terminated } = container?.state ?? {};
  if (waiting?.reason !== undefined) {
    return waiting.reason;
  }
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return `${terminated.reason ?? 'Error'} (${terminated.exitCode})`;
  }
  return status?.phase === 'Pending' && pod.spec?.nodeName === undefined ? 'Unscheduled' : status?.reason ?? status?.phase ?? 'Pending';
}
