/** The whole stack, and the example that is made of it: the graph of each of its four environments. */
import * as pulumi from '@pulumi/pulumi';
import { TrainingStack, type TrainingStackArgs } from '../../src/stacks';
import { settled, shutDown, startRecording, valueOf } from './support/mocks';
import { runExample, stableGraph } from './support/run-example';

const ARGS: TrainingStackArgs = { project: 'ml-test', location: 'europe-west4-a' };
const OBJECT = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml' } };

beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

afterEach(() => {
  jest.restoreAllMocks();
  shutDown();
});

describe('the example', () => {
  test.each(['dev', 'qa', 'stress', 'prod'])('%s is these resources', async (stack) => {
    const recorder = await runExample('gke-training', stack);
    expect(stableGraph(recorder)).toMatchSnapshot();
    expect(recorder.of('gcp:container/nodePool:NodePool').map(({ inputs }) => inputs)).toMatchSnapshot();
  });
});

test('charts come after those that they name, and after the nodes that they run on', async () => {
  const recorder = await startRecording();
  const stack = new TrainingStack('train', { ...ARGS, charts: { team: { chart: [OBJECT], after: ['operator'] }, operator: { chart: [{ ...OBJECT, metadata: { name: 'system' } }] } } });
  await settled();
  expect([...stack.charts.keys()]).toEqual(['operator', 'team']);
  expect(recorder.edges.get('kubernetes:core/v1:Namespace train-team:Namespace/ml')!.dependencies).toContain('train-operator:Namespace/system');
});

test('identities write all buckets, or those that they name', async () => {
  const recorder = await startRecording();
  new TrainingStack('train', {
    ...ARGS, buckets: { runs: { name: 'ml-runs' }, data: { name: 'ml-data' } },
    identities: { trainer: { namespace: 'ml', account: 'trainer' }, loader: { namespace: 'ml', account: 'loader', buckets: ['data'] } },
  });
  await settled();
  const grants = recorder.of('gcp:storage/bucketIAMMember:BucketIAMMember').map(({ inputs }) => `${inputs.member.split('/').at(-1)} ${inputs.bucket}`);
  expect(grants.sort()).toEqual(['loader ml-data', 'trainer ml-data', 'trainer ml-runs']);
});

const POOLS: TrainingStackArgs['pools'] = {
  l4: { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 }, size: { minPerZone: 0, maxPerZone: 2 }, taints: [{ key: 'team', value: 'ml', effect: 'NoSchedule' }] },
};
const QUEUE = { namespace: 'ml', quotas: { l4: { 'cpu': '16', 'memory': '64Gi', 'nvidia.com/gpu': '2' }, system: { 'cpu': '8', 'memory': '32Gi', 'nvidia.com/gpu': '0' } } };

test('queues divide the pools, and come after the charts that do not wait for them', async () => {
  const recorder = await startRecording();
  const stack = new TrainingStack('train', {
    ...ARGS, pools: POOLS, queues: { team: { ...QUEUE, fairWeight: 2 } }, platform: { components: ['kueue'] },
    charts: { team: { chart: [OBJECT] }, jobs: { chart: [{ ...OBJECT, metadata: { name: 'jobs' } }], after: ['queues'] } },
  });
  await settled();
  expect(recorder.sorted().filter(({ type }) => type.includes('kueue')).map(({ inputs }) => inputs)).toMatchSnapshot();
  expect([...stack.charts.keys()]).toEqual(['team', 'queues', 'jobs']);
  const after = (name: string) => recorder.edges.get(name)!.dependencies;
  expect(after('kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue train-queues:LocalQueue/ml/team')).toEqual(expect.arrayContaining(['train-team:Namespace/ml', 'train-platform-kueue-kueue']));
  expect(after('kubernetes:core/v1:Namespace train-jobs:Namespace/jobs')).toContain('train-queues:ClusterQueue/team');
});

test('a pool that gets another name by a change has a flavor for that name', async () => {
  const recorder = await startRecording();
  const stack = new TrainingStack('train', { ...ARGS, pools: { l4: { ...POOLS!.l4, blueGreen: true } }, queues: { team: { ...QUEUE, quotas: { l4: { cpu: '16' } } } }, platform: { components: ['kueue'] } });
  await settled();
  const name = await valueOf(stack.pools.get('l4')!.name);
  expect(name).not.toBe('l4');
  expect(recorder.one('kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor').inputs.spec.nodeLabels).toEqual({ 'cloud.google.com/gke-nodepool': name });
});

test('shares of files are on the network of the cluster', async () => {
  const recorder = await startRecording();
  const stack = new TrainingStack('train', { ...ARGS, files: { data: { location: 'europe-west4-a', capacityGiB: 1024 } } });
  await settled();
  expect(recorder.one('gcp:filestore/instance:Instance').inputs.networks[0].network).toBe('train-network-id');
  expect([...stack.files.keys()]).toEqual(['data']);
});

test('in a preview the unknown is left out and the known is shown', async () => {
  const recorder = await startRecording({ preview: true });
  new TrainingStack('train', { ...ARGS, buckets: { runs: {} }, pools: POOLS, queues: { team: QUEUE }, platform: { components: ['kueue'] }, identities: { trainer: { namespace: 'ml', account: 'trainer' } } });
  await settled();
  expect(recorder.one('gcp:container/cluster:Cluster').inputs).toMatchObject({ location: 'europe-west4-a' });
  expect(recorder.one('gcp:storage/bucketIAMMember:BucketIAMMember').inputs.role).toBe('roles/storage.objectUser');
  expect(pulumi.isUnknown(recorder.one('gcp:storage/bucketIAMMember:BucketIAMMember').inputs.bucket)).toBe(true);
});

test.each<[string, Partial<TrainingStackArgs>, string]>([
  ['pool in a queue', { pools: POOLS, queues: { team: { ...QUEUE, quotas: { l5: { cpu: '1' } } } }, platform: { components: ['kueue'] } }, "queues.team.quotas.l5: \"l5\": is not a pool of this stack. Did you mean 'l4'?"],
  ['resource of a queue', { pools: POOLS, queues: { team: { ...QUEUE, quotas: { l4: { cpu: 'many' } } } }, platform: { components: ['kueue'] } }, 'queues.team: spec.resourceGroups'],
  ['chart', { queues: {}, charts: { queues: { chart: [OBJECT] } } }, 'charts.queues: "queues": is the name of the stack\'s queues.'],
  ['cluster without Kueue', { queues: { team: QUEUE } }, 'queues: are Kueue objects, but nothing here installs Kueue.'],
  ['share of files', { buckets: { data: {} }, files: { data: { location: 'europe-west4-a', capacityGiB: 1024 } } }, 'files.data: "data": is also the name of a bucket'],
  ['bucket', { buckets: { runs: {} }, identities: { a: { namespace: 'ml', account: 'a', buckets: ['rnus'] } } }, "identities.a.buckets[0]: \"rnus\": is not a bucket of this stack. Did you mean 'runs'?"],
  ['chart', { charts: { team: { chart: [OBJECT], after: ['operator'] } } }, 'charts.team.after[0]: "operator": is not a chart of this stack. Use one of: team.'],
  ['circle', { charts: { a: { chart: [OBJECT], after: ['b'] }, b: { chart: [OBJECT], after: ['a'] } } }, 'charts: "a -> b -> a": depend on each other.'],
])('a name of a %s that is wrong is refused before anything is registered', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new TrainingStack('train', { ...ARGS, ...args })).toThrow(message);
  expect(recorder.resources).toEqual([]);
});
