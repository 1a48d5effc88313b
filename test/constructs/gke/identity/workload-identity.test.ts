import { App, Chart, Testing } from 'cdk8s';
import { Framework, TrainingJob } from '../../../../src';
import { Grant, WorkloadIdentity, type WorkloadIdentityProps } from '../../../../src/constructs/gke';
import { InferenceService, ModelCredentials, Predictor, ServingMode } from '../../../../src/constructs/serving';
import { errorsOf } from '../../../support/synth-errors';

const POOL = { projectId: 'ml-prod', projectNumber: '123456789012' };
const PRINCIPAL = 'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/ml-prod.svc.id.goog/subject/ns/ml/sa/trainer';

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: object };
  readonly spec: {
    readonly member: string; readonly role: string; readonly resourceRef: object; readonly condition?: { readonly expression: string };
  };
}

function rendered(props: Partial<WorkloadIdentityProps>, change: (identity: WorkloadIdentity) => void = () => undefined): Rendered[] {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
  change(new WorkloadIdentity(chart, 'Identity', { metadata: { name: 'trainer' }, pool: POOL, ...props }));
  return Testing.synth(chart) as Rendered[];
}

test('by default there is an account with a token and nothing that it may do', () => {
  expect(rendered({})).toEqual([{
    apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'trainer', namespace: 'ml' }, automountServiceAccountToken: true,
  }]);
});

test('each grant is an object of Config Connector for the principal', () => {
  const [, member] = rendered({ grants: [Grant.bucketWriter('checkpoints')] });
  expect(member).toEqual({
    apiVersion: 'iam.cnrm.cloud.google.com/v1beta1',
    kind: 'IAMPolicyMember',
    metadata: { name: expect.stringMatching(/^trainer-checkpoints-objectuser-[0-9a-f]{6}$/) as string, namespace: 'ml' },
    spec: {
      member: PRINCIPAL,
      role: 'roles/storage.objectUser',
      resourceRef: { apiVersion: 'storage.cnrm.cloud.google.com/v1beta1', kind: 'StorageBucket', external: 'checkpoints' },
    },
  });
});

test('with a Google service account, the pods act as it and it has the grants', () => {
  const email = 'trainer@ml-prod.iam.gserviceaccount.com';
  const [account, binding, grant] = rendered({ googleServiceAccount: email, grants: [Grant.bucketReader('data')], configConnectorProject: 'ml-data' });
  expect(account.metadata.annotations).toEqual({ 'iam.gke.io/gcp-service-account': email });
  expect(binding.spec).toMatchObject({ member: 'serviceAccount:ml-prod.svc.id.goog[ml/trainer]', role: 'roles/iam.workloadIdentityUser', resourceRef: { external: `projects/ml-prod/serviceAccounts/${email}` } });
  expect(grant.spec.member).toBe(`serviceAccount:${email}`);
  expect(grant.metadata.annotations).toEqual({ 'cnrm.cloud.google.com/project-id': 'ml-data' });
});

test('without Config Connector the member is told for who grants', () => {
  let member = '';
  const objects = rendered({ configConnector: false, grants: [Grant.bucketWriter('checkpoints')] }, (identity) => {
    member = identity.member;
  });
  expect([objects.map(({ kind }) => kind), member]).toEqual([['ServiceAccount'], PRINCIPAL]);
});

test('a grant can be added, and is the same object as one that was given', () => {
  expect(rendered({}, (identity) => identity.addGrant(Grant.bucketWriter('checkpoints')))).toEqual(rendered({ grants: [Grant.bucketWriter('checkpoints')] }));
});

