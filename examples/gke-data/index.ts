import { Config, getStack } from '@pulumi/pulumi';
import { App, Chart, Size } from 'cdk8s';
import { Cpu, EnvValue, Namespace, Secret, ServiceAccount } from 'cdk8s-plus-28';
import { Accelerator, Checkpoint, Framework, Gpu, TrainingOperator } from 'trainyard';
import { EventDrivenTraining, EventSource } from 'trainyard/events';
import { RayCluster, RayFaultTolerance } from 'trainyard/ray';
import {
  AlloyDb, BigQueryDataset, ChartDeployment, PrivateServiceAccess, PubSubTopic, RedisForRay, TrainingStack, type AlloyDbArgs, type TrainingStackArgs,
} from 'trainyard/stacks';

// What differs between dev, qa, stress and prod stands in Pulumi.STACK.yaml; what all of them have stands here.
const config = new Config();
const project = new Config('gcp').require('project');
const location = config.require('location');
const region = location.replace(/-[a-z]$/, '');
const labels = { environment: getStack() };

const app = new App();
const operator = new Chart(app, 'operator');
new TrainingOperator(operator, 'TrainingOperator');

const team = new Chart(app, 'team');
new Namespace(team, 'Namespace', { metadata: { name: 'ml' } });
new ServiceAccount(team, 'Trainer', { metadata: { name: 'trainer', namespace: 'ml' }, automountToken: true });
const launcher = new ServiceAccount(team, 'Launcher', { metadata: { name: 'launcher', namespace: 'ml' }, automountToken: true });

// Cluster, pools and stores; Ray's operator, queues, and KEDA, which looks for messages.
const stack = new TrainingStack('data', {
  location,
  cluster: config.requireObject<NonNullable<TrainingStackArgs['cluster']>>('cluster'),
  pools: config.requireObject<NonNullable<TrainingStackArgs['pools']>>('pools'),
  files: config.getObject<NonNullable<TrainingStackArgs['files']>>('files'),
  buckets: { runs: { forceDestroy: getStack() !== 'prod', retention: [{ prefix: 'scratch/', deleteAfterDays: 14 }] } },
  identities: {
    trainer: { namespace: 'ml', account: 'trainer' },
    launcher: { namespace: 'ml', account: 'launcher', buckets: [] },
    keda: { namespace: 'keda', account: 'keda-operator', buckets: [], grants: [{ kind: 'Project', resource: `projects/${project}`, role: 'roles/monitoring.viewer' }] },
  },
  platform: { components: ['kuberay', 'jobset', 'kueue', 'keda'] },
  charts: { operator: { chart: operator }, team: { chart: team } },
  queues: config.requireObject<NonNullable<TrainingStackArgs['queues']>>('queues'),
  labels,
});
const trainer = stack.identities.get('trainer')!.member;

// Messages that start jobs, the metrics that jobs write, and the features that they read.
const datasets = new PubSubTopic('datasets', {
  subscriptions: { 'dataset-jobs': { ackDeadlineSeconds: 120, deadLetters: { maxAttempts: 10 }, subscribers: [stack.identities.get('launcher')!.member] } },
  regions: [region],
  labels,
});
const metrics = new BigQueryDataset('ml-metrics', {
  location: region,
  tables: {
    steps: {
      columns: [
        { name: 'at', type: 'TIMESTAMP', mode: 'REQUIRED' }, { name: 'run', type: 'STRING', mode: 'REQUIRED' }, { name: 'step', type: 'INT64' },
        { name: 'values', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'name', type: 'STRING' }, { name: 'value', type: 'FLOAT64' }] },
      ],
      partition: { by: 'DAY', column: 'at', expirationDays: config.requireNumber('metricsDays') },
      clusterBy: ['run'],
      requirePartitionFilter: true,
    },
  },
  access: [{ role: 'roles/bigquery.dataEditor', member: trainer }],
  forceDestroy: getStack() !== 'prod',
  deletionProtection: getStack() === 'prod',
  labels,
});
const services = new PrivateServiceAccess('services', { network: stack.cluster.network });
const features = new AlloyDb('features', {
  ...config.requireObject<Pick<AlloyDbArgs, 'cpus' | 'highAvailability' | 'readPools' | 'deletionProtection'>>('features'),
  region, network: services, password: config.requireSecret('databasePassword'), clients: [trainer], labels,
});

// The head of Ray keeps its state in Redis. A Service of the namespace stands for it, so that manifests name no address.
const redis = new RedisForRay('ray', { region, network: stack.cluster.network, memoryGiB: config.requireNumber('redisGiB'), highAvailability: getStack() === 'prod', labels });
const REDIS = 'ray-redis';
const ports = [{ name: 'redis', port: 6379, protocol: 'TCP' }];
const connection = new ChartDeployment('connection', {
  chart: [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: REDIS, namespace: 'ml' }, spec: { clusterIP: 'None', ports } },
    {
      apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: REDIS, namespace: 'ml', labels: { 'kubernetes.io/service-name': REDIS } },
      addressType: 'IPv4', ports, endpoints: [{ addresses: [redis.instance.host] }],
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: REDIS, namespace: 'ml' }, stringData: { password: redis.password } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'features', namespace: 'ml' }, stringData: { host: features.host, password: features.credentials.apply(({ password }) => password) } },
  ],
}, { provider: stack.provider, dependsOn: [stack.charts.get('team')!] });

const jobs = new Chart(app, 'jobs', { namespace: 'ml' });
new RayCluster(jobs, 'Team', {
  metadata: { name: 'team' },
  image: 'rayproject/ray:2.54.0-py311-gpu',
  head: { runsTasks: false, resources: { cpu: Cpu.units(4), memory: Size.gibibytes(16) } },
  workerGroups: [{
    name: 'l4', accelerator: Accelerator.NVIDIA_L4.count(1), resources: { cpu: Cpu.units(6), memory: Size.gibibytes(24) }, maxReplicas: config.requireNumber('rayWorkers'),
  }],
  autoscaler: {},
  faultTolerance: RayFaultTolerance.redis(`${REDIS}.ml:6379`, { password: EnvValue.fromSecretValue({ secret: Secret.fromSecretName(jobs, 'Redis', REDIS), key: 'password' }) }),
});
new EventDrivenTraining(jobs, 'OnDataset', {
  metadata: { name: 'on-dataset' },
  source: EventSource.pubSub(`projects/${project}/subscriptions/dataset-jobs`),
  maxRunningJobs: 2,
  launcherServiceAccount: launcher,
  job: {
    framework: Framework.pytorch(),
    image: 'registry.example/train:1',
    command: ['torchrun', 'train.py'],
    replicas: 2,
    resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(6), memory: Size.gibibytes(24) },
    checkpoint: Checkpoint.at('gs://runs/on-dataset'),
    scheduling: { queueName: 'team' },
  },
});
new ChartDeployment('jobs', { chart: jobs }, { provider: stack.provider, dependsOn: [connection, ...stack.charts.values()] });

export const cluster = stack.cluster.name;
export const subscription = datasets.subscriptions.get('dataset-jobs');
export const steps = metrics.tables.get('steps');
export const featureStore = features.instanceUri;
