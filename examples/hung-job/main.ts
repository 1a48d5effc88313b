import { App, Chart, Duration } from 'cdk8s';
import { Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'hung-job');

new TrainingJob(chart, 'Hangs', {
  metadata: { name: 'hangs' },
  framework: Framework.pytorch(),
  image: 'registry.example/hangs:1',
  command: ['python3', 'train.py'],
  replicas: 2,
  debug: true,
  preflight: {},
  runPolicy: {
    restartPolicy: RestartPolicy.ON_FAILURE,
    backoff: { initial: Duration.seconds(1) },
    stall: { timeout: Duration.seconds(5) },
  },
});

app.synth();
