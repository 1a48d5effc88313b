import * as path from 'node:path';
import { ApiObject, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Accelerator, Framework, Gpu, TrainingJob } from 'trainyard';
import { EnvironmentName, Environments, type EnvironmentProps } from 'trainyard/gitops';
import { ArgoCdLayout, ComponentName, KubeflowPlatform, PlatformComponent, PlatformEnvironment, PlatformPreset, Team } from 'trainyard/platform';
import { ClusterQueue, Quota, ResourceFlavor } from 'trainyard/queues';

/** Sizes and quotas, and a cluster each. What runs there, and how it gets there, stands in environments.yaml. */
function environment(name: EnvironmentName, server: string, replicas: number): EnvironmentProps {
  return {
    name,
    server,
    sizes: {
      train: { replicas, accelerator: Accelerator.NVIDIA_H100_80GB.count(8), resources: { cpu: Cpu.units(96), memory: Size.gibibytes(512) } },
    },
    quotas: { vision: { gpu: Gpu.nvidia(2 * 8 * replicas), trainingJobs: 20 * replicas } },
  };
}

const environments = new Environments({
  settings: path.join(__dirname, 'environments.yaml'),
  environments: [
    environment(EnvironmentName.DEV, 'https://10.10.0.1', 1),
    environment(EnvironmentName.QA, 'https://10.20.0.1', 1),
    environment(EnvironmentName.STRESS, 'https://10.30.0.1', 8),
    environment(EnvironmentName.PROD, 'https://10.40.0.1', 4),
  ],
});

for (const each of environments.all) {
  const { replicas, accelerator, resources } = each.size('train');

  const platform = new KubeflowPlatform(each, 'Platform', {
    name: `ml-${each.name}`,
    environment: PlatformEnvironment.GKE,
    preset: PlatformPreset.TRAINING,
    components: [PlatformComponent.of(ComponentName.KUEUE, { version: each.version('kueue') })],
    delivery: each.argoCd({ repository: 'https://github.com/example/ml-platform.git', layout: ArgoCdLayout.APPLICATION_SET }),
    charts: ['teams'],
  });
  const teams = platform.chart('teams');

  const quota = each.quota('vision');
  const clusterQueue = new ClusterQueue(teams, 'Queue', {
    name: 'vision',
    namespaces: [each.namespace('vision')],
    resourceGroups: [{ flavors: [{ flavor: new ResourceFlavor(teams, 'Nodes', { name: 'nodes' }), quotas: [Quota.gpu(quota.gpu!)] }] }],
    uncountedResources: ['cpu', 'memory'],
  });
  const vision = new Team(teams, 'Vision', { name: each.namespace('vision'), members: { groups: ['vision@example.com'] }, clusterQueue, quota });

  new TrainingJob(teams, 'Train', {
    metadata: { name: 'train', namespace: vision.namespaceName },
    framework: Framework.pytorch(),
    image: each.image('train'),
    command: ['torchrun', 'train.py'],
    replicas,
    accelerator,
    resources,
    scheduling: { queueName: vision.queueName },
  });
}

// Load is made where nobody waits for an answer.
const stress = environments.environment('stress');
const load = new ApiObject(stress.chart('load'), 'Load', {
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'load', namespace: stress.namespace('vision') }, data: { jobsPerMinute: '60' },
});
stress.onlyHere(load, 'load is made in this environment alone');

environments.synth();
