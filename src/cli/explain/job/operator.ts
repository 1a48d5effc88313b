/** Reads the objects of the installed operator. */
import { describe, startError } from './facts';
import type { OperatorView } from './snapshot';
import type { AnyObject, PodObject } from '../../jobs/objects';
import type { Reader } from '../../jobs/reader';
import type { PodSpec } from '../../../manifests/kubernetes';
import { OPERATOR_NAME, OPERATOR_NAMESPACE, OPERATOR_NAME_LABEL, OPERATOR_VARIABLES } from '../../../manifests/operator/settings';
import type { Lease } from '../../../operator/runtime/leader-election';
import { LEASES, PODS, type ResourceKind } from '../../../operator/runtime/resource-kind';

export const DEPLOYMENTS: ResourceKind = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };

/** Searches all namespaces, or only the default one if that is not permitted; undefined if nothing may be read. */
export async function readOperator(reader: Reader): Promise<OperatorView | undefined> {
  const select = { labelSelector: `${OPERATOR_NAME_LABEL}=${OPERATOR_NAME}` };
  const inNamespace = async (namespace: string | undefined) => Promise.all([
    reader.list<AnyObject>(DEPLOYMENTS, namespace, select), reader.list<PodObject>(PODS, namespace, select),
    reader.list<Lease>(LEASES, namespace, { fieldSelector: `metadata.name=${OPERATOR_NAME}` }),
  ]);
  const everywhere = await inNamespace(undefined);
  const [deployments, pods, leases] = everywhere.every((list) => list === undefined) ? await inNamespace(OPERATOR_NAMESPACE) : everywhere;
  return deployments === undefined && pods === undefined && leases === undefined ? undefined
    : { deployments: (deployments ?? []).map((object) => ({ ...object, kind: 'Deployment' })), pods: pods ?? [], leases: leases ?? [] };
}

type Deployment = OperatorView['deployments'][number];

/** `Deployment ml/x: 1 of 2 replicas are ready`. */
export function readiness(deployment: Deployment): string {
  return `${describe(deployment)}: ${String(deployment.status?.readyReplicas ?? 0)} of ${String(deployment.spec?.replicas ?? 1)} replicas are ready`;
}

/** Namespaces of WATCH_NAMESPACES; empty if the operator watches all. */
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

/** Whether an operator has a current Lease. */
export function hasFreshLease({ leases }: OperatorView, now: number): boolean {
  return leases.some(({ spec }) => now - Date.parse(spec?.renewTime ?? '') < ((spec?.leaseDurationSeconds ?? 15) + 5) * 1000);
}

/** Why a pod of the operator does not run; undefined if no problem is known. */
export function podTrouble(pod: OperatorView['pods'][number]): string | undefined {
  const name = pod.metadata?.name;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting !== undefined);
  const trouble = startError(pod)?.message ?? unscheduled?.message ?? waiting?.state?.waiting?.reason;
  return trouble === undefined ? undefined : `${name}: ${trouble}`;
}
