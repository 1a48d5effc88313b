/**
 * Objects of a team.
 *
 * What people of a team may do in its namespace. Verbs are exact, and nothing is a wildcard; nobody reads secrets, gives rights or touches limits.
 */
import { limitedEgress, namespacesNamed } from '../job/network-policy';
import type { Manifest } from '../kubernetes';
import type { PolicyRule } from '../operator-rbac';
import { plainObject } from '../plain-object';
import { canonicalQuantities } from '../pod/resources';
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../model/labels';
import type { SubjectsSpec, TeamSpec } from '../../model/tenancy/team';

const POD_SECURITY = 'pod-security.kubernetes.io';

/** Group of roles. */
const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** An object without a name of its own kind's type. */
interface TeamObject extends Manifest {
  readonly [field: string]: unknown;
}

/** The namespace, with what the API server and bills know it by. Of a profile it says whose it is, so that Kubeflow takes it over as it is. */
export function constructTeamNamespace({ name, podSecurity, labels, profileOwner }: TeamSpec): TeamObject {
  return plainObject<TeamObject>({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        ...labels,
        [`${POD_SECURITY}/enforce`]: podSecurity,
        // What a stricter level would say is told, and refused by nobody.
        [`${POD_SECURITY}/warn`]: podSecurity === 'privileged' ? 'baseline' : 'restricted',
        [`${POD_SECURITY}/audit`]: podSecurity === 'privileged' ? 'baseline' : 'restricted',
        ...(profileOwner !== undefined && { 'app.kubernetes.io/part-of': 'kubeflow-profile', 'istio-injection': 'enabled', 'katib.kubeflow.org/metrics-collector-injection': 'enabled' }),
      },
      annotations: { ...KEPT_ANNOTATIONS, ...(profileOwner !== undefined && { owner: profileOwner }) },
    },
  });
}

/** Kubeflow's profile, which makes accounts and rights for its user interface. The quota is its to make. */
export function constructProfile({ name, profileOwner, quota, labels }: TeamSpec): TeamObject {
  return plainObject<TeamObject>({
    apiVersion: 'kubeflow.org/v1',
    kind: 'Profile',
    // Its namespace is deleted with it.
    metadata: { name, labels: Object.keys(labels).length === 0 ? undefined : labels, annotations: { ...KEPT_ANNOTATIONS } },
    spec: { owner: { kind: 'User', name: profileOwner }, resourceQuotaSpec: quota && { hard: quota.hard } },
  });
}

/** Roles of members and viewers. */
export function constructTeamRoles({ name, interactive }: TeamSpec): TeamObject[] {
  return [{ role: 'members', rules: memberRules(interactive) }, { role: 'viewers', rules: viewerRules() }].map(({ role, rules }) => plainObject<TeamObject>({
    apiVersion: `${RBAC_GROUP}/v1`, kind: 'Role', metadata: { name: `team-${role}`, namespace: name }, rules,
  }));
}

/** `subjects` of a binding; a binding of nobody has no list, because the API server keeps no empty one. */
export function subjects({ users, groups }: SubjectsSpec): object[] | undefined {
  const all = [...users.map((name) => ({ kind: 'User', name })), ...groups.map((name) => ({ kind: 'Group', name }))].map((subject) => ({ apiGroup: RBAC_GROUP, ...subject }));
  return all.length > 0 ? all : undefined;
}

export function constructTeamQuota({ name, quota }: TeamSpec): TeamObject {
  const spec = { hard: canonicalQuantities(quota!.hard) };
  return plainObject<TeamObject>({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team', namespace: name }, spec });
}

/** What containers get and may ask for. */
export function constructTeamLimits({ name, containers }: TeamSpec): TeamObject {
  const { defaultRequest, max } = containers!;
  const limits = [{ type: 'Container', defaultRequest: defaultRequest && canonicalQuantities(defaultRequest), max: max && canonicalQuantities(max) }];
  return plainObject<TeamObject>({ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'team', namespace: name }, spec: { limits } });
}

/**
 * Whom a profile has to do with: the mesh's control plane and gateway, Kubeflow's own applications, Knative, which looks after the pods of services.
 * A notebook that they do not reach is one that nobody reaches.
 */
const KUBEFLOW_NAMESPACES = ['istio-system', 'kubeflow', 'knative-serving'];

/**
 * Nothing comes in from other namespaces, and where traffic out is limited nothing goes out but what jobs need.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
export function constructTeamNetworkPolicies({ name, network, profileOwner }: TeamSpec): TeamObject[] {
  const { isLimited, operatorNamespace, hasIdentity, toCidrs } = network!;
  const kubeflow = profileOwner === undefined ? [] : KUBEFLOW_NAMESPACES;
  const withKubeflow = (names: readonly string[]) => [...new Set([...kubeflow, ...names])];
  const [fromNamespaces, toNamespaces] = [network!.fromNamespaces, network!.toNamespaces].map(withKubeflow);
  const policy = (id: string, spec: object) => plainObject<TeamObject>({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: id, namespace: name }, spec });
  const everyPod = {};
  const neighbours = { podSelector: {} };
  return [
    policy('default-deny', { podSelector: everyPod, policyTypes: isLimited ? ['Ingress', 'Egress'] : ['Ingress'] }),
    policy('team', {
      podSelector: everyPod,
      policyTypes: isLimited ? ['Ingress', 'Egress'] : ['Ingress'],
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

/** Kinds beside workloads that a team works with. */
const BESIDE_WORKLOADS: readonly Resources[] = [
  { group: 'kubeflow.org', resources: ['poddefaults', 'scheduledworkflows'] },
  { group: 'pipelines.kubeflow.org', resources: ['pipelines', 'pipelineversions'] },
  { group: 'serving.kserve.io', resources: ['inferencegraphs', 'servingruntimes'] },
  { group: 'keda.sh', resources: ['scaledobjects', 'triggerauthentications'] },
  { group: 'tensorboard.kubeflow.org', resources: ['tensorboards'] },
  { group: '', resources: ['pods', 'configmaps', 'services', 'persistentvolumeclaims'] },
];

/** Kinds that a team works with: it may create, change and delete them. */
const WORK: readonly Resources[] = byGroup([
  ...WORKLOAD_KINDS.filter(({ isNamespaced = true, isRetired = false }) => isNamespaced && !isRetired)
    .map(({ group, plural }) => ({ group, resources: [plural] })),
  ...BESIDE_WORKLOADS,
]);

/** What it looks at. */
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

/** Rules for those who only look. */
export function viewerRules(): PolicyRule[] {
  return [
    ...[...WORK, ...SEEN].map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  ];
}

/** Rules for those who work. */
export function memberRules(interactive: boolean): PolicyRule[] {
  return [
    ...WORK.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: [...READ, 'create', 'update', 'patch', 'delete'] })),
    ...SEEN.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: READ })),
    { apiGroups: [API_GROUP], resources: [`${TRAINING_JOB_PLURAL}/scale`], verbs: ['get', 'update', 'patch'] },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    // Pods read secrets; people only put them there. The answer to a patch, also to one that is a mere dry run, is the object with its data, and
    // so is that to a deletion in the foreground. Who may update overwrites what others put there.
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
