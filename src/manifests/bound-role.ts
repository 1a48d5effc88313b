/** Roles of service accounts. */
import type { Manifest, ObjectMeta } from './kubernetes';
import type { PolicyRule } from './operator-rbac';

const GROUP = 'rbac.authorization.k8s.io';

/** `apiVersion` of roles and bindings. */
export const RBAC_VERSION = `${GROUP}/v1`;

/** A role, and a binding with the same name that grants it to a service account. */
export function constructBoundRole(
  kind: 'Role' | 'ClusterRole', metadata: ObjectMeta & { readonly name: string }, rules: readonly PolicyRule[],
  account: { readonly name: string; readonly namespace?: string },
): [role: Manifest, binding: Manifest] {
  const role = { apiVersion: RBAC_VERSION, kind, metadata, rules };
  const binding = {
    apiVersion: RBAC_VERSION,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: GROUP, kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
  };
  return [role, binding];
}
