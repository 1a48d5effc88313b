import { App, Chart, Duration, Size } from 'cdk8s';
import { Cpu, ServiceAccount } from 'cdk8s-plus-28';
import { Checkpoint, Engine, Framework, Gpu, type TrainingJobProps } from 'trainyard';
import { CronTraining, DeadLetters, EventDrivenTraining, EventSource, TrainingConcurrency } from 'trainyard/events';

const app = new App();
const chart = new Chart(app, 'events', { namespace: 'team-a' });

const job: TrainingJobProps = {
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  command: ['torchrun', 'train.py'],
  replicas: 2,
  resources: { gpu: Gpu.nvidia(1), cpu: Cpu.units(8), memory: Size.gibibytes(32) },
  checkpoint: Checkpoint.at('gs://team-a-runs/on-dataset'),
  runPolicy: { ttlAfterFinished: Duration.days(7) },
};

// A job for each dataset that is announced on a subscription, and at most four at a time.
new EventDrivenTraining(chart, 'OnDataset', {
  metadata: { name: 'on-dataset' },
  source: EventSource.pubSub('projects/team-a-project/subscriptions/datasets'),
  maxRunningJobs: 4,
  job,
  launcherServiceAccount: new ServiceAccount(chart, 'Launcher', {
    metadata: { name: 'launcher', annotations: { 'iam.gke.io/gcp-service-account': 'launcher@team-a-project.iam.gserviceaccount.com' } },
    automountToken: true,
  }),
});

// The same for what a broker of Knative passes on.
new EventDrivenTraining(chart, 'OnDrift', {
  metadata: { name: 'on-drift' },
  source: EventSource.knativeBroker('default', {
    attributes: { type: 'com.example.model.drift' },
    deadLetters: DeadLetters.object('v1', 'Service', 'failed-events'),
  }),
  maxRunningJobs: 1,
  job,
});

// And each night, on Kubeflow Trainer, with a week of jobs to look at.
new CronTraining(chart, 'Nightly', {
  metadata: { name: 'nightly' },
  schedule: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  concurrency: TrainingConcurrency.FORBID,
  successfulJobs: 7,
  failedJobs: 7,
  job: { ...job, engine: Engine.trainer(), runPolicy: undefined },
});

app.synth();
