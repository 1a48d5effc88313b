/** Charts of cdk8s as resources of Pulumi. */
import { ApiObject, App, Chart } from 'cdk8s';
import { ChartDeployment, type ChartDeploymentArgs } from '../../src/stacks';
import { settled, startRecording } from './support/mocks';

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'runs.example.com' }, spec: {} };
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml' } };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'trainer', namespace: 'ml', annotations: { owner: 'me' } }, spec: { replicas: 1 } };
const RUN = { apiVersion: 'example.com/v1', kind: 'Run', metadata: { name: 'one', namespace: 'ml' } };
const WEBHOOK = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'runs' } };
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace: 'ml' }, stringData: { token: 'placeholder' } };
const ALL = [WEBHOOK, RUN, DEPLOYMENT, SECRET, NAMESPACE, CRD];

afterEach(() => jest.restoreAllMocks());

test('definitions come first, then namespaces, then the rest, and webhooks last', async () => {
  const recorder = await startRecording();
  new ChartDeployment('app', { chart: ALL });
  await settled();
  expect(recorder.graph()).toMatchSnapshot();
});

test('a chart of cdk8s is applied as it synthesizes', async () => {
  const recorder = await startRecording();
  const chart = new Chart(new App(), 'chart', { namespace: 'ml' });
  new ApiObject(chart, 'Map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } });
  const { resources } = new ChartDeployment('app', { chart });
  await settled();
  expect(recorder.one('kubernetes:core/v1:ConfigMap').inputs).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'ml' }, data: { a: '1' } });
  expect([...resources.keys()]).toEqual(['ConfigMap/ml/settings']);
});

test('fields of others are ignored, and secrets kept secret', async () => {
  const recorder = await startRecording();
  new ChartDeployment('app', { chart: ALL, ignoreFields: [{ kind: 'Deployment', name: 'trainer', fields: ['spec.replicas'] }, { kind: 'Run', fields: ['spec'] }] });
  await settled();
  const told = Object.fromEntries([...recorder.edges].map(([resource, { ignoreChanges, secrets }]) => [resource.split(':').at(-1), { ignoreChanges, secrets }]));
  expect(told['Deployment/ml/trainer']).toEqual({ ignoreChanges: ['spec.replicas'], secrets: [] });
  expect(told['Run/ml/one']).toEqual({ ignoreChanges: ['spec'], secrets: [] });
  expect(told['Namespace/ml']).toEqual({ ignoreChanges: [], secrets: [] });
  expect(told['Secret/ml/token']).toEqual({ ignoreChanges: [], secrets: ['data', 'stringData'] });
});

test('an update waits for conditions, for paths, or for nothing', async () => {
  const recorder = await startRecording();
  new ChartDeployment('app', {
    chart: [...ALL, { ...RUN, metadata: { name: 'two' } }],
    waitFor: [{ kind: 'Run', name: 'one', condition: 'Ready' }, { kind: 'Run', name: 'two', condition: 'jsonpath={.status.phase}=Running' }, { kind: 'Deployment', condition: 'none' }],
  });
  await settled();
  const annotations = Object.fromEntries(recorder.resources.map(({ name, inputs }) => [name, inputs.metadata?.annotations]));
  expect(annotations['app:Run/ml/one']).toEqual({ 'pulumi.com/waitFor': 'condition=Ready' });
  expect(annotations['app:Run/two']).toEqual({ 'pulumi.com/waitFor': 'jsonpath={.status.phase}=Running' });
  expect(annotations['app:Deployment/ml/trainer']).toEqual({ 'owner': 'me', 'pulumi.com/skipAwait': 'true' });
});

test.each<[string, ChartDeploymentArgs, string]>([
  ['without a name', { chart: [{ apiVersion: 'v1', kind: 'Secret' }] }, 'objects[0].metadata.name: is required: Secret cannot be applied without it.'],
  ['without a kind', { chart: [{ apiVersion: 'v1', metadata: { name: 'a' } }] }, 'objects[0].kind: is required'],
  ['that is listed twice', { chart: [RUN, RUN] }, 'objects: "example.com/v1 Run/ml/one": is listed twice'],
  ['that is misspelt', { chart: ALL, ignoreFields: [{ kind: 'Deployment', name: 'trianer', fields: [] }] }, "ignoreFields[0]: {\"kind\":\"Deployment\",\"name\":\"trianer\"}: does not refer to an object of the chart. Did you mean 'trainer'?"],
  ['of a kind that is not there', { chart: ALL, waitFor: [{ kind: 'Runs', condition: 'Ready' }] }, "does not refer to an object of the chart. Did you mean 'Run'?"],
])('an object %s is refused before anything is registered', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new ChartDeployment('app', args)).toThrow(message);
  expect(recorder.resources).toEqual([]);
});
