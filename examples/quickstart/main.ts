import { App, Chart } from 'cdk8s';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'quickstart');

new TrainingJob(chart, 'Digits', {
  metadata: { name: 'digits' },
  framework: Framework.jax(),
  image: 'registry.example/digits:1',
  command: ['python3', 'train.py'],
  replicas: 2,
  hyperparameters: { EPOCHS: '20', LEARNING_RATE: '0.1' },
  checkpoint: Checkpoint.at('/checkpoints'),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
});

app.synth();
