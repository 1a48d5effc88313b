import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'progress');

const checkpoints = new PersistentVolumeClaim(chart, 'Checkpoints', {
  metadata: { name: 'checkpoints' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_ONCE],
  storage: Size.gibibytes(1),
});

new TrainingJob(chart, 'Line', {
  metadata: { name: 'line' },
  framework: Framework.plain(),
  image: 'registry.example/line:1',
  command: ['node', 'train.mjs'],
  replicas: 1,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(512) },
  hyperparameters: { STEPS: '200', CHECKPOINT_EVERY: '10' },
  checkpoint: Checkpoint.onClaim(checkpoints, { keepLast: 3, gracePeriod: Duration.seconds(10) }),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoffLimit: 3 },
});

app.synth();
