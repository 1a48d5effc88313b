import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Pipeline, PipelineFile, PipelineVersion, RecurringRun, type RecurringRunProps } from '../../../src/constructs/pipelines';
import { errorsOf } from '../../support/synth-errors';

const FILE = path.join(__dirname, '..', '..', '..', 'examples', 'pipelines', 'pipeline.yaml');
const file = PipelineFile.fromFile(FILE);

function chartIn(namespace?: string): Chart {
  return new Chart(Testing.app(), 'chart', { namespace });
}

test('a file says its name and its parameters', () => {
  expect(file.name).toBe('nightly-training');
  expect(file.parameters).toEqual(['epochs', 'table']);
});

describe('a file is an error at once', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trainyard-pipeline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('when it is not there', () => {
    expect(() => PipelineFile.fromFile('no-such.yaml')).toThrow('PipelineFile.fromFile: there is no file \'no-such.yaml\'. Compile the pipeline first: kfp dsl compile');
  });

  test('when it is wrong, with everything that is', () => {
    const wrong = path.join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'pipelineInfo: {name: A}\nschemaVersion: 1\n');
    const told = () => PipelineFile.fromFile(wrong);
    expect(told).toThrow(`PipelineFile '${wrong}':\n  pipelineInfo.name: "A": `);
    expect(told).toThrow(/^ {2}schemaVersion: 1: /m);
    expect(told).toThrow(/^ {2}root\.dag: /m);
  });
});

test('a pipeline and a version of it, in this order', () => {
  const chart = chartIn('ml');
  const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly' }, displayName: 'Nightly', description: 'Each night' });
  const version = pipeline.addVersion('v1', file, { displayName: 'One', description: 'The first', codeSourceUrl: 'https://git.example/a' });
  const [first, second] = Testing.synth(chart);
  expect(first).toEqual({
    apiVersion: 'pipelines.kubeflow.org/v2beta1', kind: 'Pipeline', metadata: { name: 'nightly', namespace: 'ml' }, spec: { displayName: 'Nightly', description: 'Each night' },
  });
  const { pipelineSpec, platformSpec, ...spec } = second.spec;
  expect(second).toMatchObject({ apiVersion: 'pipelines.kubeflow.org/v2beta1', kind: 'PipelineVersion', metadata: { name: 'nightly-v1', namespace: 'ml' } });
  expect(spec).toEqual({ pipelineName: 'nightly', displayName: 'One', description: 'The first', codeSourceURL: 'https://git.example/a' });
  expect(pipelineSpec.pipelineInfo.name).toBe('nightly-training');
  expect(Object.keys(platformSpec)).toEqual(['platforms']);
  expect([pipeline.resourceType, version.resourceType]).toEqual(['pipelines', 'pipelineversions']);
  expect(version.pipeline).toBe(pipeline);
});

test('the least of both, and an escape hatch', () => {
  const chart = chartIn();
  const pipeline = new Pipeline(chart, 'Nightly');
  const version = new PipelineVersion(chart, 'One', { pipeline, file });
  ApiObject.of(version).addJsonPatch(JsonPatch.add('/spec/pipelineSpecURI', 'https://a'));
  const [first, second] = Testing.synth(chart);
  expect(first.spec).toEqual({});
  expect(second.spec).toMatchObject({ pipelineName: pipeline.name, pipelineSpecURI: 'https://a' });
});

test('a version of a pipeline elsewhere is refused', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'ml' });
  new PipelineVersion(chart, 'One', { metadata: { name: 'one', namespace: 'other' }, pipeline: new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly' } }), file });
  expect(errorsOf(app)).toEqual(['[chart/One] PipelineVersion \'one\': metadata.namespace: "other": Pipeline \'nightly\' is in "ml", but a version must be in the same namespace. Use one namespace for both.']);
});

