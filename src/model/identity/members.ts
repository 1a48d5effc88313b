/** Who each grant of an identity goes to. The forms of members are in `workload-identity.ts`. */
import type { GrantSpec, WorkloadIdentitySpec } from './spec';
import { WORKLOAD_IDENTITY_ROLE, directMember, linkedMember, type PodAccount } from './workload-identity';

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

/** An identity without a namespace is reported, and rendered by nobody. */
function podAccount({ account, namespace = '', pool }: WorkloadIdentitySpec): PodAccount {
  return { ...pool, namespace, name: account };
}

function projectOf(email: string): string {
  return email.slice(email.indexOf('@') + 1).replace(/\.iam\.gserviceaccount\.com$/, '');
}
