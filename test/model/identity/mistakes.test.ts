/** Identities of pods that do not work: each with the member or field, words of the rule and its source. */
import type { Finding } from '../../../src/model/findings';
import { SOURCES } from '../../../src/model/accelerators/sources';
import { IDENTITY_RULES, checkIdentity, directMember, linkedMember, type IdentityBinding } from '../../../src/model/identity/workload-identity';

const ACCOUNT = { projectId: 'ml-prod', projectNumber: '123456', namespace: 'train', name: 'trainer' };
const DIRECT = 'principal://iam.googleapis.com/projects/123456/locations/global/workloadIdentityPools/ml-prod.svc.id.goog/subject/ns/train/sa/trainer';
const LINKED = 'serviceAccount:ml-prod.svc.id.goog[train/trainer]';
const GOOGLE = 'gsa@ml-prod.iam.gserviceaccount.com';
const checked = (binding: Partial<IdentityBinding>): Finding[] => checkIdentity({ account: ACCOUNT, members: [DIRECT], ...binding });

type Case = [what: string, binding: Partial<IdentityBinding>, rule: keyof typeof IDENTITY_RULES, path: string, words: string];

const MISTAKES: readonly Case[] = [
  ['the id of the project where its number belongs', { members: [DIRECT.replace('projects/123456', 'projects/ml-prod')] }, 'number', 'identity.members[0]', 'Use projects/123456'],
  ['the number of the project in the pool', { members: [DIRECT.replace('ml-prod.svc', '123456.svc')] }, 'number', 'identity.members[0]', "'ml-prod.svc.id.goog'"],
  ['another namespace', { members: [DIRECT.replace('/ns/train/', '/ns/default/')] }, 'account', 'identity.members[0]', 'run as train/trainer'],
  ['another account', { members: [LINKED.replace('trainer', 'default')] }, 'account', 'identity.members[0]', `Use ${LINKED}`],
  ['a Google account as the member of pods', { members: [`serviceAccount:${GOOGLE}`] }, 'member', 'identity.members[0]', `Use ${LINKED}`],
  ['a Kubernetes name', { members: ['system:serviceaccount:train:trainer'] }, 'member', 'identity.members[0]', `Use ${DIRECT}`],
  ['an annotation without a binding', { members: [], annotations: { 'iam.gke.io/gcp-service-account': GOOGLE } }, 'binding', "identity.annotations['iam.gke.io/gcp-service-account']", `roles/iam.workloadIdentityUser to ${LINKED}`],
  ['nodes that show their own identity', { nodeMetadata: 'GCE_METADATA' }, 'nodes', 'identity.nodeMetadata', 'Use GKE_METADATA'],
  ['pods on the network of the host', { hostNetwork: true }, 'hostNetwork', 'identity.hostNetwork', 'identity of the node'],
  ['pods without a token', { automountServiceAccountToken: false }, 'token', 'identity.automountServiceAccountToken', 'Remove it'],
];

test.each(MISTAKES)('%s', (_what, binding, rule, path, words) => {
  expect(checked(binding)).toEqual([{
    severity: 'error', rule: IDENTITY_RULES[rule].id, source: SOURCES[IDENTITY_RULES[rule].source], path, value: expect.anything(), message: expect.stringContaining(words),
  }]);
});

test('every rule is broken by a mistake', () => {
  expect(Object.keys(IDENTITY_RULES).filter((rule) => !MISTAKES.some(([, , told]) => told === rule))).toEqual([]);
});

test('both kinds of members are those that the model writes, and right', () => {
  expect([directMember(ACCOUNT), linkedMember(ACCOUNT)]).toEqual([DIRECT, LINKED]);
  expect(checked({ members: [DIRECT], nodeMetadata: 'GKE_METADATA' })).toEqual([]);
  expect(checked({ members: [LINKED], annotations: { 'iam.gke.io/gcp-service-account': GOOGLE } })).toEqual([]);
});

test('a whole namespace passes: no source confirms how it is written', () => {
  expect(checked({ members: ['principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p.svc.id.goog/namespace/train'] })).toEqual([]);
});
