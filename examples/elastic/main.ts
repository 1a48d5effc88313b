import { App, Chart, Duration } from 'cdk8s';
import { Cpu, Metric, MetricTarget } from 'cdk8s-plus-28';
import { Checkpoint, Framework, RestartPolicy, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'elastic');

new TrainingJob(chart, 'Elastic', {
  metadata: { name: 'elastic' },
  framework: Framework.pytorch(),
  image: 'registry.example/elastic:1',
  command: ['python3', '-m', 'torch.distributed.run', 'train.py'],
  replicas: 3,
  resources: { cpu: Cpu.units(1) },
  elastic: {
    minReplicas: 2,
    maxReplicas: 6,
    metrics: [Metric.resourceCpu(MetricTarget.averageUtilization(80))],
  },
  checkpoint: Checkpoint.at('/checkpoints'),
  runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE, backoff: { initial: Duration.seconds(10) } },
});

app.synth();
