import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'blog', { namespace: 'ml-workloads' });

// The blog's MLTrainingJob, as it stands in training-job.yaml, written with types.
new TrainingJob(chart, 'Training', {
  metadata: { name: 'pytorch-distributed-training' },
  framework: Framework.pytorch(),
  image: 'pytorch/pytorch:2.0.0-cuda11.8-cudnn8-runtime',
  replicas: 4,
  resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(16), cpu: Cpu.units(4) },
  hyperparameters: { BATCH_SIZE: '32', LEARNING_RATE: '0.001', EPOCHS: '100' },
  checkpoint: Checkpoint.at('s3://ml-checkpoints/pytorch-training/'),
});

app.synth();
