import { grantMember, memberGrants } from '../../../src/model/identity/workload-identity';
import { GRANT_RULES, validateWorkloadIdentity } from '../../../src/model/identity/validate-grants';
import type { GrantSpec, WorkloadIdentitySpec } from '../../../src/model/identity/spec';

const BUCKET: GrantSpec = { role: 'roles/storage.objectUser', resource: { kind: 'StorageBucket', external: 'checkpoints' } };
const DIRECT: WorkloadIdentitySpec = { account: 'trainer', namespace: 'ml', pool: { projectId: 'ml-prod', projectNumber: '123456789012' }, grants: [BUCKET] };
const LINKED: WorkloadIdentitySpec = { ...DIRECT, pool: { projectId: 'ml-prod' }, googleServiceAccount: 'trainer@ml-prod.iam.gserviceaccount.com' };

const on = (role: string, kind: GrantSpec['resource']['kind'], external: string, more: Partial<GrantSpec> = {}): GrantSpec => ({ role, resource: { kind, external }, ...more });
const project = (role: string, more: Partial<GrantSpec> = {}) => on(role, 'Project', 'projects/ml-prod', more);

test('a principal has the number of the project, and then the pool with its id', () => {
  expect(grantMember(DIRECT)).toBe('principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/ml-prod.svc.id.goog/subject/ns/ml/sa/trainer');
  expect(memberGrants(DIRECT)).toEqual([{ member: grantMember(DIRECT), grant: BUCKET }]);
});

test('a Google service account has the grants, and the pods may act as it', () => {
  expect(memberGrants(LINKED)).toEqual([
    {
      member: 'serviceAccount:ml-prod.svc.id.goog[ml/trainer]',
      grant: { role: 'roles/iam.workloadIdentityUser', resource: { kind: 'IAMServiceAccount', external: 'projects/ml-prod/serviceAccounts/trainer@ml-prod.iam.gserviceaccount.com' } },
    },
    { member: 'serviceAccount:trainer@ml-prod.iam.gserviceaccount.com', grant: BUCKET },
  ]);
});

test.each<[string, WorkloadIdentitySpec]>([
  ['direct federation', DIRECT],
  ['a Google service account', LINKED],
  ['a project of a domain', { ...DIRECT, pool: { projectId: 'example.com:ml-prod', projectNumber: '123456789012' } }],
  ['one bucket to read and one to write', { ...DIRECT, grants: [BUCKET, on('roles/storage.objectViewer', 'StorageBucket', 'data')] }],
  ['a role of one\'s own', { ...DIRECT, grants: [project('projects/ml-prod/roles/trainer')] }],
  ['a condition on a project', { ...DIRECT, grants: [project('roles/storage.objectViewer', { condition: { title: 'c', expression: 'true' } })] }],
  ['an administrator with a reason', { ...DIRECT, grants: [on('roles/storage.admin', 'StorageBucket', 'scratch', { broadBecause: 'the job makes folders' })] }],
])('%s is right', (_what, identity) => {
  expect(validateWorkloadIdentity(identity)).toEqual([]);
});

