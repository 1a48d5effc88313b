import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'hooks');

const runs = new PersistentVolumeClaim(chart, 'Runs', {
  metadata: { name: 'runs' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(1),
});

// Data is prepared once, the model is registered when training has succeeded, and a report is written in any case.
new TrainingJob(chart, 'Line', {
  metadata: { name: 'line' },
  framework: Framework.plain(),
  image: 'registry.example/line:1',
  command: ['python3', 'train.py'],
  replicas: 1,
  resources: { cpu: Cpu.units(1), memory: Size.mebibytes(256) },
  checkpoint: Checkpoint.onClaim(runs, { path: '/runs' }),
  hooks: {
    before: { command: ['python3', 'prepare.py'], timeout: Duration.minutes(10), backoffLimit: 2 },
    after: { command: ['python3', 'register.py'] },
    onExit: { command: ['python3', 'report.py'] },
  },
});

app.synth();
