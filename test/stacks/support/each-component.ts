/**
 * One program for each component, which makes all kinds of resources that the component has. What may be an output goes through `put`: the value as
 * it is, an output that resolves late, or one that nobody knows yet.
 */
import * as pulumi from '@pulumi/pulumi';
import { GRANT_RESOURCES, type GrantResourceKind } from '../../../src/model/identity/spec';
import * as stacks from '../../../src/stacks';
import { PLACEHOLDERS } from '../../../src/stacks/identity/workload-identity-binding';

/** A value, or an output of it. */
export type Put = <T>(value: T) => pulumi.Input<T>;

const PROJECT = 'ml-test';
const REGION = 'europe-west4';
const ZONE = 'europe-west4-b';
const EMAIL = `trainer@${PROJECT}.iam.gserviceaccount.com`;
const MEMBER = `serviceAccount:${EMAIL}`;
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml' } };
const KEY = `projects/${PROJECT}/locations/${REGION}/keyRings/ml/cryptoKeys/data`;

const database = (put: Put) => ({
  region: put(REGION), network: put('train'), kmsKey: put(KEY), password: put('made-up'), clients: [put(MEMBER)], iamUsers: [put('user:ada@example.com')],
});

const pool = (put: Put): Omit<stacks.GpuNodePoolArgs, 'cluster'> => ({
  machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 }, zones: [ZONE], size: { totalMin: 0, totalMax: 4 }, labels: { run: put('seven') },
});

const A4X: Omit<stacks.GpuNodePoolArgs, 'cluster'> = {
  machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, zones: [ZONE], size: { nodes: 18 }, network: { gvnic: true, acceleratorNetworkProfile: 'auto' },
  capacity: { reservation: { name: 'gb200' } },
};

const grants = (put: Put): stacks.GrantArgs[] => (Object.keys(GRANT_RESOURCES) as GrantResourceKind[])
  .map((kind) => ({ kind, resource: put(PLACEHOLDERS[kind]), role: kind === 'StorageBucket' ? 'roles/storage.objectUser' : 'roles/example.reader' }));

const platform = (put: Put): Omit<stacks.PlatformDeploymentArgs, 'environment' | 'artifactStore'> => ({
  preset: 'full',
  identity: { kind: 'dex', secretName: 'sign-in', connectors: [{ id: 'company', type: 'ldap', name: 'Company', config: {}, secrets: {} }] },
  charts: { 'training-operator': [NAMESPACE] },
  secrets: ['auth', 'oauth2-proxy'].map((namespace) => ({ name: 'sign-in', namespace, data: { 'client-id': 'kubeflow', 'client-secret': put('made-up'), 'cookie-secret': put('made-up') } })),
});

