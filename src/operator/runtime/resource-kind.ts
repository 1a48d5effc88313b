/** Identity of a Kubernetes resource type: what is needed to build its REST paths. */
export interface ResourceKind {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version, such as `v1` or `v1alpha1`. */
  readonly version: string;
  /** Plural in REST paths, such as `pods`. */
  readonly plural: string;
  /** Kind in manifests, such as `Pod`. */
  readonly kind: string;
  /** Whether its objects live in namespaces. */
  readonly namespaced: boolean;
}

/** Names one object, or with `subresource` a part of it. */
export interface ResourceRef {
  /** Namespace; needed for objects of namespaced kinds, absent for cluster-scoped ones. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** Pods of the core group. */
export const PODS: ResourceKind = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
/** Services of the core group. */
export const SERVICES: ResourceKind = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };
/** ConfigMaps of the core group. */
export const CONFIG_MAPS: ResourceKind = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
/** Secrets of the core group. */
export const SECRETS: ResourceKind = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
/** Events of the core group (`kubectl get events`, `kubectl describe`). */
export const EVENTS: ResourceKind = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
/** Namespaces. */
export const NAMESPACES: ResourceKind = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
/** Nodes. */
export const NODES: ResourceKind = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
/** NetworkPolicies. */
export const NETWORK_POLICIES: ResourceKind = {
  group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true,
};
/** Leases, the locks of leader election. */
export const LEASES: ResourceKind = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true };

/** The `apiVersion` of objects of this kind: `v1`, `coordination.k8s.io/v1`. */
export function apiVersionOf(kind: ResourceKind): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** The resource as metrics, logs and RBAC name it: `pods`, `leases.coordination.k8s.io`. */
export function qualifiedPlural(kind: ResourceKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** REST path of all objects of a kind, in one namespace or (without one) in all of them. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (namespace !== undefined && !kind.namespaced) {
    throw new Error(
      `Building the path of ${qualifiedPlural(kind)}: namespace "${namespace}" was given, but ${kind.kind} is cluster-scoped; leave it out.`,
    );
  }
  return namespace === undefined ? `${root}/${kind.plural}` : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

/** REST path of one object or of its subresource. Throws when a namespaced kind comes without a namespace or the name is empty. */
export function objectPath(kind: ResourceKind, ref: ResourceRef, subresource?: string): string {
  if (kind.namespaced && !ref.namespace) {
    throw new Error(
      `Building the path of ${qualifiedPlural(kind)} "${ref.name}": no namespace was given, but ${kind.kind} is namespaced; set "namespace".`,
    );
  }
  if (!ref.name) {
    // With an empty name the path would be the collection: a DELETE would remove every object of the namespace.
    throw new Error(`Building the path of a ${kind.kind}: the name is empty; set "name".`);
  }
  const path = `${collectionPath(kind, kind.namespaced ? ref.namespace : undefined)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
