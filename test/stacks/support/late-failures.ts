/**
 * A program whose outputs resolve to something that breaks a rule. It runs in a process of its own, because Pulumi ends such a program by a
 * rejection that nobody handles;
 * it prints, for each case, the first of those and the types that were registered by then.
 */
import * as pulumi from '@pulumi/pulumi';
import {
  AlloyDb, ArtifactRegistry, BigQueryDataset, CheckpointBucket, CloudSqlForKubeflow, FilestoreStore, GkeCluster, GpuNetwork, GpuNodePool,
  KubeflowOnGkeStack, PlatformDeployment, PrivateServiceAccess, PubSubTopic,
  RedisForRay, TrainingStack, WorkloadIdentityBinding, type PlatformDeploymentArgs,
} from '../../../src/stacks';

const late = <T>(value: T): pulumi.Output<T> => pulumi.output(new Promise<T>((resolve) => {
  setImmediate(() => resolve(value));
})) as pulumi.Output<T>;

const CLUSTER = { name: 'ml', location: 'europe-west4', project: 'ml-test' };
const L4 = { cluster: CLUSTER, machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 }, zones: ['europe-west4-a'], size: { totalMin: 0, totalMax: 4 } };
const TRAINER = { project: 'ml-test', projectNumber: '123456789', namespace: 'ml', account: 'trainer' };

const DATABASE = { project: 'ml-test', region: 'europe-west4', network: 'projects/ml-test/global/networks/train', connectNetwork: false, password: pulumi.secret('made-up') };

const FILES = { project: 'ml-test', location: 'europe-west4-a', capacityGiB: 1024, network: 'train' };
const STACK = { project: 'ml-test', location: 'europe-west4' };
const KUBEFLOW: Pick<PlatformDeploymentArgs, 'preset' | 'identity' | 'charts' | 'secrets'> = {
  preset: 'full',
  identity: { kind: 'dex', secretName: 'sign-in', connectors: [{ id: 'company', type: 'ldap', name: 'Company', config: {}, secrets: {} }] },
  charts: { 'training-operator': [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trainyard-system' } }] },
  secrets: ['auth', 'oauth2-proxy'].map((namespace) => ({ name: 'sign-in', namespace, data: { 'client-id': 'a', 'client-secret': 'made-up', 'cookie-secret': 'made-up' } })),
};

/** Cases by what is wrong in them. */
const CASES: { readonly [name: string]: () => unknown } = {
  'a field of a cluster': () => new GkeCluster('x', { project: 'ml-test', location: late('Europe'), nodeServiceAccount: 'nodes@ml-test.iam.gserviceaccount.com' }),
  'two fields of a cluster': () => new GkeCluster('x', { project: 'ml-test', location: 'europe-west4', zones: late(['europe-west1-b']) as pulumi.Input<string[]> }),
  'a field inside of another': () => new GkeCluster('x', { project: 'ml-test', location: 'europe-west4', systemPool: { minPerZone: late(-1) } }),
  'a machine type of a pool': () => new GpuNodePool('x', { ...L4, machineType: late('n2-standard-8') }),
  'a topology of a workload policy': () => new GpuNodePool('x', {
    cluster: CLUSTER, machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, zones: ['europe-west4-b'], size: { nodes: 18 },
    workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: late('1x64') },
  }),
  'a name in a bucket': () => new CheckpointBucket('x', { name: late('Runs'), location: 'europe-west4' }),
  'a member in a list': () => new ArtifactRegistry('x', { project: 'ml-test', location: 'europe-west4', readers: [late('nobody')] }),
  'a resource of a grant': () => new WorkloadIdentityBinding('x', { ...TRAINER, grants: [{ kind: 'StorageBucket', resource: late('gs://runs'), role: 'roles/storage.objectUser' }] }),
  'a machine of a database': () => new CloudSqlForKubeflow('x', { ...DATABASE, tier: late('n1-standard-2') }),
  'cores of a machine': () => new AlloyDb('x', { ...DATABASE, cpus: late(4), machineType: 'n2-highmem-8' }),
  'attempts of a subscription': () => new PubSubTopic('xyz', { project: 'ml-test', projectNumber: '123456789', subscriptions: { jobs: { deadLetters: { maxAttempts: late(3) } } } }),
  'an id of a dataset': () => new BigQueryDataset('x', { project: 'ml-test', location: 'europe-west4', dataset: late('ml-runs') }),
  'a size of a file share': () => new FilestoreStore('x', { ...FILES, capacityGiB: late(100) }),
  'a tier of a file share and its place': () => new FilestoreStore('x', { ...FILES, tier: late('regional') }),
  'a region of a Redis': () => new RedisForRay('x', { project: 'ml-test', network: 'train', region: late('europe-west4-a') }),
  'memory of a Redis': () => new RedisForRay('x', { project: 'ml-test', network: 'train', region: 'europe-west4', memoryGiB: late(0) }),
  'a zone of networks': () => new GpuNetwork('x', { project: 'ml-test', machineType: 'a3-megagpu-8g', zone: late('europe-west4') }),
  'a project of networks': () => new GpuNetwork('x', { project: late('123456789'), machineType: 'a3-megagpu-8g', zone: 'europe-west4-b' }),
  'a range of services': () => new PrivateServiceAccess('x', { project: 'ml-test', network: 'train', prefixLength: late(28) }),
  'an address of services': () => new PrivateServiceAccess('x', { project: 'ml-test', network: 'train', prefixLength: 16, address: late('10.96.1.0') }),
  'a place of a whole stack': () => new TrainingStack('x', { ...STACK, location: late('Europe'), buckets: { runs: {} } }),
  'a share of a whole stack': () => new TrainingStack('x', { ...STACK, files: { data: { location: 'europe-west4-a', capacityGiB: late(100) } } }),
  'an account of a whole stack': () => new TrainingStack('x', { ...STACK, buckets: { runs: {} }, identities: { trainer: { namespace: 'ml', account: late('default') } } }),
  'a database of Kubeflow': () => new KubeflowOnGkeStack('x', { ...STACK, platform: KUBEFLOW, database: { password: pulumi.secret('made-up'), tier: late('n1-standard-2') } }),
  'an instance of a platform': () => new PlatformDeployment('x', { ...KUBEFLOW, database: { kind: 'cloud-sql', instance: late('kfp'), privateIp: true } }),
};

async function main(): Promise<void> {
  const results: { [name: string]: { error: string; registered: string[] } } = {};
  let rejections: string[] = [];
  process.on('unhandledRejection', (error) => rejections.push(String((error as Error).message)));
  for (const [name, make] of Object.entries(CASES)) {
    const registered: string[] = [];
    rejections = [];
    await pulumi.runtime.setMocks({
      newResource({ type, name: made, inputs }) {
        registered.push(type);
        return { id: made, state: inputs };
      },
      call: () => ({}),
    }, 'training', 'test');
    make();
    // Promises of promises, each a turn of the event loop; no clock.
    for (let turn = 0; turn < 200; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    results[name] = { error: rejections[0], registered };
  }
  console.log(JSON.stringify(results));
  process.exit(0);
}

void main();
