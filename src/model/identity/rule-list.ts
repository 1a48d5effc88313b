/** The rules on identities of pods, each with its source. */
import { rule, type Rule } from '../findings';

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
