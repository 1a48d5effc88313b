/** Objects of a team. */
import { memberRules, viewerRules } from './rbac';
import { KEPT_ANNOTATIONS } from '../../model/argo-cd/annotations';
import type { SubjectsSpec, TeamSpec } from '../../model/tenancy/spec';
import type { Manifest } from '../kubernetes';
import { limitedEgress, namespacesNamed } from '../job/network-policy';
import { plainObject } from '../plain-object';
import { canonicalQuantities } from '../pod/resources';

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

/** The quota of the namespace. */
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
