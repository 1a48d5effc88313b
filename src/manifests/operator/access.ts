/** Identity and permissions of the operator: namespace, ServiceAccount, roles and bindings, and FlowSchema. */
import { OPERATOR_NAME, OPERATOR_PROGRESS_SECRET, operatorShardLease } from './settings';
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import { constructBoundRole, RBAC_VERSION } from '../bound-role';
import type { Manifest } from '../kubernetes';
import {
  leaderElectionRules, NODE_RULES, OPERATOR_CLUSTER_RULES, OPERATOR_RULES, progressCertificateRules, USER_RULES, type PolicyRule,
} from '../operator-rbac';

/** Namespace that enforces the restricted Pod Security Standard. */
export function constructOperatorNamespace(name: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' }, annotations: { ...KEPT_ANNOTATIONS } },
  };
}

/** Identity of the operator's pods. */
export function constructOperatorServiceAccount(namespace: string): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: OPERATOR_NAME, namespace } };
}

/**
 * Roles and bindings of the operator.
 * @param namespace namespace of the operator and its Lease
 * @param watchNamespaces namespaces of its jobs; all if empty
 * @param progress whether it has an endpoint for progress reports
 * @param shards number of shards of the jobs
 */
export function constructOperatorRoles(namespace: string, watchNamespaces: readonly string[], progress = true, shards = 1): Manifest[] {
  const shardLeases = shards > 1 ? Array.from({ length: shards }, (_, shard) => operatorShardLease(shard)) : [];
  const account = { name: OPERATOR_NAME, namespace };
  const bound = (kind: 'Role' | 'ClusterRole', where: { readonly name: string; readonly namespace?: string }, rules: readonly PolicyRule[]) => (
    constructBoundRole(kind, where, rules, account));
  return [
    ...(watchNamespaces.length === 0
      ? [
        ...bound('ClusterRole', { name: OPERATOR_NAME }, [...OPERATOR_RULES, ...OPERATOR_CLUSTER_RULES]),
        ...bound('ClusterRole', { name: `${OPERATOR_NAME}-nodes` }, NODE_RULES),
      ]
      : watchNamespaces.flatMap((watched) => bound('Role', { name: OPERATOR_NAME, namespace: watched }, OPERATOR_RULES))),
    ...bound('Role', { name: `${OPERATOR_NAME}-leader-election`, namespace }, leaderElectionRules(OPERATOR_NAME, shardLeases)),
    ...(progress ? bound('Role', { name: OPERATOR_PROGRESS_SECRET, namespace }, progressCertificateRules(OPERATOR_PROGRESS_SECRET)) : []),
  ];
}

/**
 * Gives requests for the operator's Lease a separate queue in the API server. Requests of one ServiceAccount share a queue, so on a busy server the
 * renewals would wait behind hundreds of pods that the operator creates, until it loses the leadership. Every API server has this priority level.
 * @param namespace namespace of the operator and its Leases
 * @param shards number of shards of the jobs
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export function constructOperatorFlowSchema(namespace: string, shards = 1): Manifest & { readonly spec: object } {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: `${OPERATOR_NAME}-leader-election` },
    spec: {
      priorityLevelConfiguration: { name: 'leader-election' },
      // As for Kubernetes' own controllers with a Lease in kube-system: before the FlowSchema of all ServiceAccounts.
      matchingPrecedence: 200,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{
        subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: OPERATOR_NAME, namespace } }],
        resourceRules: [{
          apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', ...(shards > 1 ? ['patch'] : [])], namespaces: [namespace],
        }],
      }],
    },
  };
}

/** Cluster roles that Kubernetes aggregates into its own `edit` (and with it `admin`) and `view`. */
export function constructUserRoles(): Manifest[] {
  return (['edit', 'view'] as const).map((role) => ({
    apiVersion: RBAC_VERSION,
    kind: 'ClusterRole',
    metadata: {
      name: `trainyard-${role}`,
      labels: { [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' },
    },
    rules: USER_RULES[role],
  }));
}
