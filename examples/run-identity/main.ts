import { App, Chart, Size } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { Credentials, Framework, Gpu, RemoteSecret, RestartPolicy, SecretStoreRef, Tracker, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'run-identity', { namespace: 'ml' });

const tokens = Credentials.externalSecret(chart, 'Tokens', {
  metadata: { name: 'tokens' },
  store: SecretStoreRef.cluster('gcp-secret-manager'),
  keys: { WANDB_API_KEY: RemoteSecret.named('wandb-api-key') },
});

const resources = { gpu: Gpu.nvidia(1), cpu: Cpu.units(8), memory: Size.gibibytes(32) };
const image = 'registry.example/digits@sha256:6a2c7a5d9b0e4c1f8d3b6a9e2f5c8b1d4e7a0c3f6b9d2e5a8c1f4b7d0e3a6c9f';

// Pretraining: its id follows from what it says.
new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'pretrain' },
  framework: Framework.pytorch(),
  image,
  command: ['torchrun', 'train.py'],
  replicas: 4,
  resources,
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
  tracker: Tracker.mlflow({ trackingUri: 'https://mlflow.example', experiment: 'digits', tags: { team: 'vision' } }),
});

// What is tuned from it: a run with an id of its own, whose parent is known.
new TrainingJob(chart, 'Tune', {
  metadata: { name: 'tune' },
  framework: Framework.pytorch(),
  image,
  command: ['torchrun', 'tune.py'],
  replicas: 1,
  resources,
  run: { id: 'digits-tuned-3', parent: 'digits-2' },
  tracker: Tracker.wandb({ project: 'digits', credentials: tokens.asEnvironment(), tags: ['tuned'] }),
});

app.synth();
