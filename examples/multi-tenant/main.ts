import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Framework, Gpu, JobPolicy, RestartPolicy, TrainingJob } from 'trainyard';
import { PodSecurityLevel, SecurityCheck, SecurityChecks, Team } from 'trainyard/platform';
import { ClusterQueue, Cohort, Quota, ReclaimWithinCohort, ResourceFlavor, WorkloadPriorityClass, type ICohort } from 'trainyard/queues';

const app = new App();
const chart = new Chart(app, 'multi-tenant');

// Eight nodes of eight GPUs, 24 of them each team's own. What one does not use the other may borrow, until it is wanted back.
// 16 are for whoever needs them.
const h100 = new ResourceFlavor(chart, 'H100', {
  name: 'h100',
  nodeLabels: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' },
  tolerations: [{ key: 'nvidia.com/gpu' }],
  nodes: { count: 8, gpu: Gpu.nvidia(8) },
});
const company = new Cohort(chart, 'Company', { name: 'company', resourceGroups: [quotas(16, 256, 2)] });
new WorkloadPriorityClass(chart, 'Deadline', { name: 'deadline', value: 1000, description: 'Work that somebody waits for.' });

function quotas(gpus: number, cpus: number, tebibytes: number) {
  return { flavors: [{ flavor: h100, quotas: [Quota.gpu(Gpu.nvidia(gpus)), Quota.cpu(Cpu.units(cpus)), Quota.memory(Size.tebibytes(tebibytes))] }] };
}

function team(name: string, cohort: ICohort, costCenter: string): Team {
  const clusterQueue = new ClusterQueue(chart, `${name}-queue`, {
    name, cohort, namespaces: [name], resourceGroups: [quotas(24, 384, 3)], preemption: { reclaimWithinCohort: ReclaimWithinCohort.ANY },
  });
  return new Team(chart, name, {
    name,
    members: { groups: [`${name}@example.com`] },
    viewers: { groups: ['finance@example.com'] },
    clusterQueue,
    quota: { gpu: Gpu.nvidia(64), cpu: Cpu.units(1024), memory: Size.tebibytes(8), storage: Size.tebibytes(20), trainingJobs: 100 },
    podSecurity: PodSecurityLevel.RESTRICTED,
    network: { fromNamespaces: ['monitoring'] },
    rules: { allowedImages: ['registry.example/*'], queues: [name], queuePriorityClasses: ['deadline'] },
    costLabels: { 'cost-center': costCenter },
  });
}

const vision = team('vision', company, 'cc-17');
const speech = team('speech', company, 'cc-23');

// What holds for all jobs of the company, whoever's they are.
new JobPolicy(chart, 'Jobs', { name: 'jobs', namespaces: ['vision', 'speech'], maxDeadline: Duration.days(7), requiredLabels: { owner: [] } });

for (const { namespaceName, queueName } of [vision, speech]) {
  new TrainingJob(chart, `${namespaceName}-train`, {
    metadata: { name: 'train', namespace: namespaceName, labels: { owner: 'nightly' } },
    framework: Framework.pytorch(),
    image: 'registry.example/train:1',
    command: ['torchrun', 'train.py'],
    replicas: 4,
    resources: { gpu: Gpu.nvidia(8), cpu: Cpu.units(96), memory: Size.gibibytes(512) },
    scheduling: { queueName },
    security: { restricted: true, runAsUser: 1000, fsGroup: 1000 },
    runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, activeDeadline: Duration.days(2) },
  });
}

// Everything that is written here keeps these checks; what does not says why.
SecurityChecks.accept(chart, SecurityCheck.READ_ONLY_ROOT, 'training scripts write caches beside their programs');
new SecurityChecks(chart, 'Security');

app.synth();
