/** Reads what is installed of the operator. */
import type { OperatorView } from './snapshot';
import type { AnyObject, PodObject } from '../../jobs/objects';
import type { Reader } from '../../jobs/reader';
import { OPERATOR_NAME, OPERATOR_NAMESPACE, OPERATOR_NAME_LABEL } from '../../../manifests/operator/settings';
import type { Lease } from '../../../operator/runtime/leader-election';
import { LEASES, PODS, type ResourceKind } from '../../../operator/runtime/resource-kind';

export const DEPLOYMENTS: ResourceKind = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };

/** The operator in any namespace, or where only some may be read, in the one that it is usually in; undefined where nothing may be read. */
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