/** The programs, by the class that they are for. `name` is the name in the program. */
export const PROGRAMS: { readonly [component: string]: (name: string, put: Put) => unknown } = {
  AlloyDb: (name, put) => new stacks.AlloyDb(name, { project: PROJECT, ...database(put), cpus: put(8), readPools: { reports: { nodes: 2 } } }),
  ArtifactRegistry: (name, put) => new stacks.ArtifactRegistry(name, {
    project: put(PROJECT), location: put(REGION), untaggedDays: put(7), readers: [put(MEMBER)], writers: [put(MEMBER)], kmsKey: put(KEY), labels: put({ team: 'vision' }),
  }),
  BigQueryDataset: (name, put) => new stacks.BigQueryDataset(name, {
    project: PROJECT, location: put(REGION), kmsKey: put(KEY), dataset: put('runs'), tables: { steps: { columns: [{ name: 'at', type: 'TIMESTAMP' }] } },
    access: [{ role: 'roles/bigquery.dataEditor', member: put(MEMBER) }],
  }),
  ChartDeployment: (name, put) => new stacks.ChartDeployment(name, {
    chart: [
      NAMESPACE, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', namespace: 'ml' }, stringData: { token: put('made-up') } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'trainer', namespace: 'ml', labels: { run: put('seven') } }, spec: { replicas: put(2) } },
    ],
  }),
  CheckpointBucket: (name, put) => new stacks.CheckpointBucket(name, {
    name: put('ml-runs'), project: put(PROJECT), location: put(REGION), kmsKey: put(KEY), retention: [{ deleteAfterDays: put(7) }], labels: { team: put('vision') },
  }),
  CloudSqlForKubeflow: (name, put) => new stacks.CloudSqlForKubeflow(name, { project: PROJECT, ...database(put), diskGiB: put(50) }),
  FilestoreStore: (name, put) => new stacks.FilestoreStore(name, {
    project: put(PROJECT), location: put(ZONE), tier: put('zonal'), capacityGiB: put(1024), network: put('train'), share: put('data'), protocol: put('NFS_V4_1'),
  }),
  GkeCluster: (name, put) => new stacks.GkeCluster(name, { project: put(PROJECT), location: put(REGION), releaseChannel: put('STABLE'), systemPool: { minPerZone: put(1) } }),
  GpuNetwork: (name, put) => new stacks.GpuNetwork(name, { machineType: 'a3-ultragpu-8g', project: put(PROJECT), zone: put(ZONE) }),
  GpuNodePool: (name, put) => {
    const cluster = { name: put('ml'), location: put(REGION), project: put(PROJECT) };
    return [
      new stacks.GpuNodePool(name, { ...pool(put), cluster, serviceAccount: put(EMAIL), capacity: { reservation: { name: put('l4'), project: put(PROJECT) } } }),
      new stacks.GpuNodePool(`${name}-placed`, { ...A4X, cluster, serviceAccount: put(EMAIL), workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: put('1x72') } }),
    ];
  },
  KubeflowOnGkeStack: (name, put) => new stacks.KubeflowOnGkeStack(name, {
    project: put(PROJECT), location: put(REGION), database: { password: put('made-up'), diskGiB: put(50) }, platform: platform(put), profiles: ['team-a'], pools: { l4: pool(put) },
  }),
  PlatformDeployment: (name, put) => new stacks.PlatformDeployment(name, { ...platform(put), artifactStore: { kind: 'gcs', bucket: put('ml-artifacts') } }),
  PrivateServiceAccess: (name, put) => new stacks.PrivateServiceAccess(name, {
    project: put(PROJECT), network: put('train'), prefixLength: put(20), address: put('10.96.0.0'),
  }),
  PubSubTopic: (name, put) => new stacks.PubSubTopic(name, {
    project: PROJECT, projectNumber: '123456789012', retentionSeconds: put(86_400), kmsKey: put(KEY), publishers: [put(MEMBER)],
    subscriptions: { jobs: { subscribers: [put(MEMBER)], deadLetters: { maxAttempts: put(10) } } },
  }),
  RedisForRay: (name, put) => new stacks.RedisForRay(name, { project: put(PROJECT), region: put(REGION), network: put('train'), memoryGiB: put(4), highAvailability: put(false) }),
  TrainingStack: (name, put) => new stacks.TrainingStack(name, {
    project: put(PROJECT), location: put(ZONE), labels: { team: put('vision') },
    pools: { l4: pool(put) }, buckets: { runs: { softDeleteDays: put(7) } }, registry: { untaggedDays: put(7) },
    files: { data: { location: put(ZONE), capacityGiB: put(1024) } },
    identities: { trainer: { namespace: 'ml', account: put('trainer') } }, platform: { components: ['kueue'] }, charts: { team: { chart: [NAMESPACE] } },
    queues: { team: { namespace: 'ml', quotas: { l4: { 'cpu': '16', 'memory': '64Gi', 'nvidia.com/gpu': '2' } } } },
  }),
  WorkloadIdentityBinding: (name, put) => [
    new stacks.WorkloadIdentityBinding(name, { project: put(PROJECT), projectNumber: put('123456789012'), namespace: put('ml'), account: put('trainer'), grants: grants(put) }),
    new stacks.WorkloadIdentityBinding(`${name}-linked`, { project: put(PROJECT), namespace: put('ml'), account: put('trainer'), googleServiceAccount: put(EMAIL), grants: [] }),
  ],
};
