/** What the objects of the operator say about it. */
import { describe, startError } from './facts';
import type { OperatorView } from './snapshot';
import type { PodSpec } from '../../../manifests/kubernetes';
import { OPERATOR_VARIABLES } from '../../../manifests/operator/settings';

type Deployment = OperatorView['deployments'][number];

/** `Deployment ml/x: 1 of 2 replicas are ready`. */
export function readiness(deployment: Deployment): string {
  return `${describe(deployment)}: ${String(deployment.status?.readyReplicas ?? 0)} of ${String(deployment.spec?.replicas ?? 1)} replicas are ready`;
}

/** Namespaces of WATCH_NAMESPACES; none when the operator watches all. */
export function watchedNamespaces(deployment: Deployment): string[] {
  const template = deployment.spec?.template as { readonly spec?: PodSpec } | undefined;
  const env = template?.spec?.containers.flatMap((container) => container.env ?? []) ?? [];
  return (env.find(({ name }) => name === OPERATOR_VARIABLES.watchNamespaces)?.value ?? '').split(',').map((name) => name.trim()).filter((name) => name !== '');
}

/** Whether an operator acts on jobs of a namespace. */
export function watches(deployment: Deployment, namespace: string): boolean {
  const namespaces = watchedNamespaces(deployment);
  return namespaces.length === 0 || namespaces.includes(namespace);
}

/** Whether some operator has renewed its Lease lately. */
export function hasFreshLease({ leases }: OperatorView, now: number): boolean {
  return leases.some(({ spec }) => now - Date.parse(spec?.renewTime ?? '') < ((spec?.leaseDurationSeconds ?? 15) + 5) * 1000);
}

/** Why a pod of the operator does not run; undefined where nothing is known against it. */
export function podTrouble(pod: OperatorView['pods'][number]): string | undefined {
  const name = pod.metadata?.name;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting !== undefined);
  const trouble = startError(pod)?.message ?? unscheduled?.message ?? waiting?.state?.waiting?.reason;
  return trouble === undefined ? undefined : `${name}: ${trouble}`;
}
