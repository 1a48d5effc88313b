/**
 * Permissions of the operator. `TrainingOperator` renders roles from this list, and the operator's tests run with exactly these. There are no
 * wildcards. The operator does not write the spec of a user's job (only `suspend` of trials), and does not read Secrets of jobs.
 */
import { API_GROUP, TRAINING_JOB_PLURAL } from '../model/labels';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** @default - all objects of these resources */
  readonly resourceNames?: readonly string[];
}

/** Rules in every namespace whose jobs the operator runs. */
export const OPERATOR_RULES: readonly PolicyRule[] = [
  // `delete` is for ttlSecondsAfterFinished; trials of autoTuning are jobs that the operator creates, suspends and resumes, and deletes.
  { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/status`], verbs: ['patch'] },
  // Owner references with blockOwnerDeletion need it if OwnerReferencesPermissionEnforcement is on.
  { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/finalizers`], verbs: ['update'] },
  { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  // Hostfile of MPI jobs, programs of tools; by name only.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'delete'] },
  // Keys of MPI jobs. Their names contain the job's uid, so they need not be read, and the garbage collector removes them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  // Network policies of jobs, by name only.
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['get', 'create', 'delete'] },
  // The objective of a trial whose script reports no metrics is in the last lines of its log.
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  // Objects that gang schedulers require before the pods, by name only.
  { apiGroups: ['scheduling.x-k8s.io', 'scheduling.volcano.sh', 'scheduling.k8s.io'], resources: ['podgroups'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['workloads'], verbs: ['get', 'create', 'delete'] },
  // Queued jobs: one Workload each, whose status the operator also updates.
  { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads/status'], verbs: ['patch'] },
  { apiGroups: ['visibility.kueue.x-k8s.io'], resources: ['localqueues/pendingworkloads'], verbs: ['get'] },
];

/**
 * Rules for cluster-scoped objects, for operators that watch all namespaces. An operator that is limited to namespaces has no cluster role, and
 * reports in the status of a queued job what it may not read.
 */
export const OPERATOR_CLUSTER_RULES: readonly PolicyRule[] = [
  // Flavors and priorities to which a queue refers.
  { apiGroups: ['kueue.x-k8s.io'], resources: ['resourceflavors', 'workloadpriorityclasses'], verbs: ['get'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get'] },
];

/** Rules for nodes, for operators that watch all namespaces, to detect lost nodes. */
export const NODE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
  // Leases of nodes in kube-node-lease, by name only: they show a lost node long before it becomes NotReady.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
];

/**
 * Rules in the operator's own namespace.
 * @param leaseName Lease with which the replicas elect their leader, or which they hold together with shards
 * @param shardLeaseNames Leases of shards, if any
 */
export function leaderElectionRules(leaseName: string, shardLeaseNames: readonly string[] = []): PolicyRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    // Create requests cannot be limited by name.
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update'], resourceNames: [leaseName, ...shardLeaseNames] },
    ...(shardLeaseNames.length > 0 ? [{ ...leases, verbs: ['patch'], resourceNames: [leaseName] }] : []),
  ];
}

/**
 * Rules in the operator's own namespace, for the certificates of its progress endpoint.
 * @param secretName Secret with the certificates
 */
export function progressCertificateRules(secretName: string): PolicyRule[] {
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  return [
    { ...secrets, verbs: ['create'] },
    { ...secrets, verbs: ['get', 'update'], resourceNames: [secretName] },
  ];
}

/** Permissions of users who may edit or view a namespace, aggregated into Kubernetes' own roles with these names. */
export const USER_RULES: { readonly [role in 'edit' | 'view']: readonly PolicyRule[] } = {
  edit: [
    { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL], verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/scale`], verbs: ['get', 'update', 'patch'] },
  ],
  view: [
    { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL, `${TRAINING_JOB_PLURAL}/status`], verbs: ['get', 'list', 'watch'] },
  ],
};
