import { App, Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  CodeBundle, Credentials, Engine, Framework, Tracker, TrainingJob, type TrainingJobProps,
} from '../../../src';
import { engines } from '../../../src/manifests/engines/registry';
import { expandReferences } from '../../../src/model/variable-references';
import { errorsOf } from '../../support/synth-errors';

const JOB = {
  metadata: { name: 'train' }, framework: Framework.pytorch(), image: `train@sha256:${'e'.repeat(64)}`, replicas: 2,
} satisfies TrainingJobProps;

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly labels?: { readonly [label: string]: string } };
  readonly spec: {
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
    readonly template?: { readonly metadata?: object };
  };
}

function rendered(props: Partial<TrainingJobProps>, change: (job: TrainingJob) => void = () => undefined): Rendered {
  const chart = Testing.chart();
  change(new TrainingJob(chart, 'Job', { ...JOB, ...props }));
  return (Testing.synth(chart) as Rendered[]).find(({ kind }) => kind === 'MLTrainingJob')!;
}

function valuesOf({ spec: { env = [] } }: Rendered): { readonly [name: string]: string | undefined } {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

test('without a run and a tracker a job says nothing of either', () => {
  const { metadata, spec } = rendered({});
  expect([metadata, spec.env, spec.template]).toEqual([{ name: 'train' }, undefined, undefined]);
});

test('an empty run has an id of its own, and digests', () => {
  const job = rendered({ run: {} });
  const values = valuesOf(job);
  expect(values).toEqual({
    TRAINYARD_RUN_ID: expect.stringMatching(/^train-[0-9a-f]{8}$/), TRAINYARD_SPEC_DIGEST: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    TRAINYARD_IMAGE_DIGEST: `sha256:${'e'.repeat(64)}`,
  });
  const labels = {
    'ml.collabnix.io/run-id': values.TRAINYARD_RUN_ID, 'ml.collabnix.io/spec-digest': values.TRAINYARD_SPEC_DIGEST!.slice(7, 23), 'ml.collabnix.io/image-digest': 'e'.repeat(16),
  };
  expect(job.metadata.labels).toEqual(labels);
  expect(job.spec.template).toEqual({ metadata: { labels } });
});

test('a run with every option, and code', () => {
  const code = CodeBundle.fromUrl('gs://bucket/code.tar.gz', `sha256:${'c'.repeat(64)}`);
  const job = rendered({ run: { id: 'llama-3', parent: 'llama-2' }, code, metadata: { name: 'train', labels: { team: 'a' } } });
  expect(valuesOf(job)).toMatchObject({ TRAINYARD_RUN_ID: 'llama-3', TRAINYARD_PARENT_RUN: 'llama-2', TRAINYARD_CODE_DIGEST: `sha256:${'c'.repeat(64)}` });
  expect(job.metadata.labels).toMatchObject({
    'team': 'a', 'ml.collabnix.io/run-id': 'llama-3', 'ml.collabnix.io/parent-run': 'llama-2', 'ml.collabnix.io/code-digest': 'c'.repeat(16),
  });
});

test('two synths say the same, and a job that trains something else is another run', () => {
  const id = (props: Partial<TrainingJobProps>, change?: (job: TrainingJob) => void) => (
    valuesOf(rendered({ run: {}, ...props }, change)).TRAINYARD_RUN_ID
  );
  expect(id({})).toBe(id({}));
  expect(id({ suspend: true })).toBe(id({}));
  expect(id({ replicas: 3 })).not.toBe(id({}));
  expect(id({}, (job) => job.addEnv('A', kplus.EnvValue.fromValue('1')))).not.toBe(id({}));
  expect(id({ tracker: Tracker.wandb({ project: 'digits' }) })).toBe(id({}));
});

test('a label is that of the job as it was at the end', () => {
  const job = rendered({ run: {} }, (one) => one.addEnv('A', kplus.EnvValue.fromValue('1')));
  expect(job.metadata.labels!['ml.collabnix.io/run-id']).toBe(valuesOf(job).TRAINYARD_RUN_ID);
});

test('a tracker brings an identity, its variables and its key', () => {
  const key = Credentials.secret(kplus.Secret.fromSecretName(Testing.chart(), 'Wandb', 'wandb')).asEnvironment({ WANDB_API_KEY: 'key' });
  const job = rendered({ tracker: Tracker.wandb({ project: 'digits', credentials: key }) });
  expect(valuesOf(job)).toMatchObject({ WANDB_PROJECT: 'digits', WANDB_RUN_ID: valuesOf(job).TRAINYARD_RUN_ID, WANDB_RESUME: 'allow' });
  expect(job.spec.env).toContainEqual({ name: 'WANDB_API_KEY', valueFrom: { secretKeyRef: { name: 'wandb', key: 'key' } } });
});

test('a tracker of MLflow brings what its server asks for', () => {
  const login = Credentials.secret(kplus.Secret.fromSecretName(Testing.chart(), 'Mlflow', 'mlflow')).asEnvironment({ MLFLOW_TRACKING_TOKEN: 'token' });
  const job = rendered({ tracker: Tracker.mlflow({ trackingUri: 'https://mlflow.example', experiment: 'digits', credentials: login }) });
  expect(job.spec.env).toContainEqual({ name: 'MLFLOW_TRACKING_TOKEN', valueFrom: { secretKeyRef: { name: 'mlflow', key: 'token' } } });
});

test.each<[string, Tracker, string]>([
  ['MLflow', Tracker.mlflow({ trackingUri: 'https://mlflow.example', experiment: 'digits', tags: { team: 'a' }, systemMetrics: true }), 'MLFLOW_TRACKING_URI'],
  ['Weights & Biases', Tracker.wandb({ project: 'digits', entity: 'team', baseUrl: 'https://wandb.example', group: 'g', jobType: 't', tags: ['a'], offline: true }), 'WANDB_BASE_URL'],
  ['Vertex AI', Tracker.vertex({ project: 'ml-prod', location: 'europe-west4', experiment: 'digits', tensorboard: 'projects/ml-prod/locations/europe-west4/tensorboards/1', logDir: 'gs://bucket/logs' }), 'AIP_EXPERIMENT_RUN_NAME'],
])('%s with every option', (_name, tracker, variable) => {
  expect(valuesOf(rendered({ tracker }))).toHaveProperty(variable);
});

test('the tracker of Vertex AI names the TensorBoard instance', () => {
  const tensorboard = 'projects/ml-prod/locations/europe-west4/tensorboards/1';
  const tracker = (more: object) => Tracker.vertex({ project: 'ml-prod', location: 'europe-west4', experiment: 'digits', ...more });
  expect(valuesOf(rendered({ tracker: tracker({ tensorboard }) })).AIP_TENSORBOARD_RESOURCE_NAME).toBe(tensorboard);
  expect(valuesOf(rendered({ tracker: tracker({}) }))).not.toHaveProperty('AIP_TENSORBOARD_RESOURCE_NAME');
});

test('variables of a tracker stand behind those that they refer to', () => {
  const names = rendered({ tracker: Tracker.vertex({ project: 'p-1', location: 'europe-west4', experiment: 'e', logDir: 'gs://bucket/logs' }) }).spec.env!.map(({ name }) => name);
  expect(names.indexOf('TRAINYARD_RUN_ID')).toBeLessThan(names.indexOf('AIP_TENSORBOARD_LOG_DIR'));
});

test('each copy of an array is a run', () => {
  const job = rendered({ array: { count: 3 }, tracker: Tracker.wandb({ project: 'digits' }) });
  expect(valuesOf(job)).toMatchObject({ TRAINYARD_RUN_ID: expect.stringMatching(/^\$\(TRAINYARD_JOB_NAME\)-[0-9a-f]{8}$/), TRAINYARD_PARENT_RUN: job.metadata.labels!['ml.collabnix.io/run-id'] });
  expect(valuesOf(job).WANDB_RUN_GROUP).toBe(valuesOf(job).TRAINYARD_PARENT_RUN);
});

test('copies of an array fill in their own names, wherever they run', () => {
  const job = new TrainingJob(Testing.chart(), 'Job', { ...JOB, array: { count: 3 }, tracker: Tracker.mlflow({ trackingUri: 'https://mlflow.example', experiment: 'e' }) });
  const [{ env }] = Engine.operator()._definition.environments({ name: 'train', spec: job._toSpec() });
  const values = new Map<string, string>();
  for (const { name, value } of env) {
    values.set(name, expandReferences(value!, (other) => values.get(other)));
  }
  const id = `${values.get('TRAINYARD_JOB_NAME')!}-${values.get('TRAINYARD_SPEC_DIGEST')!.slice(7, 15)}`;
  expect(values.get('TRAINYARD_JOB_NAME')).toMatch(/^train-.*0$/);
  expect(values.get('TRAINYARD_RUN_ID')).toBe(id);
  expect(JSON.parse(values.get('MLFLOW_RUN_CONTEXT')!)).toMatchObject({ 'mlflow.runName': id, 'trainyard.run_id': id });
});

test.each<[string, Partial<TrainingJobProps>, string]>([
  ['an id that is no label', { run: { id: 'a b' } }, 'run.id: "a b": must be at most 63 letters'],
  ['a tracker that is wrong', { tracker: Tracker.wandb({ project: 'a/b' }) }, 'tracker.project: "a/b": must be 1 to 128 characters'],
  ['a variable of the identity', { run: {}, env: { TRAINYARD_RUN_ID: kplus.EnvValue.fromValue('x') } }, 'spec.env[\'TRAINYARD_RUN_ID\']: "x": is set by \'run\' of the job.'],
  ['a variable of the tracker', { tracker: Tracker.wandb({ project: 'a' }), env: { WANDB_PROJECT: kplus.EnvValue.fromValue('x') } }, 'spec.env[\'WANDB_PROJECT\']: "x": is set by \'tracker\' of the job.'],
])('%s is refused', (_what, props, message) => {
  const app = new App();
  new TrainingJob(new Chart(app, 'test'), 'Job', { ...JOB, ...props });
  expect(errorsOf(app)).toContainEqual(expect.stringContaining(message));
});

describe('every engine shows the run to every replica', () => {
  const all: { readonly [name: string]: Engine } = {
    'operator': Engine.operator(), 'trainer': Engine.trainer(), 'training-operator-v1': Engine.trainingOperatorV1(), 'jobset': Engine.jobSet(), 'job': Engine.job(), 'volcano': Engine.volcano(),
    'ray': Engine.ray(), 'spark': Engine.spark(),
  };

  test('there are no others', () => {
    expect(Object.values(all).map((engine) => engine._definition.name).sort()).toEqual(engines().map(({ name }) => name).sort());
  });

  test.each(Object.entries(all))('%s', (_name, engine) => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    const job = new TrainingJob(chart, 'Job', { ...JOB, engine, run: { id: 'llama-3', parent: 'llama-2' }, tracker: Tracker.wandb({ project: 'digits' }), command: ['python', 'train.py'], resources: { memory: Size.gibibytes(4) } });
    const replicas = engine._definition.environments({ name: 'train', spec: job._toSpec() });
    expect(replicas.length).toBeGreaterThan(0);
    for (const { env } of replicas) {
      const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(values).toMatchObject({ TRAINYARD_RUN_ID: 'llama-3', TRAINYARD_PARENT_RUN: 'llama-2', TRAINYARD_IMAGE_DIGEST: `sha256:${'e'.repeat(64)}`, WANDB_RUN_ID: 'llama-3' });
    }
    const objects = Testing.synth(chart) as Rendered[];
    const text = JSON.stringify(objects);
    // The object itself and at least one pod template.
    expect(text.split('"ml.collabnix.io/run-id":"llama-3"').length).toBeGreaterThan(2);
    expect(objects[objects.length - 1].metadata.labels).toMatchObject({ 'ml.collabnix.io/run-id': 'llama-3' });
  });
});
