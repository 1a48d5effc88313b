import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gang, QueueMode, RestartPolicy, TopologyMode, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'queue');

const checkpoints = new PersistentVolumeClaim(chart, 'Checkpoints', {
  metadata: { name: 'checkpoints', namespace: 'team-a' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(100),
});

// In a queue of Kueue: quota, priority, preemption.
new TrainingJob(chart, 'Queued', {
  metadata: { name: 'queued', namespace: 'team-a' },
  framework: Framework.jax(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py'],
  replicas: 4,
  resources: { cpu: Cpu.units(4) },
  scheduling: { queueName: 'team-a', queuePriorityClassName: 'production' },
  checkpoint: Checkpoint.onClaim(checkpoints, { gracePeriod: Duration.minutes(2) }),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

// All or nothing, by the scheduler of this job, with replicas close to each other if that can be.
new TrainingJob(chart, 'Gang', {
  metadata: { name: 'gang', namespace: 'team-a' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py'],
  replicas: 4,
  resources: { cpu: Cpu.units(4) },
  scheduling: {
    gang: Gang.volcano({ queue: 'research', scheduleTimeout: Duration.minutes(5) }),
    topology: { key: 'topology.kubernetes.io/zone', mode: TopologyMode.PREFERRED },
  },
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

// In the queue as a group of plain pods, which a Kueue that knows no MLTrainingJob takes too.
new TrainingJob(chart, 'Group', {
  metadata: { name: 'group', namespace: 'team-a' },
  framework: Framework.plain(),
  image: 'registry.example/sweep:1',
  replicas: 8,
  resources: { cpu: Cpu.units(1) },
  scheduling: { queueName: 'team-a', queueMode: QueueMode.POD_GROUP },
});

// The same job as a gang of each scheduler that there is: only this line differs.
const gangs = { coscheduling: Gang.coscheduling(), kai: Gang.kai({ queue: 'research' }), yunikorn: Gang.yuniKorn(), native: Gang.native({ minAvailable: 2 }) };
Object.entries(gangs).forEach(([name, gang]) => new TrainingJob(chart, name, {
  metadata: { name, namespace: 'team-a' },
  framework: Framework.plain(),
  image: 'registry.example/sweep:1',
  replicas: 4,
  resources: { cpu: Cpu.units(1) },
  scheduling: { gang },
}));

app.synth();
