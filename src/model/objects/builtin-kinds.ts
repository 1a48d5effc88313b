/**
 * The kinds that every cluster has, and which of them live in no namespace: they distinguish a slip in `kind` or `apiVersion` from a custom resource.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/
 */

/** Kinds by their `apiVersion`; those after the bar are cluster-scoped. */
const KINDS: { readonly [apiVersion: string]: string } = {
  'v1': 'Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service '
    + 'ServiceAccount | ComponentStatus Namespace Node PersistentVolume',
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'batch/v1': 'CronJob Job',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'autoscaling/v2': 'HorizontalPodAutoscaler',
  'networking.k8s.io/v1': 'Ingress NetworkPolicy | IPAddress IngressClass ServiceCIDR',
  'policy/v1': 'Eviction PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1': 'Role RoleBinding | ClusterRole ClusterRoleBinding',
  'coordination.k8s.io/v1': 'Lease',
  'discovery.k8s.io/v1': 'EndpointSlice',
  'events.k8s.io/v1': 'Event',
  'storage.k8s.io/v1': 'CSIStorageCapacity | CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
  'scheduling.k8s.io/v1': '| PriorityClass',
  'node.k8s.io/v1': '| RuntimeClass',
  'resource.k8s.io/v1': 'ResourceClaim ResourceClaimTemplate | DeviceClass ResourceSlice',
  'admissionregistration.k8s.io/v1': '| MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': '| CustomResourceDefinition',
  'apiregistration.k8s.io/v1': '| APIService',
  'authentication.k8s.io/v1': '| SelfSubjectReview TokenReview',
  'authorization.k8s.io/v1': 'LocalSubjectAccessReview | SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'certificates.k8s.io/v1': '| CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/v1': '| FlowSchema PriorityLevelConfiguration',
};

/** A kind that every cluster has. */
export interface BuiltinKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export const BUILTIN_KINDS: readonly BuiltinKind[] = Object.entries(KINDS).flatMap(([apiVersion, kinds]) => {
  const [namespaced, cluster = ''] = kinds.split('|');
  const of = (words: string, isNamespaced: boolean) => words.split(' ').filter((word) => word !== '').map((kind) => ({ apiVersion, kind, namespaced: isNamespaced }));
  return [...of(namespaced, true), ...of(cluster, false)];
});

/** A kind by its name, in any version. */
export function builtinKinds(kind: string): readonly BuiltinKind[] {
  return BUILTIN_KINDS.filter((candidate) => candidate.kind === kind);
}

/** Whether a group is Kubernetes' own: all of its kinds are known, but not all of its older and younger versions. */
export function isBuiltinGroup(group: string): boolean {
  return BUILTIN_KINDS.some(({ apiVersion }) => groupOf(apiVersion) === group);
}

/** The group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
}
