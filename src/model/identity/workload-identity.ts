/**
 * Who pods are to Google Cloud. Directly: the account of the pod is itself granted roles, as a principal. By link: the account is annotated with a
 * Google account, which grants it the right to act as that.
 *
 * Who each grant of an identity goes to.
 */
import type { GrantSpec, WorkloadIdentitySpec } from './spec';
import { FindingCollector, rule, type Finding, type Rule } from '../findings';

/** Annotation that links an account to a Google account. */
export const GOOGLE_ACCOUNT_ANNOTATION = 'iam.gke.io/gcp-service-account';

/** Role that a Google account grants to the account of pods. */
export const WORKLOAD_IDENTITY_ROLE = 'roles/iam.workloadIdentityUser';

/** A service account of a namespace, in a project. */
interface PodAccount {
  readonly projectId: string;
  readonly projectNumber?: string;
  readonly namespace: string;
  readonly name: string;
}

/** The member that an account is by itself. */
export function directMember({ projectId, projectNumber, namespace, name }: PodAccount): string {
  return `principal://iam.googleapis.com/projects/${projectNumber}/locations/global/workloadIdentityPools/${projectId}.svc.id.goog/subject/ns/${namespace}/sa/${name}`;
}

/** The member by which a Google account lets an account act as itself. */
export function linkedMember({ projectId, namespace, name }: PodAccount): string {
  return `serviceAccount:${projectId}.svc.id.goog[${namespace}/${name}]`;
}

/** An account with what binds it. */
export interface IdentityBinding {
  readonly account: PodAccount;
  /** Members that roles were granted to. */
  readonly members: readonly string[];
  readonly annotations?: { readonly [name: string]: string };
  /** Metadata mode of the nodes, where it is known. */
  readonly nodeMetadata?: string;
  readonly hostNetwork?: boolean;
  readonly automountServiceAccountToken?: boolean;
}

const PRINCIPAL = /^principal:\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/subject\/ns\/([^/]+)\/sa\/([^/]+)$/;

const LINK = /^serviceAccount:([^[\]]+)\.svc\.id\.goog\[([^/[\]]+)\/([^/[\]]+)\]$/;

export function checkIdentity(binding: IdentityBinding, path = 'identity'): Finding[] {
  const findings = new FindingCollector();
  const { account, members, annotations = {}, nodeMetadata } = binding;
  members.forEach((member, index) => checkMember(member, account, `${path}.members[${index}]`, findings));
  const linked = annotations[GOOGLE_ACCOUNT_ANNOTATION];
  if (linked !== undefined && !members.some((member) => LINK.test(member))) {
    findings.error(IDENTITY_RULES.binding, `${path}.annotations['${GOOGLE_ACCOUNT_ANNOTATION}']`, linked,
      `is not enough: ${linked} must grant ${WORKLOAD_IDENTITY_ROLE} to ${linkedMember(account)}. Add the binding, or grant roles to the account itself and remove the annotation.`);
  }
  if (nodeMetadata !== undefined && nodeMetadata !== 'GKE_METADATA') {
    findings.error(IDENTITY_RULES.nodes, `${path}.nodeMetadata`, nodeMetadata, 'shows pods the identity of the node. Use GKE_METADATA on their pool.');
  }
  if (binding.hostNetwork) {
    findings.error(IDENTITY_RULES.hostNetwork, `${path}.hostNetwork`, true, 'gives the pods the identity of the node. Remove it.');
  }
  if (binding.automountServiceAccountToken === false) {
    findings.error(IDENTITY_RULES.token, `${path}.automountServiceAccountToken`, false, 'removes the token that identifies the pods. Remove it.');
  }
  return findings.findings;
}

function checkMember(member: string, account: PodAccount, path: string, findings: FindingCollector): void {
  const principal = PRINCIPAL.exec(member);
  const link = LINK.exec(member);
  if (principal === null && link === null) {
    // A whole namespace is a set of principals; its form is not confirmed by any source.
    if (!member.startsWith('principalSet://')) {
      findings.error(IDENTITY_RULES.member, path, member, `does not identify a pod. Use ${proposal(member, account)}.`);
    }
    return;
  }
  if (principal !== null && !/^[0-9]+$/.test(principal[1])) {
    findings.error(IDENTITY_RULES.number, path, member, `names the project as '${principal[1]}' instead of by its number. Use projects/${account.projectNumber ?? 'NUMBER'}.`);
    return;
  }
  if (principal !== null && principal[2] !== `${account.projectId}.svc.id.goog`) {
    findings.error(IDENTITY_RULES.number, path, member, `names the pool '${principal[2]}', but it is '${account.projectId}.svc.id.goog', after the project's id.`);
    return;
  }
  const [namespace, name] = principal !== null ? principal.slice(3) : link!.slice(2);
  if (namespace !== account.namespace || name !== account.name) {
    findings.error(IDENTITY_RULES.account, path, member, `is ${namespace}/${name}, and the pods run as ${account.namespace}/${account.name}. Use ${proposal(member, account)}.`);
  }
}

function proposal(member: string, account: PodAccount): string {
  return member.startsWith('serviceAccount:') ? linkedMember(account) : directMember({ ...account, projectNumber: account.projectNumber ?? 'NUMBER' });
}

/** Rules on who pods are to Google Cloud. */
export const IDENTITY_RULES = {
  member: rule('identity-member', 'identityMembers', 'A pod is a member by principal://, with the number of the project first and its id in the pool, or by serviceAccount:POOL[NAMESPACE/ACCOUNT].'),
  number: rule('identity-project-number', 'identityMembers', 'A principal identifies the project by its number, and the pool by its id.'),
  binding: rule('identity-binding', 'workloadIdentity', 'An annotated account is bound: the Google account grants roles/iam.workloadIdentityUser to it.'),
  account: rule('identity-account', 'workloadIdentity', 'The account of the binding is the account of the pods.'),
  nodes: rule('identity-nodes', 'toolkitCluster', 'Pods can use Workload Identity only on nodes with GKE_METADATA.'),
  hostNetwork: rule('identity-host-network', 'gcsFuse', 'Pods on the network of the host have the identity of the node.'),
  token: rule('identity-token', 'identityTokens', 'Pods that use an identity mount the token of their account.'),
} as const satisfies { readonly [name: string]: Rule };

/** What grants are given to. The identity keeps its rules. */
export function grantMember(identity: WorkloadIdentitySpec): string {
  return identity.googleServiceAccount === undefined ? directMember(podAccount(identity)) : `serviceAccount:${identity.googleServiceAccount}`;
}

/** Each member with what is given to it: the grants, and before them the binding of a Google service account. */
export function memberGrants(identity: WorkloadIdentitySpec): { readonly member: string; readonly grant: GrantSpec }[] {
  const { googleServiceAccount: email } = identity;
  const binding = email === undefined ? [] : [{
    member: linkedMember(podAccount(identity)),
    grant: { role: WORKLOAD_IDENTITY_ROLE, resource: { kind: 'IAMServiceAccount' as const, external: `projects/${projectOf(email)}/serviceAccounts/${email}` } },
  }];
  return [...binding, ...identity.grants.map((grant) => ({ member: grantMember(identity), grant }))];
}

/** An identity without a namespace is reported and not rendered. */
function podAccount({ account, namespace = '', pool }: WorkloadIdentitySpec): PodAccount {
  return { ...pool, namespace, name: account };
}

/** Project of the e-mail of a Google service account. */
export function projectOf(email: string): string {
  return email.slice(email.indexOf('@') + 1).replace(/\.iam\.gserviceaccount\.com$/, '');
}
