import { App, Chart, Size } from 'cdk8s';
import { Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'quickstart');

const runs = new PersistentVolumeClaim(chart, 'Runs', {
  metadata: { name: 'runs' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(10),
});

new TrainingJob(chart, 'Digits', {
  metadata: { name: 'digits' },
  framework: Framework.jax(),
  image: 'registry.example/digits:1',
  command: ['python3', 'train.py'],
  replicas: 2,
  resources: { cpu: Cpu.units(2), memory: Size.gibibytes(4) },
  hyperparameters: { EPOCHS: '20', LEARNING_RATE: '0.1' },
  checkpoint: Checkpoint.onClaim(runs),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
});

app.synth();
