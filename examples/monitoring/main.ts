import { App, Chart, Duration } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-28';
import { Framework, Gpu, IdleAction, TrainingJob, TrainingOperator } from 'trainyard';
import { LogCollection, Monitoring } from 'trainyard/monitoring';
import { RayCluster } from 'trainyard/ray';
import { InferenceService, ModelFormat, ModelStorage, Predictor, ServingMode } from 'trainyard/serving';

const app = new App();
const chart = new Chart(app, 'monitoring');

// kube-prometheus-stack selects monitors and rules by this label.
const labels = { release: 'kube-prometheus-stack' };

new TrainingOperator(chart, 'TrainingOperator', {
  prometheusUrl: 'http://kube-prometheus-stack-prometheus.monitoring:9090',
  tracing: { endpoint: 'http://collector.observability:4318', sampleRatio: 0.1 },
  monitoring: { labels, goodputTarget: 0.9, checkpointMaxAge: Duration.hours(1), queueMaxWait: Duration.hours(8) },
  metricsNamespaces: ['monitoring'],
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

// One system of a kind, watched by itself ...
new RayCluster(chart, 'Ray', {
  metadata: { name: 'interactive', namespace: 'team-a' }, image: 'rayproject/ray:2.54.0', monitoring: { labels, pendingFor: Duration.minutes(10) },
});
new InferenceService(chart, 'Iris', {
  metadata: { name: 'iris', namespace: 'team-a' },
  mode: ServingMode.STANDARD,
  predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris/1') }),
  monitoring: { labels, errorRatio: 0.01, latency: Duration.millis(300) },
});

// ... and all of a kind, by objects in the namespace of Prometheus.
Monitoring.forSpark(chart, 'Spark', { namespace: 'monitoring', labels });
Monitoring.forGpus(chart, 'Gpus', { namespace: 'monitoring', labels, idleFor: Duration.hours(1) });

// Values of the chart that reads what pods write, for whoever applies charts.
const values = LogCollection.fluentBitValues({ lokiUrl: 'http://loki-gateway.logging', namespaces: ['team-a'] });
new ConfigMap(chart, 'FluentBit', { metadata: { name: 'fluent-bit-values', namespace: 'logging' }, data: { 'values.yaml': JSON.stringify(values, null, 2) } });

app.synth();
