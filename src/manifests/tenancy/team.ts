/**
 * Objects of a team, and the permissions of its members in its namespace. There are no wildcards, and members cannot read Secrets, grant permissions
 * or change limits.
 */
import { limitedEgress, namespacesNamed } from '../job/network-policy';
import type { Manifest } from '../kubernetes';
import type { PolicyRule } from '../operator-rbac';
import { nonEmpty, nonEmptyObject, plainObject } from '../plain-object';
import { canonicalQuantities } from '../pod/resources';
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import type { SubjectsSpec, TeamSpec } from '../../model/tenancy/team';

const POD_SECURITY = 'pod-security.kubernetes.io';

/** Group of roles. */
const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** An object with untyped fields. */
interface TeamObject extends Manifest {
  readonly [field: string]: unknown;
}

/** The namespace, with labels for Pod Security and billing. For a profile it names the owner, so that Kubeflow adopts it. */
export function constructTeamNamespace({ name, podSecurity, labels, profileOwner }: TeamSpec): TeamObject {
  return plainObject<TeamObject>({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        ...labels,
        [`${POD_SECURITY}/enforce`]: podSecurity,
        // Violations of a stricter level are only reported.
        [`${POD_SECURITY}/warn`]: podSecurity === 'privileged' ? 'baseline' : 'restricted',
        [`${POD_SECURITY}/audit`]: podSecurity === 'privileged' ? 'baseline' : 'restricted',
        ...(profileOwner !== undefined && {
          'app.kubernetes.io/part-of': 'kubeflow-profile', 'istio-injection': 'enabled', 'katib.kubeflow.org/metrics-collector-injection': 'enabled',
        }),
      },
      annotations: { ...KEPT_ANNOTATIONS, ...(profileOwner !== undefined && { owner: profileOwner }) },
    },
  });
}

/** Kubeflow's profile, which creates accounts, permissions for its user interface, and the quota. */
export function constructProfile({ name, profileOwner, quota, labels }: TeamSpec): TeamObject {
  return plainObject<TeamObject>({
    apiVersion: 'kubeflow.org/v1',
    kind: 'Profile',
    // Its namespace is deleted with it.
    metadata: { name, labels: nonEmptyObject(labels), annotations: { ...KEPT_ANNOTATIONS } },
    spec: { owner: { kind: 'User', name: profileOwner }, resourceQuotaSpec: quota && { hard: quota.hard } },
  });
}

/** Roles of members and viewers. */
export function constructTeamRoles({ name, interactive }: TeamSpec): TeamObject[] {
  return [{ role: 'members', rules: memberRules(interactive) }, { role: 'viewers', rules: viewerRules() }].map(({ role, rules }) => plainObject<TeamObject>({
    apiVersion: `${RBAC_GROUP}/v1`, kind: 'Role', metadata: { name: `team-${role}`, namespace: name }, rules,
  }));
}

/** `subjects` of a binding; undefined if there are none, because the API server drops an empty list. */
export function subjects({ users, groups }: SubjectsSpec): object[] | undefined {
  return nonEmpty([
    ...users.map((name) => ({ apiGroup: RBAC_GROUP, kind: 'User', name })), ...groups.map((name) => ({ apiGroup: RBAC_GROUP, kind: 'Group', name })),
  ]);
}

