import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'hung-job');

new TrainingJob(chart, 'Hangs', {
  metadata: { name: 'hangs' },
  framework: Framework.pytorch(),
  image: 'registry.example/hangs:1',
  command: ['python3', 'train.py'],
  replicas: 2,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(512) },
  debug: true,
  preflight: {},
  runPolicy: {
    restartPolicy: RestartPolicy.ON_FAILURE,
    backoff: { initial: Duration.seconds(1) },
    stall: { timeout: Duration.seconds(5) },
  },
});

app.synth();
