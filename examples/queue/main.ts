import { App, Chart, Duration } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gang, RestartPolicy, TopologyMode, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'queue');

// In a queue of Kueue: quota, priority, preemption.
new TrainingJob(chart, 'Queued', {
  metadata: { name: 'queued', namespace: 'team-a' },
  framework: Framework.jax(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py'],
  replicas: 4,
  resources: { cpu: Cpu.units(4) },
  scheduling: { queueName: 'team-a', queuePriorityClassName: 'production' },
  checkpoint: Checkpoint.at('/checkpoints', { gracePeriod: Duration.minutes(2) }),
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

app.synth();