export function constructTeamQuota({ name, quota }: TeamSpec): TeamObject {
  const spec = { hard: canonicalQuantities(quota!.hard) };
  return plainObject<TeamObject>({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team', namespace: name }, spec });
}

/** Default requests and limits of containers. */
export function constructTeamLimits({ name, containers }: TeamSpec): TeamObject {
  const { defaultRequest, max } = containers!;
  const limits = [{ type: 'Container', defaultRequest: defaultRequest && canonicalQuantities(defaultRequest), max: max && canonicalQuantities(max) }];
  return plainObject<TeamObject>({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'team', namespace: name }, spec: { limits } });
}

/**
 * Namespaces that must reach a profile's pods: the mesh's control plane and gateway, Kubeflow's own applications, and Knative, which manages the pods
 * of services. Otherwise users cannot reach their notebooks.
 */
const KUBEFLOW_NAMESPACES = ['istio-system', 'kubeflow', 'knative-serving'];

/**
 * Denies ingress from other namespaces and, with limited egress, all egress except what jobs need.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function constructTeamNetworkPolicies({ name, network, profileOwner }: TeamSpec): TeamObject[] {
  const { isLimited, operatorNamespace, hasIdentity, toCidrs } = network!;
  const kubeflow = profileOwner === undefined ? [] : KUBEFLOW_NAMESPACES;
  const withKubeflow = (names: readonly string[]) => [...new Set([...kubeflow, ...names])];
  const [fromNamespaces, toNamespaces] = [network!.fromNamespaces, network!.toNamespaces].map(withKubeflow);
  const policy = (id: string, rules: object) => plainObject<TeamObject>({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: id, namespace: name },
    spec: { podSelector: {}, policyTypes: isLimited ? ['Ingress', 'Egress'] : ['Ingress'], ...rules },
  });
  const neighbours = { podSelector: {} };
  return [
    policy('default-deny', {}),
    policy('team', {
      ingress: [{ from: [neighbours, ...fromNamespaces.length === 0 ? [] : [namespacesNamed(fromNamespaces)]] }],
      egress: isLimited ? [
        ...limitedEgress({ peers: neighbours, operatorNamespace, hasIdentity, toCidrs }),
        ...toNamespaces.length === 0 ? [] : [{ to: [namespacesNamed(toNamespaces)] }],
      ] : undefined,
    }),
  ];
}

/** Resources of one API group. */
interface Resources {
  readonly group: string;
  readonly resources: readonly string[];
}

/** Other kinds that a team works with. */
const OTHER_KINDS: readonly Resources[] = [
  { group: 'kubeflow.org', resources: ['poddefaults', 'scheduledworkflows'] },
  { group: 'pipelines.kubeflow.org', resources: ['pipelines', 'pipelineversions'] },
  { group: 'serving.kserve.io', resources: ['inferencegraphs', 'servingruntimes'] },
  { group: 'keda.sh', resources: ['scaledobjects', 'triggerauthentications'] },
  { group: 'tensorboard.kubeflow.org', resources: ['tensorboards'] },
  { group: '', resources: ['pods', 'configmaps', 'services', 'persistentvolumeclaims'] },
];

/** Kinds that members may create, change and delete. */
const WORK: readonly Resources[] = byGroup([
  ...WORKLOAD_KINDS.filter(({ isNamespaced = true, isRetired = false }) => isNamespaced && !isRetired)
    .map(({ group, plural }) => ({ group, resources: [plural] })),
  ...OTHER_KINDS,
]);

/** Kinds that members may only read. */
const SEEN: readonly Resources[] = [
  { group: '', resources: ['events', 'resourcequotas', 'limitranges', 'serviceaccounts'] },
  { group: 'events.k8s.io', resources: ['events'] },
  { group: 'kueue.x-k8s.io', resources: ['localqueues', 'workloads'] },
  { group: 'networking.k8s.io', resources: ['networkpolicies'] },
  { group: 'kubeflow.org', resources: ['trials', 'suggestions'] },
  { group: 'scheduling.volcano.sh', resources: ['podgroups'] },
  { group: 'argoproj.io', resources: ['workflows'] },
];

const READ: readonly string[] = ['get', 'list', 'watch'];

/** Rules of viewers. */
export function viewerRules(): PolicyRule[] {
  return [
    ...[...WORK, ...SEEN].map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ];
}

/** Rules of members. */
export function memberRules(interactive: boolean): PolicyRule[] {
  return [
    ...WORK.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: [...READ, 'create', 'update', 'patch', 'delete'] })),
    ...SEEN.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/scale`], verbs: ['get', 'update', 'patch'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    // Pods read secrets, and members only create them. The response to a patch, even as a dry run, or to a foreground deletion contains the data, and
    // with update, a member could overwrite the secrets of others.
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ...(interactive ? [{ apiGroups: [''], resources: ['pods/exec', 'pods/portforward', 'pods/attach'], verbs: ['create'] }] : []),
  ];
}

/** One entry for each group, in the order of the groups. */
function byGroup(entries: readonly Resources[]): Resources[] {
  const groups = new Map<string, string[]>();
  entries.forEach(({ group, resources }) => groups.set(group, [...groups.get(group) ?? [], ...resources]));
  return [...groups].map(([group, resources]) => ({ group, resources }));
}
