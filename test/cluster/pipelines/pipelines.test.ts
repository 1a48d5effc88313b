/** Pipelines, their versions and recurring runs, shown to an API server that has the upstream definitions. Nothing is kept. */
import path from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { apiRequest, ControlPlane } from '../../../src/local/control-plane';
import { Pipeline, PipelineFile, RecurringRun } from '../../../src/constructs/pipelines';
import { AllDefinitions } from '../support/all-definitions';
import type { TestObject } from '../support/cluster';

let plane: ControlPlane;
let definitions: AllDefinitions;
beforeAll(async () => {
  plane = await ControlPlane.start();
  definitions = new AllDefinitions(plane.access());
});
afterAll(async () => plane?.stop());

const file = PipelineFile.fromFile(path.join(__dirname, '..', '..', '..', 'examples', 'pipelines', 'pipeline.yaml'));

const PROGRAMS: readonly (readonly [string, (chart: Chart) => void])[] = [
  ['the least of all', (chart) => {
    const version = new Pipeline(chart, 'Nightly').addVersion('v1', file);
    new RecurringRun(chart, 'Run', { version, schedule: '@daily', parameters: { table: 'clicks' } });
  }],
  ['all of all', (chart) => {
    const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly', labels: { team: 'a' } }, displayName: 'Nightly', description: 'Each night' });
    const version = pipeline.addVersion('v1', file, { displayName: 'One', description: 'The first', codeSourceUrl: 'https://git.example/a' });
    new RecurringRun(chart, 'Run', {
      version, schedule: '0 2 * * *', timeZone: 'Europe/Berlin', parameters: { table: 'clicks', epochs: 5 }, experiment: 'nightly', pipelineRoot: 'gs://runs', suspend: true,
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Runner', 'runner'), launcher: kplus.ServiceAccount.fromServiceAccountName(chart, 'Launcher', 'launcher'),
    });
  }],
];

describe('the API server accepts, strictly and without a warning,', () => {
  test.each(PROGRAMS)('%s', async (_title, program) => {
    const chart = new Chart(new App(), 'pipelines', { namespace: 'default' });
    program(chart);
    const found: string[] = [];
    for (const object of Testing.synth(chart) as TestObject[]) {
      const place = await definitions.pathOf(object);
      expect(place).toBeDefined();
      const { status, body, warnings } = await apiRequest<TestObject>(plane.access(), 'PATCH', `${place}?fieldValidation=Strict&fieldManager=test&force=true&dryRun=All`,
        { body: object, contentType: 'application/apply-patch+yaml' });
      found.push(...[...(status < 300 ? [] : [String(body.message)]), ...warnings].map((text) => `${object.kind}: ${text}`));
    }
    expect(found).toEqual([]);
  });
});
