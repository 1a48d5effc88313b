import * as path from 'node:path';
import { App, Chart } from 'cdk8s';
import { ServiceAccount } from 'cdk8s-plus-28';
import { Pipeline, PipelineFile, RecurringRun } from 'trainyard/pipelines';

const app = new App();
const chart = new Chart(app, 'pipelines', { namespace: 'team-a' });

const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly-training' }, displayName: 'Nightly training' });

// The file is read and checked here. What is new gets a version of its own.
const version = pipeline.addVersion('v1', PipelineFile.fromFile(path.join(__dirname, 'pipeline.yaml')), { description: 'The first one' });

new RecurringRun(chart, 'Every night', {
  metadata: { name: 'nightly' },
  version,
  schedule: '0 2 * * *',
  timeZone: 'Europe/Berlin',
  parameters: { table: 'clicks', epochs: 5 },
  experiment: 'nightly',
  serviceAccount: ServiceAccount.fromServiceAccountName(chart, 'Runner', 'pipeline-runner'),
});

app.synth();
