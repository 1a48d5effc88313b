/** What a Spark driver may do in its namespace. */
import { constructBoundRole } from '../bound-role';
import type { Manifest } from '../kubernetes';
import type { PolicyRule } from '../operator-rbac';
import { plainObject } from '../plain-object';

/** Rights of a driver: it creates, watches and deletes executors, and the ConfigMap, Service and claims that they need. */
export const DRIVER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'patch', 'delete', 'deletecollection'] },
  { apiGroups: [''], resources: ['services', 'configmaps'], verbs: ['create', 'get', 'list', 'watch', 'delete', 'deletecollection'] },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create', 'get', 'list', 'watch', 'delete', 'deletecollection'] },
];

/** Metadata of the Role and its binding; both have the name of the account. */
interface AccessMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [name: string]: string };
}

/** Role and binding of a driver's service account. */
export function constructDriverAccess(metadata: AccessMetadata): Manifest[] {
  return constructBoundRole('Role', metadata, DRIVER_RULES, metadata).map((object) => plainObject(object));
}

/** A service account for a driver, with its Role and binding. The driver's pod mounts the token itself. */
export function constructDriverIdentity(metadata: AccessMetadata): Manifest[] {
  return [
    plainObject({ apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false }),
    ...constructDriverAccess(metadata),
  ];
}
