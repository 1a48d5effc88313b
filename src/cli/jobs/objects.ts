/** Objects of a cluster as commands on jobs read them. */
import type { ContainerStatus, Pod } from '../../manifests/kubernetes';
import type { KubeObject } from '../../operator/runtime/kube-object';

/** A condition as most kinds have it. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Any object with a spec and a status. */
export interface AnyObject extends KubeObject {
  spec?: { readonly [field: string]: unknown };
  status?: { readonly conditions?: readonly AnyCondition[]; readonly [field: string]: unknown };
}

/** A pod as the API returns it. */
export type PodObject = KubeObject & Pod;

/** Statuses of all containers of a pod, init containers first. */
export function containerStatuses({ status }: Pick<PodObject, 'status'>): readonly ContainerStatus[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
}

/** Whether a pod is running and is not being deleted. */
export function isRunning({ status, metadata }: PodObject): boolean {
  return status?.phase === 'Running' && metadata?.deletionTimestamp === undefined;
}

/** Whether one of the uids is that of an owner of the object. */
export function isOwnedBy({ metadata }: KubeObject, ...uids: readonly (string | undefined)[]): boolean {
  return (metadata?.ownerReferences ?? []).some(({ uid }) => uids.includes(uid));
}

/** An event of the core group. */
export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
}
