import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Checkpoint, Credentials, Framework, Gpu, ManagedSecret, TrainingJob } from 'trainyard';
import { Grant, WorkloadIdentity } from 'trainyard/gke';

const app = new App();
const chart = new Chart(app, 'identity', { namespace: 'ml' });

const hub = Credentials.secretManager(chart, 'Hub', {
  metadata: { name: 'hub' },
  project: 'ml-prod',
  secrets: { token: ManagedSecret.named('hugging-face-token') },
});

// What the job does, and nothing else.
const identity = new WorkloadIdentity(chart, 'Trainer', {
  metadata: { name: 'trainer' },
  pool: { projectId: 'ml-prod', projectNumber: '123456789012' },
  grants: [
    Grant.bucketReader('ml-prod-datasets'),
    Grant.bucketWriter('ml-prod-checkpoints'),
    Grant.secretReader('ml-prod', 'hugging-face-token'),
  ],
});

new TrainingJob(chart, 'Train', {
  metadata: { name: 'train-with-identity' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  replicas: 2,
  resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(8), memory: Size.gibibytes(32) },
  serviceAccount: identity.serviceAccount,
  checkpoint: Checkpoint.at('gs://ml-prod-checkpoints/train'),
  credentials: [hub.asFiles('/var/run/secrets/hub', { variables: { HF_TOKEN_PATH: 'token' } })],
});

app.synth();