test.each<[string, Grant, string[], string, string | undefined]>([
  ['bucketReader', Grant.bucketReader('data'), ['roles/storage.objectViewer'], 'data', undefined],
  ['bucketWriter', Grant.bucketWriter('data'), ['roles/storage.objectUser'], 'data', undefined],
  ['datasetReader', Grant.datasetReader('p', 'd'), ['roles/bigquery.dataViewer'], 'projects/p', 'resource.name == "projects/p/datasets/d" || resource.name.startsWith("projects/p/datasets/d/")'],
  ['datasetWriter', Grant.datasetWriter('p', 'd'), ['roles/bigquery.dataEditor'], 'projects/p', 'resource.name == "projects/p/datasets/d" || resource.name.startsWith("projects/p/datasets/d/")'],
  ['queries', Grant.queries('p'), ['roles/bigquery.jobUser'], 'projects/p', undefined],
  ['publisher', Grant.publisher('p', 't'), ['roles/pubsub.publisher'], 'projects/p/topics/t', undefined],
  ['subscriber', Grant.subscriber('p', 's'), ['roles/pubsub.subscriber'], 'projects/p/subscriptions/s', undefined],
  ['cloudSqlClient', Grant.cloudSqlClient('p', 'i'), ['roles/cloudsql.client'], 'projects/p', 'resource.name == "projects/p/instances/i" && resource.service == "sqladmin.googleapis.com"'],
  ['cloudSqlClient with login', Grant.cloudSqlClient('p', 'i', { databaseLogin: true }), ['roles/cloudsql.client', 'roles/cloudsql.instanceUser'], 'projects/p', 'resource.name == "projects/p/instances/i" && resource.service == "sqladmin.googleapis.com"'],
  ['alloyDbClient', Grant.alloyDbClient('p'), ['roles/alloydb.client', 'roles/serviceusage.serviceUsageConsumer'], 'projects/p', undefined],
  ['imageReader', Grant.imageReader('p', 'europe', 'r'), ['roles/artifactregistry.reader'], 'projects/p/locations/europe/repositories/r', undefined],
  ['secretReader', Grant.secretReader('p', 's'), ['roles/secretmanager.secretAccessor'], 'projects/p/secrets/s', undefined],
  ['onBucket', Grant.onBucket('roles/storage.objectCreator', 'data'), ['roles/storage.objectCreator'], 'data', undefined],
  ['onProject', Grant.onProject('roles/aiplatform.user', 'p', { condition: 'request.time < x' }), ['roles/aiplatform.user'], 'projects/p', 'request.time < x'],
])('Grant.%s', (_name, grant, roles, external, expression) => {
  const [, ...members] = rendered({ grants: [grant] });
  expect(members.map(({ spec }) => spec.role)).toEqual(roles);
  for (const { spec } of members) {
    expect(spec.resourceRef).toMatchObject({ external });
    expect(spec.condition?.expression).toBe(expression);
  }
});

test('names are of Kubernetes, however long a resource is called, and no two grants share one', () => {
  const long = 'x'.repeat(200);
  const names = rendered({ grants: [Grant.bucketReader(long), Grant.bucketReader(`${long}y`), Grant.secretReader('p', 'A_b.C')] }).slice(1).map(({ metadata }) => metadata.name);
  expect(new Set(names).size).toBe(3);
  for (const name of names) {
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  }
});

test('what is wrong is reported at synth, with what breaks the rule', () => {
  const app = new App();
  const chart = new Chart(app, 'test');
  new WorkloadIdentity(chart, 'Identity', { metadata: { name: 'trainer' }, pool: { projectId: 'ml-prod', projectNumber: 'ml-prod' }, grants: [Grant.onProject('roles/editor', 'ml-prod')] });
  expect(errorsOf(app).filter((line) => line.startsWith('['))).toEqual([
    expect.stringContaining('[test/Identity] WorkloadIdentity \'trainer\': pool.projectNumber: "ml-prod": is not a valid project'),
    expect.stringContaining('metadata.namespace: is required'),
    expect.stringContaining('grants[0].role: "roles/editor": covers the whole project'),
  ]);
});

test('a broad role is given with its reason', () => {
  expect(rendered({ grants: [Grant.onProject('roles/viewer', 'ml-prod', { broadBecause: 'the job lists what there is' })] })).toHaveLength(2);
});

test('jobs and model servers take the account', () => {
  const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
  const { serviceAccount } = new WorkloadIdentity(chart, 'Identity', { metadata: { name: 'trainer' }, pool: POOL });
  new TrainingJob(chart, 'Job', { metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'train:1', replicas: 1, serviceAccount });
  new InferenceService(chart, 'Service', { mode: ServingMode.STANDARD, credentials: ModelCredentials.serviceAccount(serviceAccount), predictor: Predictor.container({ image: 'server:1' }) });
  expect(Testing.synth(chart).slice(1)).toMatchObject([
    { kind: 'MLTrainingJob', spec: { template: { spec: { serviceAccountName: 'trainer' } } } }, { kind: 'InferenceService', spec: { predictor: { serviceAccountName: 'trainer' } } },
  ]);
});
