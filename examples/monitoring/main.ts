import { App, Chart, Duration } from 'cdk8s';
import { Framework, Gpu, IdleAction, TrainingJob, TrainingOperator } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'monitoring');

new TrainingOperator(chart, 'TrainingOperator', {
  prometheusUrl: 'http://kube-prometheus-stack-prometheus.monitoring:9090',
  tracing: { endpoint: 'http://collector.observability:4318', sampleRatio: 0.1 },
  monitoring: {
    // kube-prometheus-stack selects monitors and rules by this label.
    labels: { release: 'kube-prometheus-stack' },
    goodputTarget: 0.9,
    checkpointMaxAge: Duration.hours(1),
  },
});

// Gives its GPUs back when it leaves them unused, as NVIDIA's exporter has it in Prometheus.
new TrainingJob(chart, 'Watched', {
  metadata: { name: 'watched', namespace: 'team-a' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 2,
  resources: { gpu: Gpu.nvidia(8) },
  idle: { belowPercent: 5, duration: Duration.hours(1), action: IdleAction.SUSPEND },
});

app.synth();
