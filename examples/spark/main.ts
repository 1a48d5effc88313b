import { App, Chart, Duration, Size } from 'cdk8s';
import { PersistentVolumeClaim, Volume } from 'cdk8s-plus-28';
import { Accelerator } from 'trainyard';
import {
  ScheduledSparkApplication, SparkApplication, SparkConcurrency, SparkConnect, SparkEventLog, SparkHistoryServer, SparkIdentity, SparkMonitoring,
  SparkProgram, SparkRestartPolicy,
} from 'trainyard/spark';

const app = new App();
const chart = new Chart(app, 'spark', { namespace: 'team-a' });
const image = 'registry.example/spark-gcs:4.0.1';

// One account for all drivers: it may make executors in this namespace, and read the bucket.
const { serviceAccount } = new SparkIdentity(chart, 'Spark', {
  metadata: { name: 'spark', annotations: { 'iam.gke.io/gcp-service-account': 'spark@project.iam.gserviceaccount.com' } },
});

// What applications tell, and who shows it when they are gone.
const eventLog = SparkEventLog.at('gs://team-a-logs/spark', { rolling: Size.mebibytes(128) });
new SparkHistoryServer(chart, 'History', { metadata: { name: 'spark-history' }, image, eventLog, keep: Duration.days(30) });

// Features of the day, each night, by as many executors as there is work for.
new ScheduledSparkApplication(chart, 'Features', {
  metadata: { name: 'features' },
  schedule: '0 2 * * *',
  timeZone: 'Europe/Berlin',
  concurrency: SparkConcurrency.FORBID,
  image,
  program: SparkProgram.python('gs://team-a-jobs/features.py'),
  dependencies: { pyFiles: ['gs://team-a-jobs/common.zip'] },
  driver: { memory: Size.gibibytes(4) },
  executor: { cores: 4, memory: Size.gibibytes(16) },
  dynamicAllocation: { minExecutors: 2, maxExecutors: 20 },
  restart: { policy: SparkRestartPolicy.ON_FAILURE, failureRetries: 2, failureRetryInterval: Duration.minutes(1) },
  monitoring: SparkMonitoring.servlet(),
  serviceAccount,
  eventLog,
});

// Embeddings on GPUs: each task has one of its own.
const embeddings = new SparkApplication(chart, 'Embeddings', {
  metadata: { name: 'embeddings' },
  image,
  program: SparkProgram.python('local:///opt/app/embed.py'),
  arguments: ['--model', '/models/encoder'],
  executor: { instances: 4, cores: 2, memory: Size.gibibytes(24), accelerator: Accelerator.NVIDIA_L4.count(2), gpusPerTask: 1 },
  ttlAfterFinished: Duration.days(1),
  serviceAccount,
  eventLog,
});
const models = PersistentVolumeClaim.fromClaimName(chart, 'Models', 'models');
embeddings.addVolumeMount('/models', Volume.fromPersistentVolumeClaim(chart, 'ModelVolume', models, { readOnly: true }), { readOnly: true });

// A server for notebooks.
new SparkConnect(chart, 'Shared', {
  metadata: { name: 'shared' },
  image,
  server: { cores: 2, memory: Size.gibibytes(8) },
  executor: { cores: 4, memory: Size.gibibytes(16) },
  dynamicAllocation: { minExecutors: 1, maxExecutors: 10, shuffleTrackingTimeout: Duration.minutes(30) },
  serviceAccount,
  eventLog,
});

app.synth();
