/** The programs under `examples/gke-*`: the graph of each of their environments, and what their projects have in common. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { parse } from 'yaml';
import { shutDown } from './support/mocks';
import { EXAMPLES, runExample, stableGraph } from './support/run-example';

const STACKS = ['dev', 'qa', 'stress', 'prod'];
const PROGRAMS = readdirSync(EXAMPLES).filter((name) => name.startsWith('gke-')).sort();

beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

afterEach(() => {
  const warnings = jest.mocked(pulumi.log.warn).mock.calls.map(([text]) => text);
  jest.restoreAllMocks();
  shutDown();
  // Whether the version of a chart was published is for the person who installs it to look up.
  expect(warnings.filter((text) => !text.includes('this version of its chart was published'))).toEqual([]);
});

test('there are programs for training, for data and for Kubeflow', () => {
  expect(PROGRAMS).toEqual(['gke-data', 'gke-kubeflow', 'gke-training']);
});

test.each(PROGRAMS)('%s has a project, a page, what it depends on, and settings of four stacks', (name) => {
  const read = (file: string) => readFileSync(path.join(EXAMPLES, name, file), 'utf8');
  expect(parse(read('Pulumi.yaml'))).toMatchObject({ name, runtime: { name: 'nodejs' } });
  expect(Object.keys(JSON.parse(read('package.json')).dependencies)).toEqual(expect.arrayContaining(['@pulumi/gcp', '@pulumi/kubernetes', '@pulumi/pulumi', 'trainyard']));
  expect(existsSync(path.join(EXAMPLES, name, 'README.md'))).toBe(true);
  const keys = STACKS.map((stack) => Object.keys(parse(read(`Pulumi.${stack}.yaml`)).config));
  // What is not the provider's belongs to the program.
  expect(keys.flat().filter((key) => key !== 'gcp:project' && !key.startsWith(`${name}:`))).toEqual([]);
});

describe.each(['gke-data', 'gke-kubeflow'])('%s', (name) => {
  test.each(STACKS)('%s is these resources', async (stack) => {
    const recorder = await runExample(name, stack);
    expect(stableGraph(recorder)).toMatchSnapshot();
    expect(recorder.of('gcp:container/nodePool:NodePool').map(({ inputs }) => inputs)).toMatchSnapshot();
  });
});

test('the Redis and the database reach jobs by names of the cluster', async () => {
  const recorder = await runExample('gke-data', 'prod');
  const slice = recorder.one('kubernetes:discovery.k8s.io/v1:EndpointSlice');
  expect(slice.inputs.endpoints).toEqual([{ addresses: ['10.1.2.4'] }]);
  expect(recorder.one('kubernetes:ray.io/v1:RayCluster').inputs.spec.gcsFaultToleranceOptions).toMatchObject({ redisAddress: 'ray-redis.ml:6379' });
  const queues = recorder.of('kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue').map(({ inputs }) => [inputs.metadata.name, inputs.spec.cohortName]);
  expect(queues).toEqual([['research', 'data'], ['team', 'data']]);
});

test('jobs that messages start read the subscription that the topic has', async () => {
  const recorder = await runExample('gke-data', 'dev');
  const [subscription] = recorder.of('gcp:pubsub/subscription:Subscription').filter(({ inputs }) => inputs.deadLetterPolicy !== undefined);
  const scaled = recorder.one('kubernetes:keda.sh/v1alpha1:ScaledJob');
  expect(JSON.stringify(scaled.inputs)).toContain(`projects/ml-dev-example/subscriptions/${subscription.inputs.name}`);
  const grants = recorder.of('gcp:pubsub/subscriptionIAMMember:SubscriptionIAMMember').map(({ inputs }) => inputs.member);
  expect(grants).toContain('principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/ml-dev-example.svc.id.goog/subject/ns/ml/sa/launcher');
});
