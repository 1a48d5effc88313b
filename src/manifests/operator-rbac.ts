/**
 * What the operator may do: the one list. `TrainingOperator` renders roles from it, and the operator's tests run under exactly them.
 * No wildcard, no write to the spec of a user's job (of trials it writes `suspend`), and no Secret of a job is read.
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
  // Owner references with blockOwnerDeletion need it where OwnerReferencesPermissionEnforcement is on.
  { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/finalizers`], verbs: ['update'] },
  { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  // Hostfile of MPI jobs, programs of tools; by name only.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'delete'] },
  // Keys of MPI jobs. Their names hold the job's uid, so none has to be looked at, and the garbage collector removes them.
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  // Firewalls around jobs, by name only.
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['get', 'create', 'delete'] },
  // The objective of a trial whose script reports no metrics is in the last lines of its log.
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  // What gang schedulers want to see before the pods, by name only.
  { apiGroups: ['scheduling.x-k8s.io', 'scheduling.volcano.sh', 'scheduling.k8s.io'], resources: ['podgroups'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['workloads'], verbs: ['get', 'create', 'delete'] },
  // Queued jobs: one Workload each, whose status the owner of a job has a part in.
  { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: ['kueue.x-k8s.io'], resources: ['workloads/status'], verbs: ['patch'] },
  { apiGroups: ['visibility.kueue.x-k8s.io'], resources: ['localqueues/pendingworkloads'], verbs: ['get'] },
];

/**
 * Rules on what is in no namespace, for operators that watch all of them. One that is limited to namespaces has no cluster role and says in the
 * status of a queued job what it may not read.
 */
export const OPERATOR_CLUSTER_RULES: readonly PolicyRule[] = [
  // Kinds of nodes, and priorities, that a queue refers to.
  { apiGroups: ['kueue.x-k8s.io'], resources: ['resourceflavors', 'workloadpriorityclasses'], verbs: ['get'] },
  { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get'] },
];

/** Rules for nodes, which belong to no namespace: for operators that watch all of them, to know of nodes that are lost. */
export const NODE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
  // Leases of nodes in kube-node-lease, by name only: a lost node is known by them long before it is not ready.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] },
];

/**
 * Rules in the operator's own namespace.
 * @param leaseName Lease that the replicas of the operator elect their leader by, or with shards hold together
 * @param shardLeaseNames Leases of shards, where there are some
 */
export function leaderElectionRules(leaseName: string, shardLeaseNames: readonly string[] = []): PolicyRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    // A request to create has no name yet that a rule could be limited to.
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update'], resourceNames: [leaseName, ...shardLeaseNames] },
    ...(shardLeaseNames.length > 0 ? [{ ...leases, verbs: ['patch'], resourceNames: [leaseName] }] : []),
  ];
}

/**
 * Rules in the operator's own namespace, for the certificates of its progress endpoint.
 * @param secretName Secret that holds them
 */
export function progressCertificateRules(secretName: string): PolicyRule[] {
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  return [
    { ...secrets, verbs: ['create'] },
    { ...secrets, verbs: ['get', 'update'], resourceNames: [secretName] },
  ];
}

/** What people need who are allowed to edit, or to view, a namespace: added to Kubernetes' own roles of these names by aggregation. */
export const USER_RULES: { readonly [role in 'edit' | 'view']: readonly PolicyRule[] } = {
  edit: [
    { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL], verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/scale`], verbs: ['get', 'update', 'patch'] },
  ],
  view: [
    { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL, `${TRAINING_JOB_PLURAL}/status`], verbs: ['get', 'list', 'watch'] },
  ],
};