describe('a recurring run', () => {
  function runOf(props: Partial<RecurringRunProps> = {}, chart = chartIn('ml')) {
    const version = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly' } }).addVersion('v1', file);
    new RecurringRun(chart, 'Run', { metadata: { name: 'run' }, version, schedule: '@daily', parameters: { table: 'clicks' }, ...props });
    return Testing.synth(chart).find(({ kind }) => kind === 'CronJob');
  }

  test('is a CronJob that knows everything by its name', () => {
    const { spec } = runOf();
    expect(spec).toMatchObject({ schedule: '@daily', concurrencyPolicy: 'Forbid' });
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    expect(JSON.parse(container.env[0].value)).toEqual({
      endpoint: 'http://ml-pipeline.kubeflow.svc:8888', namespace: 'ml', name: 'run', pipeline: 'nightly', version: 'nightly-v1', experiment: 'Default', parameters: { table: 'clicks' },
    });
  });

  test('with every option', () => {
    const chart = chartIn('ml');
    const account = (name: string) => kplus.ServiceAccount.fromServiceAccountName(chart, name, name);
    const object = runOf({
      schedule: '0 2 * * *', timeZone: 'Europe/Berlin', parameters: { table: 'a', epochs: 5 }, experiment: 'e', serviceAccount: account('runner'), pipelineRoot: 'gs://runs', suspend: true,
      endpoint: 'https://kfp.example', image: 'python:3.12', launcher: account('launcher'),
    }, chart);
    object.spec.jobTemplate.spec.template.spec.containers[0].command[2] = 'the program';
    expect(object).toMatchSnapshot();
  });

  test('has an account of its own that may start runs', () => {
    const chart = chartIn('ml');
    const { spec } = runOf({}, chart);
    spec.jobTemplate.spec.template.spec.containers[0].command[2] = 'the program';
    const objects = Testing.synth(chart).filter(({ kind }) => !kind.startsWith('Pipeline'));
    objects.find(({ kind }) => kind === 'CronJob').spec = spec;
    expect(objects).toMatchSnapshot();
  });

  test('makes no account where one is given, or where it has no namespace', () => {
    const chart = chartIn();
    runOf({ launcher: kplus.ServiceAccount.fromServiceAccountName(chart, 'Editor', 'default-editor') }, chart);
    expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['Pipeline', 'PipelineVersion', 'CronJob']);
    const app = new App();
    new RecurringRun(new Chart(app, 'chart'), 'Run', {
      metadata: { name: 'run' }, version: new Pipeline(new Chart(app, 'other'), 'Nightly').addVersion('v1', file), schedule: '@daily', parameters: { table: 'a' },
    });
    expect(errorsOf(app)).toEqual([expect.stringContaining('RecurringRun \'run\': metadata.namespace: is required: a binding needs the namespace of its account.')]);
  });

  test('has a generated name that leaves room', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60));
    const run = new RecurringRun(chart, 'Run', { version: new Pipeline(chart, 'Nightly').addVersion('v1', file), schedule: '@daily', parameters: { table: 'a' } });
    expect(run.name.length).toBeLessThanOrEqual(52);
    expect(run.resourceType).toBe('cronjobs');
  });

  test('is refused with parameters that the pipeline does not take', () => {
    const app = new App();
    const chart = new Chart(app, 'chart', { namespace: 'ml' });
    new RecurringRun(chart, 'Run', { metadata: { name: 'run' }, version: new Pipeline(chart, 'Nightly').addVersion('v1', file), schedule: '@daily', parameters: { tabel: 'a' } });
    expect(errorsOf(app)).toEqual([
      expect.stringContaining('RecurringRun \'run\': parameters.tabel: "a": the pipeline has epochs, table. Did you mean \'table\'? Remove it.'),
      expect.stringContaining('RecurringRun \'run\': parameters.table: is required: the pipeline has no default for it. Set a value.'),
    ]);
  });
});

test('a pipeline and its version are as they were', () => {
  const chart = chartIn('ml');
  const pipeline = new Pipeline(chart, 'Nightly', { metadata: { name: 'nightly' }, displayName: 'Nightly', description: 'Each night' });
  pipeline.addVersion('v1', file, { displayName: 'One', description: 'The first', codeSourceUrl: 'https://git.example/a' });
  expect(Testing.synth(chart)).toMatchSnapshot();
});
