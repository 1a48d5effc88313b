import { App, Duration, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Framework, Gpu, RestartPolicy, TrainingJob } from 'trainyard';
import { ArgoCdJobs } from 'trainyard/gitops';
import { Delivery, KubeflowPlatform, PlatformComponent, PlatformEnvironment, PodSecurityLevel, Team } from 'trainyard/platform';
import { ClusterQueue, Quota, ResourceFlavor, WorkloadPriorityClass } from 'trainyard/queues';

const app = new App();

// The operator, then a team with its queue, then its jobs. Argo CD goes on when what came before is healthy.
const platform = new KubeflowPlatform(app, 'gitops', {
  environment: PlatformEnvironment.OTHER,
  components: [PlatformComponent.trainingOperator()],
  charts: ['team', 'jobs'],
  delivery: Delivery.argoCd({ repository: 'https://git.example/ml.git' }),
});

const team = platform.chart('team');
const h100 = new ResourceFlavor(team, 'H100', { name: 'h100', nodeLabels: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } });
const clusterQueue = new ClusterQueue(team, 'Queue', {
  name: 'vision',
  namespaces: ['vision'],
  resourceGroups: [{ flavors: [{ flavor: h100, quotas: [Quota.gpu(Gpu.nvidia(32)), Quota.cpu(Cpu.units(384)), Quota.memory(Size.tebibytes(4))] }] }],
});
new WorkloadPriorityClass(team, 'Deadline', { name: 'deadline', value: 1000, description: 'Work that somebody waits for.' });
const vision = new Team(team, 'Vision', {
  name: 'vision',
  members: { groups: ['vision@example.com'] },
  clusterQueue,
  quota: { gpu: Gpu.nvidia(32), pods: 50 },
  podSecurity: PodSecurityLevel.RESTRICTED,
  rules: { allowedImages: ['registry.example/*'] },
});

const jobs = platform.chart('jobs');

// A job runs once. The next run is a job of another name, and what is done with leaves the program.
function train(name: string, begins: { queueName?: string; suspend?: boolean }): void {
  new TrainingJob(jobs, name, {
    metadata: { name, namespace: vision.namespaceName },
    framework: Framework.pytorch(),
    image: 'registry.example/train:1',
    command: ['torchrun', 'train.py'],
    replicas: 2,
    resources: { gpu: Gpu.nvidia(8), cpu: Cpu.units(96), memory: Size.gibibytes(512) },
    scheduling: { queueName: begins.queueName },
    suspend: begins.suspend,
    security: { restricted: true, runAsUser: 1000, fsGroup: 1000 },
    runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, activeDeadline: Duration.days(2) },
  });
}

train('resnet-1', { queueName: vision.queueName });
// Begins when somebody says so.
train('resnet-2', { suspend: true });

// Nothing that would run again and again under Argo CD.
new ArgoCdJobs(jobs, 'ArgoCdJobs', { over: jobs });

app.synth();
