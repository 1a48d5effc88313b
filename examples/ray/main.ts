import { App, Chart, Cron, Duration, Size } from 'cdk8s';
import { Cpu, Secret } from 'cdk8s-plus-28';
import { Accelerator } from 'trainyard';
import {
  RayAuthentication, RayCluster, RayCronJob, RayDeletionPolicy, RayFaultTolerance, RayJob, RayJobEnd, RayService, type RayClusterOptions,
} from 'trainyard/ray';

const app = new App();
const chart = new Chart(app, 'ray', { namespace: 'team-a' });

const image = 'rayproject/ray:2.54.0-py311';

// A cluster for the team: workers come when somebody needs them, and a lost head comes back with its state.
const team = new RayCluster(chart, 'Team', {
  metadata: { name: 'team' },
  image,
  head: { runsTasks: false, resources: { cpu: Cpu.units(4), memory: Size.gibibytes(16) } },
  workerGroups: [
    { name: 'cpu', resources: { cpu: Cpu.units(8), memory: Size.gibibytes(32) }, minReplicas: 1, maxReplicas: 10 },
    {
      name: 'l4',
      image: 'rayproject/ray:2.54.0-py311-gpu',
      accelerator: Accelerator.NVIDIA_L4.count(1),
      resources: { cpu: Cpu.units(8), memory: Size.gibibytes(32) },
      maxReplicas: 4,
      idleTimeout: Duration.minutes(10),
    },
  ],
  autoscaler: { idleTimeout: Duration.minutes(1) },
  faultTolerance: RayFaultTolerance.ownRedis({ password: { secret: Secret.fromSecretName(chart, 'RedisPassword', 'ray-redis'), key: 'password' } }),
  authentication: RayAuthentication.token(),
});

// The dashboard for people of the company's network, and no other port.
team.exposeDashboard({ annotations: { 'networking.gke.io/load-balancer-type': 'Internal' } });

// A program on it, every night.
new RayCronJob(chart, 'Report', {
  metadata: { name: 'report' },
  schedule: Cron.schedule({ minute: '0', hour: '3' }),
  timeZone: 'Europe/Berlin',
  job: { entrypoint: 'python report.py', onCluster: team, runtimeEnv: { workingDir: 'gs://code/report.zip' } },
});

// A program on a TPU slice of 16 chips: one replica of four hosts, which goes with the job; a failed one stays for a day to be looked at.
new RayJob(chart, 'Train', {
  metadata: { name: 'train' },
  entrypoint: 'python train.py',
  cluster: {
    image,
    workerGroups: [{ name: 'tpu', accelerator: Accelerator.tpuV6e('4x4').perHost(), resources: { cpu: Cpu.units(40), memory: Size.gibibytes(200) } }],
  },
  retries: 2,
  activeDeadline: Duration.hours(12),
  preRunningDeadline: Duration.minutes(30),
  deletionRules: [
    { policy: RayDeletionPolicy.CLUSTER, end: RayJobEnd.SUCCEEDED },
    { policy: RayDeletionPolicy.WORKERS, end: RayJobEnd.FAILED },
    { policy: RayDeletionPolicy.CLUSTER, end: RayJobEnd.FAILED, after: Duration.days(1) },
    { policy: RayDeletionPolicy.CLUSTER, end: RayJobEnd.GIVEN_UP },
  ],
});

// A model behind an address. A changed image starts a new cluster beside the one that serves.
const cluster: RayClusterOptions = {
  image: 'rayproject/ray-llm:2.54.0-py311-cu128',
  workerGroups: [{
    name: 'l4', accelerator: Accelerator.NVIDIA_L4.count(1), resources: { cpu: Cpu.units(8), memory: Size.gibibytes(32) }, minReplicas: 1, maxReplicas: 8,
  }],
  autoscaler: {},
};
new RayService(chart, 'Chat', {
  metadata: { name: 'chat' },
  cluster,
  applications: [{
    name: 'chat',
    importPath: 'chat.app:chat',
    runtimeEnv: { workingDir: 'https://example.org/chat-1.zip' },
    deployments: [{ name: 'Model', gpus: 1, autoscaling: { minReplicas: 1, maxReplicas: 8, targetOngoingRequests: 4 }, maxOngoingRequests: 8 }],
  }],
});

app.synth();
