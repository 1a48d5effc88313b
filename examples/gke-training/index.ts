import { Config, getStack } from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { Namespace, ServiceAccount } from 'cdk8s-plus-28';
import { TrainingOperator } from 'trainyard';
import { GpuNetwork, TrainingStack, type GpuNetworkArgs, type TrainingStackArgs } from 'trainyard/stacks';

// What differs between dev, qa, stress and prod stands in Pulumi.STACK.yaml; what all of them have stands here.
const config = new Config();
const location = config.require('location');
const ownPools = config.requireObject<NonNullable<TrainingStackArgs['pools']>>('pools');

// Networks between GPUs of different machines, where GKE does not make them itself; pods ask for the interfaces by the names of its objects.
const fast = config.getObject<GpuNetworkArgs>('gpuNetwork');
const network = fast && new GpuNetwork('gpu', fast);
const pools = Object.fromEntries(Object.entries(ownPools).map(([name, pool]) => [name, network !== undefined && pool.machineType === fast?.machineType
  ? { ...pool, network: { ...pool.network as object, additionalNetworks: network.additionalNetworks } } : pool]));

const app = new App();

const operator = new Chart(app, 'operator');
new TrainingOperator(operator, 'TrainingOperator');

// The namespace that jobs are submitted to, and the account that they run as.
const team = new Chart(app, 'team');
new Namespace(team, 'Namespace', { metadata: { name: 'ml' } });
new ServiceAccount(team, 'Trainer', { metadata: { name: 'trainer', namespace: 'ml' }, automountToken: true });

const stack = new TrainingStack('train', {
  location,
  cluster: config.requireObject<NonNullable<TrainingStackArgs['cluster']>>('cluster'),
  pools,
  buckets: { checkpoints: config.requireObject<NonNullable<TrainingStackArgs['buckets']>[string]>('checkpoints') },
  registry: { repository: 'training' },
  identities: { trainer: { namespace: 'ml', account: 'trainer' } },
  charts: {
    operator: { chart: operator },
    team: { chart: team, after: ['operator'] },
    ...(network && { networks: { chart: network.objects } }),
  },
  labels: { environment: getStack() },
});

export const cluster = stack.cluster.name;
export const checkpoints = stack.buckets.get('checkpoints')!.url;
export const images = stack.registry!.url;
