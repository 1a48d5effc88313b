/** A team: the namespace that it works in, who may do what there, and how much of it. */
import { checkLabels, isDns1123Label } from '../names';
import { isQuantity, tryParseQuantity } from '../quantities';
import { isCidr } from '../training-job/validation/security';
import { ViolationCollector, type Violation } from '../violations';

/** Who: names as the API server knows them after authentication. */
export interface SubjectsSpec {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** Most that a team may have, as quantities by the names of a ResourceQuota (`requests.cpu`, `pods`). */
export interface TeamQuotaSpec {
  readonly hard: { readonly [name: string]: string };
}

/** What containers get that do not say, and what they may ask for. */
export interface ContainerLimitsSpec {
  readonly defaultRequest?: { readonly [resource: string]: string };
  readonly max?: { readonly [resource: string]: string };
}

/** Where traffic may go and come from. */
export interface TeamNetworkSpec {
  readonly fromNamespaces: readonly string[];
  /** Whether traffic out is limited to the namespace, names, HTTPS, the operator, what is named here, and for identities metadata servers. */
  readonly isLimited: boolean;
  /** Where the operator is that jobs report to. */
  readonly operatorNamespace: string;
  /** Whether pods have an identity in a cloud. */
  readonly hasIdentity: boolean;
  readonly toCidrs: readonly string[];
  readonly toNamespaces: readonly string[];
}

export interface TeamSpec {
  readonly name: string;
  /** User that owns the Kubeflow profile; undefined for a plain namespace. */
  readonly profileOwner?: string;
  readonly members: SubjectsSpec;
  readonly viewers: SubjectsSpec;
  readonly quota?: TeamQuotaSpec;
  readonly containers?: ContainerLimitsSpec;
  /** `privileged`, `baseline` or `restricted`. */
  readonly podSecurity: string;
  readonly network?: TeamNetworkSpec;
  readonly labels: { readonly [label: string]: string };
  /** Whether members may open shells and ports in pods. */
  readonly interactive: boolean;
}

/** Groups that are everybody, or may do everything anyway. */
const EVERYBODY = ['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts'];
const NOT_A_TEAM = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'kubeflow', 'kueue-system'];

/** Labels that the namespace of a team is made safe by, or that others own. */
const OUR_LABELS = ['kubernetes.io/metadata.name', 'pod-security.kubernetes.io/enforce', 'pod-security.kubernetes.io/warn', 'pod-security.kubernetes.io/audit'];

export function validateTeam(team: TeamSpec): Violation[] {
  const violations = new ViolationCollector();
  const { name, profileOwner, members, viewers, quota, containers, network, labels } = team;
  if (!isDns1123Label(name)) {
    violations.add('name', name, 'is the name of a namespace: lower-case letters, digits and -, with a letter or digit at both ends, at most 63 characters.');
  }
  if (NOT_A_TEAM.includes(name)) {
    violations.add('name', name, 'is a system namespace. Use a separate namespace for the team.');
  }
  if (profileOwner === '') {
    violations.add('profileOwner', profileOwner, 'must name a user as in the identity provider, usually an e-mail address.');
  }
  checkSubjects('members', members, violations);
  checkSubjects('viewers', viewers, violations);
  Object.entries(quota?.hard ?? {}).filter(([, amount]) => !isQuantity(amount)).forEach(([resource, amount]) => violations.add(`quota['${resource}']`, amount, 'must be 0 or more.'));
  for (const [resource, amount] of Object.entries(containers?.defaultRequest ?? {})) {
    const most = containers?.max?.[resource];
    if (most !== undefined && tryParseQuantity(amount)! > tryParseQuantity(most)!) {
      violations.add(`containers.defaultRequest.${resource}`, amount, `is more than a container may have (${most}): the API server would reject every container that does not set it. Lower it.`);
    }
  }
  network?.toCidrs.filter((cidr) => !isCidr(cidr)).forEach((cidr) => violations.add('network.toCidrs', cidr, 'is not an address range. Write one such as 10.8.0.0/16.'));
  for (const [field, places] of Object.entries({ toCidrs: network?.toCidrs, toNamespaces: network?.toNamespaces })) {
    if (network !== undefined && !network.isLimited && places!.length > 0) {
      violations.add(`network.${field}`, places, 'applies only if egress is limited. Leave it out, or limit egress.');
    }
  }
  checkLabels(labels, 'costLabels', violations);
  for (const [label, value] of Object.entries(labels)) {
    if (OUR_LABELS.includes(label)) {
      violations.add(`costLabels['${label}']`, value, 'is set by the team itself (podSecurity). Remove it.');
    }
  }
  return violations.violations;
}

function checkSubjects(path: string, { users, groups }: SubjectsSpec, violations: ViolationCollector): void {
  groups.forEach((group, index) => {
    if (EVERYBODY.includes(group)) {
      violations.add(`${path}.groups[${index}]`, group, 'includes all users of the cluster, so it is not a team. Use a group of the identity provider.');
    }
  });
  [...users, ...groups].filter((subject) => subject === '' || subject === '*').forEach((subject) => {
    violations.add(path, subject, 'must name a user or a group. Patterns are not supported.');
  });
}
