/** Installation of the notifier: its Deployment, identity, permissions and NetworkPolicy, and roles of users. */
import { NOTIFIER_CODE_HASH, NOTIFIER_HEALTH_PORT, NOTIFIER_LABELS, NOTIFIER_NAME, NOTIFIER_PROGRAM, NOTIFIER_VARIABLES } from './settings';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import { NOTIFICATION_RULE_PLURAL } from '../../model/notifications/rule';
import { constructBoundRole, RBAC_VERSION } from '../bound-role';
import type { Manifest } from '../kubernetes';
import { constructProgramCode, type ProgramCode } from '../node-program';
import { leaderElectionRules, type PolicyRule } from '../operator-rbac';
import { constructProgramDeployment, podVariable, variables, type ProgramInstallation } from '../program-deployment';

type WithSpec = Manifest & { readonly spec: object };

/** Settings of the notifier's installation. */
export interface NotifierInstallation extends ProgramInstallation {
  readonly allowedAddresses: readonly string[];
  readonly clusterName?: string;
}

/** ConfigMaps of the code. @param bundle the notifier as one ES module, compressed with brotli */
export function constructNotifierCode(bundle: Uint8Array, namespace: string): ProgramCode {
  return constructProgramCode({ program: 'notifier', name: NOTIFIER_NAME, namespace, labels: NOTIFIER_LABELS, hashLabel: NOTIFIER_CODE_HASH }, bundle);
}

/** The Deployment. The old pod ends before the new one starts; if both run anyway, the Lease lets only one act. */
export function constructNotifierDeployment(installation: NotifierInstallation): WithSpec {
  const { logLevel, clusterName, allowedAddresses } = installation;
  const names = NOTIFIER_VARIABLES;
  return constructProgramDeployment(installation, {
    name: NOTIFIER_NAME,
    labels: NOTIFIER_LABELS,
    hashAnnotation: NOTIFIER_CODE_HASH,
    container: 'notifier',
    file: NOTIFIER_PROGRAM,
    replicas: 1,
    recreate: true,
    spread: false,
    token: true,
    env: [
      ...variables([
        [names.logLevel, logLevel], [names.healthPort, String(NOTIFIER_HEALTH_PORT)], [names.cluster, clusterName],
        [names.allowedAddresses, allowedAddresses.length > 0 ? allowedAddresses.join(',') : undefined],
      ]),
      podVariable(names.namespace, 'namespace'),
    ],
    ports: { health: NOTIFIER_HEALTH_PORT },
    healthPort: 'health',
  });
}

/** Identity of the notifier's pods. */
export function constructNotifierServiceAccount(namespace: string): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NOTIFIER_NAME, namespace, labels: NOTIFIER_LABELS } };
}

/** Denies all ingress. The kubelet's probes are not affected. */
export function constructNotifierNetworkPolicy(namespace: string): WithSpec {
  return {
    apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: NOTIFIER_NAME, namespace, labels: NOTIFIER_LABELS },
    spec: { podSelector: { matchLabels: NOTIFIER_LABELS }, policyTypes: ['Ingress'] },
  };
}

/** Permissions in all namespaces. Namespaces grant access to Secrets with {@link constructSecretGrant}. */
const NOTIFIER_RULES: readonly PolicyRule[] = [
  { apiGroups: [API_GROUP], resources: [TRAINING_JOB_PLURAL, NOTIFICATION_RULE_PLURAL], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [API_GROUP], resources: [`${NOTIFICATION_RULE_PLURAL}/status`], verbs: ['patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
];

/** Roles and bindings of the notifier, and cluster roles that Kubernetes aggregates into its own `edit` and `view`. */
export function constructNotifierRoles(namespace: string): Manifest[] {
  const ofUsers = (role: string, verbs: readonly string[]) => ({
    apiVersion: RBAC_VERSION, kind: 'ClusterRole',
    metadata: { name: `${NOTIFIER_NAME}-${role}`, labels: { ...NOTIFIER_LABELS, [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' } },
    rules: [{ apiGroups: [API_GROUP], resources: [NOTIFICATION_RULE_PLURAL], verbs }],
  });
  return [
    ...bound('ClusterRole', { name: NOTIFIER_NAME }, NOTIFIER_RULES, namespace),
    ...bound('Role', { name: NOTIFIER_NAME, namespace }, leaderElectionRules(NOTIFIER_NAME), namespace),
    ofUsers('edit', ['create', 'update', 'patch', 'delete', 'deletecollection']),
    ofUsers('view', ['get', 'list', 'watch']),
  ];
}

/**
 * Lets the notifier read only these Secrets of a namespace. Only users who may read them can grant that.
 * @param where name and namespace of the rule
 * @param notifierNamespace namespace of the notifier
 */
export function constructSecretGrant(
  where: { readonly name: string; readonly namespace?: string }, secrets: readonly string[], notifierNamespace: string,
): Manifest[] {
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: secrets }];
  return bound('Role', { ...where, name: `${where.name}-notifier` }, rules, notifierNamespace);
}

function bound(
  kind: 'Role' | 'ClusterRole', where: { readonly name: string; readonly namespace?: string }, rules: readonly PolicyRule[], namespace: string,
): Manifest[] {
  return constructBoundRole(kind, { ...where, labels: NOTIFIER_LABELS }, rules, { name: NOTIFIER_NAME, namespace });
}
