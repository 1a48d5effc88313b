import { App, Chart, Duration, Size } from 'cdk8s';
import { Accelerator, Engine, FilestoreTier, Framework, RestartPolicy, RwxBackend, RwxCheckpointStore, TrainingJob } from 'trainyard';
import { Grant, WorkloadIdentity } from 'trainyard/gke';

const app = new App();
const chart = new Chart(app, 'storage', { namespace: 'ml' });

// Who writes to buckets, without a key.
const trainer = new WorkloadIdentity(chart, 'Trainer', {
  metadata: { name: 'trainer' },
  pool: { projectId: 'ml-prod', projectNumber: '123456789012' },
  grants: [Grant.bucketWriter('ml-prod-checkpoints')],
});

// Two TiB of Filestore for everybody. Of each series the last three are kept, and nothing that is older than a month but the last one.
const shared = new RwxCheckpointStore(chart, 'Shared', {
  metadata: { name: 'checkpoints' },
  backend: RwxBackend.filestore({ tier: FilestoreTier.ZONAL, network: 'ml', clusterNetwork: 'ml' }),
  size: Size.tebibytes(2),
  zones: ['us-central1-a'],
  mountOptions: ['nconnect=7'],
  user: 1000,
  retention: { keepLast: 3, maxAge: Duration.days(30) },
  // An example, not a price: fill in that of your contract. Synth then says what the store costs.
  pricePerGibibyteMonth: 0.25,
});

new TrainingJob(chart, 'Vision', {
  metadata: { name: 'vision' },
  framework: Framework.pytorch(),
  image: 'registry.example/vision:1',
  replicas: 4,
  accelerator: Accelerator.NVIDIA_L4.count(1),
  security: { runAsUser: 1000 },
  checkpoint: shared.forJob({ keepLast: 3, gracePeriod: Duration.minutes(2) }),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
});

// A bucket in the pods themselves, with a cache in which files are read again.
const bucket = new RwxCheckpointStore(chart, 'Bucket', {
  metadata: { name: 'bucket' },
  backend: RwxBackend.gcsFuse('ml-prod-checkpoints', { inline: true, hierarchicalNamespace: true, cache: { size: Size.gibibytes(100) } }),
});

new TrainingJob(chart, 'Speech', {
  metadata: { name: 'speech' },
  framework: Framework.jax(),
  image: 'registry.example/speech:1',
  replicas: 2,
  accelerator: Accelerator.NVIDIA_L4.count(1),
  serviceAccount: trainer.serviceAccount,
  checkpoint: bucket.forJob(),
});

// Memory of the node, memory of its peers, and a bucket behind them, for a job that saves every minute.
const tiers = new RwxCheckpointStore(chart, 'Tiers', {
  metadata: { name: 'tiers' },
  backend: RwxBackend.multiTier('ml-prod-tiers', { ramDisk: Size.gibibytes(300), machineType: 'a3-highgpu-8g', hierarchicalNamespace: true }),
});

new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'pretrain' },
  framework: Framework.pytorch(),
  image: 'registry.example/pretrain:1',
  command: ['torchrun', 'train.py'],
  replicas: 16,
  accelerator: Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g').count(8),
  checkpoint: tiers.forJob(),
  scheduling: { queueName: 'pretraining' },
  engine: Engine.trainer(),
});

app.synth();
