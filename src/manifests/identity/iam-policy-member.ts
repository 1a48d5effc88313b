/**
 * Config Connector's IAMPolicyMember: one member, one role, one resource. It adds to a policy and never replaces one.
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember
 */
import { createHash } from 'node:crypto';
import { plainObject } from '../plain-object';
import { GRANT_RESOURCES, type GrantSpec } from '../../model/identity/spec';
import { trimmedEnd } from '../../model/text/trim';

/** `apiVersion` of the kind. */
export const IAM_POLICY_MEMBER_API_VERSION = 'iam.cnrm.cloud.google.com/v1beta1';

/** Longest name before the hash that is still easy to read. */
const NAME_MAX_LENGTH = 56;

/**
 * Name of the object. Its fields cannot change, so another grant is another object: the hash covers all fields.
 * @param account Kubernetes service account that gets the grant
 */
export function iamPolicyMemberName(account: string, member: string, { role, resource, condition }: GrantSpec): string {
  const words = [account, resource.external.split('/').at(-1)!, role.split('.').at(-1)!].join('-').toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  const hash = createHash('sha256').update(JSON.stringify([member, role, resource.kind, resource.external, condition?.expression])).digest('hex').slice(0, 6);
  return `${trimmedEnd(words.slice(0, NAME_MAX_LENGTH), '-')}-${hash}`;
}

export function constructIamPolicyMemberSpec(member: string, { role, resource, condition }: GrantSpec): object {
  return plainObject({
    member,
    role,
    resourceRef: {
      apiVersion: `${GRANT_RESOURCES[resource.kind].group}.cnrm.cloud.google.com/v1beta1`, kind: resource.kind, external: resource.external,
    },
    condition: condition && { ...condition },
  });
}
