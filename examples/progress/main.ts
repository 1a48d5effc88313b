import { App, Chart, Duration } from 'cdk8s';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'progress');

new TrainingJob(chart, 'Line', {
  metadata: { name: 'line' },
  framework: Framework.plain(),
  image: 'registry.example/line:1',
  command: ['node', 'train.mjs'],
  replicas: 1,
  hyperparameters: { STEPS: '200', CHECKPOINT_EVERY: '10' },
  checkpoint: Checkpoint.at('/checkpoints', { keepLast: 3, gracePeriod: Duration.seconds(10) }),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
});

app.synth();
