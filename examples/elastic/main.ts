import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, Metric, MetricTarget, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-28';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'elastic');

const checkpoints = new PersistentVolumeClaim(chart, 'Checkpoints', {
  metadata: { name: 'checkpoints' },
  accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY],
  storage: Size.gibibytes(10),
});

new TrainingJob(chart, 'Elastic', {
  metadata: { name: 'elastic' },
  framework: Framework.pytorch(),
  image: 'registry.example/elastic:1',
  command: ['python3', '-m', 'torch.distributed.run', 'train.py'],
  replicas: 3,
  resources: { cpu: Cpu.units(1), memory: Size.gibibytes(2) },
  elastic: {
    minReplicas: 2,
    maxReplicas: 6,
    metrics: [Metric.resourceCpu(MetricTarget.averageUtilization(80))],
  },
  checkpoint: Checkpoint.onClaim(checkpoints),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoff: { initial: Duration.seconds(10) } },
});

app.synth();
