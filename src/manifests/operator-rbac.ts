/**
 * What the operator may do: the one list. `TrainingOperator` renders roles from it, and the operator's tests run under exactly them.
 * No wildcard, no write to a job's spec, and secrets are neither listed nor watched.
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
  // `delete` is for ttlSecondsAfterFinished.
  { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/status`], verbs: ['update'] },
  // Owner references with blockOwnerDeletion need it where OwnerReferencesPermissionEnforcement is on.
  { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/finalizers`], verbs: ['update'] },
  { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  // Hostfile and ssh keys of MPI jobs, by name only.
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'create', 'delete'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/**
 * Rules in the operator's own namespace.
 * @param leaseName Lease that the replicas of the operator elect their leader by
 */
export function leaderElectionRules(leaseName: string): PolicyRule[] {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    // A request to create has no name yet that a rule could be limited to.
    { ...leases, verbs: ['create'] },
    { ...leases, verbs: ['get', 'update'], resourceNames: [leaseName] },
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
