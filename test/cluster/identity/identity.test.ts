/** Identities, shown to the API server with Config Connector's definitions and strict checks. Nothing is kept. */
import { Chart, Testing } from 'cdk8s';
import { Grant, WorkloadIdentity } from '../../../src/constructs/gke';
import { upstreamCrds } from '../../support/upstream-definitions';
import type { TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { judge } from '../support/submit';

const COLLECTIONS: { readonly [kind: string]: string } = {
  'v1 ServiceAccount': '/api/v1/namespaces/NAMESPACE/serviceaccounts',
  'iam.cnrm.cloud.google.com/v1beta1 IAMPolicyMember': '/apis/iam.cnrm.cloud.google.com/v1beta1/namespaces/NAMESPACE/iampolicymembers',
};

let namespace = '';
beforeAll(async () => {
  namespace = await createNamespace('identity');
  await installCrds(upstreamCrds('config-connector'));
});
afterAll(async () => deleteNamespace(namespace));

test('the API server accepts every grant, direct and by a Google service account', async () => {
  const chart = new Chart(Testing.app(), 'identity', { namespace });
  const grants = [
    Grant.bucketReader('data'), Grant.bucketWriter('checkpoints'), Grant.datasetReader('ml-prod', 'runs'), Grant.datasetWriter('ml-prod', 'features'), Grant.queries('ml-prod'),
    Grant.publisher('ml-prod', 'done'), Grant.subscriber('ml-prod', 'work'), Grant.cloudSqlClient('ml-prod', 'runs', { databaseLogin: true }), Grant.alloyDbClient('ml-prod'),
    Grant.imageReader('ml-prod', 'europe', 'images'), Grant.secretReader('ml-prod', 'hugging-face-token'), Grant.onBucket('roles/storage.objectCreator', 'logs'),
    Grant.onProject('projects/ml-prod/roles/trainer', 'ml-prod', { condition: 'request.time < timestamp("2030-01-01T00:00:00Z")' }),
  ];
  const pool = { projectId: 'ml-prod', projectNumber: '123456789012' };
  new WorkloadIdentity(chart, 'Direct', { metadata: { name: 'direct' }, pool, grants, configConnectorProject: 'ml-prod' });
  new WorkloadIdentity(chart, 'Linked', { metadata: { name: 'linked' }, pool, grants, googleServiceAccount: 'trainer@ml-prod.iam.gserviceaccount.com' });
  const objects = Testing.synth(chart) as TestObject[];
  expect(objects.length).toBeGreaterThan(2 * grants.length);
  for (const object of objects) {
    const { status, message, warnings } = await judge(COLLECTIONS[`${object.apiVersion} ${object.kind}`].replace('NAMESPACE', namespace), object);
    expect([object.metadata.name, status === 201 ? '' : message, warnings]).toEqual([object.metadata.name, '', []]);
  }
});
