import { App, Chart, Size } from 'cdk8s';
import { Accelerator, Framework, GpuSharing, MigSize, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'accelerators');

// Two whole A3 High machines: eight H100 each, with GPUDirect-TCPX.
new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'pretrain' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 2,
  accelerator: Accelerator.NVIDIA_H100_80GB.count(8),
  resources: { memory: Size.gibibytes(1600) },
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

// One slice of sixteen TPU chips: four hosts, each a replica.
new TrainingJob(chart, 'Slice', {
  metadata: { name: 'slice' },
  framework: Framework.jax(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py'],
  replicas: 4,
  accelerator: Accelerator.tpuV6e('4x4').perHost(),
});

// A third of a seventh of an H100, to see whether the program starts at all.
new TrainingJob(chart, 'Smoke', {
  metadata: { name: 'smoke' },
  framework: Framework.plain(),
  image: 'registry.example/train:1',
  command: ['python3', 'train.py', '--steps=10'],
  replicas: 1,
  accelerator: Accelerator.NVIDIA_H100_80GB.partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3)).count(1),
});

app.synth();
