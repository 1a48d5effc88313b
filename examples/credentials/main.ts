import { App, Chart, Size } from 'cdk8s';
import { Cpu, Secret } from 'cdk8s-plus-28';
import { Credentials, Framework, Gpu, ManagedSecret, RemoteSecret, SecretStoreRef, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'credentials', { namespace: 'ml' });

// A Secret that somebody has made.
const buckets = Credentials.secret(Secret.fromSecretName(chart, 'Buckets', 'bucket-keys'));

// A Secret that External Secrets keeps like the store.
const tokens = Credentials.externalSecret(chart, 'Tokens', {
  metadata: { name: 'tokens' },
  store: SecretStoreRef.cluster('gcp-secret-manager'),
  keys: { WANDB_API_KEY: RemoteSecret.named('wandb-api-key') },
});

// Files of Secret Manager, which are in no Secret at all.
const hub = Credentials.secretManager(chart, 'Hub', {
  metadata: { name: 'hub' },
  project: 'ml-prod',
  secrets: { token: ManagedSecret.named('hugging-face-token', { version: '3' }) },
});

new TrainingJob(chart, 'Finetune', {
  metadata: { name: 'finetune' },
  framework: Framework.pytorch(),
  image: 'registry.example/finetune:1',
  replicas: 2,
  resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(8), memory: Size.gibibytes(32) },
  credentials: [
    buckets.asEnvironment({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }),
    tokens.asEnvironment(),
    hub.asFiles('/var/run/secrets/hub', { variables: { HF_TOKEN_PATH: 'token' } }),
  ],
});

app.synth();
