import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, Probe } from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, TrainingJob } from 'trainyard';
import { InferenceRoute, InferenceService, ModelCredentials, ModelFormat, ModelStorage, ScaleMetric, ServingMode } from 'trainyard/serving';

const app = new App();
const chart = new Chart(app, 'serving', { namespace: 'team-a' });

// The job exports each run into a folder of the bucket.
const training = (run: string) => new TrainingJob(chart, `Train-${run}`, {
  metadata: { name: `vision-${run}` },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py', '--export'],
  replicas: 2,
  resources: { gpu: Gpu.nvidia(1) },
  checkpoint: Checkpoint.at(`gs://runs/vision/${run}`),
});

// What the first run has left, behind an address.
const vision = InferenceService.fromCheckpoint(chart, 'Vision', training('v1'), {
  metadata: { name: 'vision' },
  mode: ServingMode.STANDARD,
  path: 'export',
  model: {
    format: ModelFormat.ONNX,
    resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(4), memory: Size.gibibytes(16) },
    scaling: { minReplicas: 2, maxReplicas: 6, metrics: [ScaleMetric.cpu(70)] },
    startup: Probe.fromHttpGet('/v2/health/ready', { failureThreshold: 60, periodSeconds: Duration.seconds(10) }),
  },
  credentials: ModelCredentials.gcpWorkloadIdentity('models@project.iam.gserviceaccount.com'),
});

// The second run gets a tenth of the requests. When it has proved itself, the next commit adds .promote() to the line; when it has not, .rollback().
vision.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.fromCheckpoint(training('v2'), 'export') });

const route = new InferenceRoute(chart, 'Route', {
  metadata: { name: 'vision' },
  gateways: [{ name: 'public', namespace: 'gateways' }],
  hostnames: ['vision.example.org'],
  timeout: Duration.seconds(30),
});
route.addService(vision);

app.synth();