/** What is wrong, the identity, the rule, the field, and words of the message. */
const MISTAKES: readonly (readonly [what: string, identity: WorkloadIdentitySpec, rule: keyof typeof GRANT_RULES, path: string, words: string])[] = [
  ['the number where the id belongs', { ...DIRECT, pool: { projectId: '123456789012', projectNumber: '123456789012' } }, 'projectId', 'pool.projectId', 'Set the number as projectNumber'],
  ['the pool where the id belongs', { ...DIRECT, pool: { projectId: 'ml-prod.svc.id.goog', projectNumber: '123456789012' } }, 'projectId', 'pool.projectId', 'without .svc.id.goog'],
  ['the id where the number belongs', { ...DIRECT, pool: { projectId: 'ml-prod', projectNumber: 'ml-prod' } }, 'projectNumber', 'pool.projectNumber', 'accepted and never matches'],
  ['direct federation without a number', { ...DIRECT, pool: { projectId: 'ml-prod' } }, 'projectNumber', 'pool.projectNumber', 'is required'],
  ['no namespace', { ...DIRECT, namespace: undefined }, 'namespace', 'metadata.namespace', 'the member names it'],
  ['the namespace\'s default account', { ...DIRECT, account: 'default' }, 'defaultAccount', 'metadata.name', 'every pod without its own would get these permissions'],
  ['an e-mail without a project', { ...LINKED, googleServiceAccount: 'trainer' }, 'email', 'googleServiceAccount', 'NAME@PROJECT.iam.gserviceaccount.com'],
  ['an e-mail of a person', { ...LINKED, googleServiceAccount: 'me@example.com' }, 'email', 'googleServiceAccount', 'is not a service account'],
  ['the default account of Compute Engine', { ...LINKED, googleServiceAccount: '123456789012-compute@developer.gserviceaccount.com' }, 'defaultServiceAccount', 'googleServiceAccount', 'may edit the whole project'],
  ['the default account of App Engine', { ...LINKED, googleServiceAccount: 'ml-prod@appspot.gserviceaccount.com' }, 'defaultServiceAccount', 'googleServiceAccount', 'may edit the whole project'],
  ['a role without roles/', { ...DIRECT, grants: [on('storage.objectUser', 'StorageBucket', 'b01')] }, 'roleForm', 'grants[0].role', 'roles/SERVICE.NAME'],
  ['owner', { ...DIRECT, grants: [project('roles/owner')] }, 'basicRole', 'grants[0].role', 'all of its services'],
  ['editor', { ...DIRECT, grants: [project('roles/editor')] }, 'basicRole', 'grants[0].role', 'all of its services'],
  ['viewer', { ...DIRECT, grants: [project('roles/viewer')] }, 'basicRole', 'grants[0].role', 'all of its services'],
  ['an administrator of storage', { ...DIRECT, grants: [on('roles/storage.admin', 'StorageBucket', 'b01')] }, 'adminRole', 'grants[0].role', 'Grant roles/storage.objectUser'],
  ['an administrator of objects', { ...DIRECT, grants: [on('roles/storage.objectAdmin', 'StorageBucket', 'b01')] }, 'adminRole', 'grants[0].role', 'Grant roles/storage.objectUser'],
  ['a legacy owner of a bucket', { ...DIRECT, grants: [on('roles/storage.legacyBucketOwner', 'StorageBucket', 'b01')] }, 'adminRole', 'grants[0].role', 'a role that reads or writes'],
  ['an administrator of secrets', { ...DIRECT, grants: [on('roles/secretmanager.admin', 'SecretManagerSecret', 'projects/p/secrets/s')] }, 'adminRole', 'grants[0].role', 'secretAccessor'],
  ['an administrator of databases', { ...DIRECT, grants: [project('roles/cloudsql.admin')] }, 'adminRole', 'grants[0].role', 'roles/cloudsql.client'],
  ['tokens of other accounts', { ...DIRECT, grants: [project('roles/iam.serviceAccountTokenCreator')] }, 'impersonation', 'grants[0].role', 'another account'],
  ['acting as other accounts', { ...DIRECT, grants: [project('roles/iam.serviceAccountUser')] }, 'impersonation', 'grants[0].role', 'another account'],
  ['all buckets of a project', { ...DIRECT, grants: [project('roles/storage.objectViewer')] }, 'wholeProject', 'grants[0].resource', 'Grant.bucketReader'],
  ['all secrets of a project', { ...DIRECT, grants: [project('roles/secretmanager.secretAccessor')] }, 'wholeProject', 'grants[0].resource', 'Grant.secretReader'],
  ['all topics of a project', { ...DIRECT, grants: [project('roles/pubsub.publisher')] }, 'wholeProject', 'grants[0].resource', 'Grant.publisher'],
  ['all images of a project', { ...DIRECT, grants: [project('roles/artifactregistry.reader')] }, 'wholeProject', 'grants[0].resource', 'Grant.imageReader'],
  ['a bucket with gs://', { ...DIRECT, grants: [on('roles/storage.objectUser', 'StorageBucket', 'gs://checkpoints')] }, 'resourceForm', 'grants[0].resource', 'without gs://'],
  ['a topic by its name alone', { ...DIRECT, grants: [on('roles/pubsub.publisher', 'PubSubTopic', 'done')] }, 'resourceForm', 'grants[0].resource', 'projects/PROJECT/topics/TOPIC'],
  ['a secret with its version', { ...DIRECT, grants: [on('roles/secretmanager.secretAccessor', 'SecretManagerSecret', 'projects/p/secrets/s/versions/1')] }, 'resourceForm', 'grants[0].resource', 'projects/PROJECT/secrets/SECRET'],
  ['a repository without its location', { ...DIRECT, grants: [on('roles/artifactregistry.reader', 'ArtifactRegistryRepository', 'projects/p/repositories/r')] }, 'resourceForm', 'grants[0].resource', 'locations/LOCATION'],
  ['a condition on a topic', { ...DIRECT, grants: [on('roles/pubsub.publisher', 'PubSubTopic', 'projects/p/topics/t', { condition: { title: 'c', expression: 'true' } })] }, 'condition', 'grants[0].condition', 'cannot be set on a PubSubTopic'],
  ['a grant twice', { ...DIRECT, grants: [BUCKET, BUCKET] }, 'twice', 'grants[1]', 'is listed twice for checkpoints'],
  ['reading beside writing', { ...DIRECT, grants: [BUCKET, on('roles/storage.objectViewer', 'StorageBucket', 'checkpoints')] }, 'redundant', 'grants[1]', 'is part of roles/storage.objectUser'],
];

test.each(MISTAKES)('%s is refused', (_what, identity, rule, path, words) => {
  expect(validateWorkloadIdentity(identity)).toEqual([
    expect.objectContaining({ severity: 'error', rule: GRANT_RULES[rule].id, source: GRANT_RULES[rule].source, path, message: expect.stringContaining(words) as string }),
  ]);
});

test('every rule has a mistake, and an address where it is read', () => {
  expect(new Set(MISTAKES.map(([, , rule]) => rule))).toEqual(new Set(Object.keys(GRANT_RULES)));
  for (const { source, says } of Object.values(GRANT_RULES)) {
    expect(source).toMatch(/^https:\/\/cloud\.google\.com\//);
    expect(says).toMatch(/\.$/);
  }
});
