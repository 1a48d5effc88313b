import type { RunIdentity, RunSpec } from '../../../src/model/runs/identity';
import {
  trackerVariables, validateTracker, type MlflowSpec, type TrackerSpec, type VertexSpec, type WandbSpec,
} from '../../../src/model/runs/trackers';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

const SPEC: TrainingJobSpec = { framework: 'plain', image: 'train:1', replicas: 1 };
const RUN: RunIdentity = { id: 'train-1', ownId: 'train-1', specDigest: 'sha256:5', parent: 'base-1' };

const MLFLOW: MlflowSpec = { kind: 'mlflow', uri: 'https://mlflow.example', experiment: 'digits', tags: {} };
const WANDB: WandbSpec = { kind: 'wandb', project: 'digits', tags: [] };
const VERTEX: VertexSpec = { kind: 'vertex', project: 'ml-prod', location: 'europe-west4', experiment: 'digits' };

function environment(tracker: TrackerSpec, run = RUN, spec = SPEC) {
  return Object.fromEntries(trackerVariables(tracker, 'train', spec, run).map(({ name, value }) => [name, value]));
}

test('MLflow finds server, experiment, and name and tags of the run', () => {
  const { MLFLOW_RUN_CONTEXT: context, ...rest } = environment({ ...MLFLOW, tags: { team: '$pend' }, systemMetrics: true }, { ...RUN, codeDigest: 'sha256:c' });
  expect(rest).toEqual({ MLFLOW_TRACKING_URI: 'https://mlflow.example', MLFLOW_EXPERIMENT_NAME: 'digits', MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING: 'true' });
  expect(JSON.parse(context!)).toEqual({
    'team': '$$pend', 'mlflow.runName': 'train-1', 'trainyard.run_id': 'train-1', 'trainyard.parent_run': 'base-1', 'trainyard.job': 'train', 'trainyard.spec_digest': 'sha256:5',
    'trainyard.code_digest': 'sha256:c',
  });
});

test('Weights & Biases finds project, run and group, and goes on with a run that is there', () => {
  expect(environment(WANDB)).toEqual({
    WANDB_PROJECT: 'digits', WANDB_RUN_ID: 'train-1', WANDB_NAME: 'train-1', WANDB_RESUME: 'allow', WANDB_RUN_GROUP: 'base-1',
  });
  expect(environment({ ...WANDB, entity: 'team', baseUrl: 'https://wandb.example', group: 'sweep', jobType: 'pretrain', tags: ['a', 'b'], offline: true })).toMatchObject({
    WANDB_ENTITY: 'team', WANDB_BASE_URL: 'https://wandb.example', WANDB_RUN_GROUP: 'sweep', WANDB_JOB_TYPE: 'pretrain', WANDB_TAGS: 'a,b', WANDB_MODE: 'offline',
  });
  expect(environment(WANDB, { ...RUN, parent: undefined })).not.toHaveProperty('WANDB_RUN_GROUP');
});

test('runs of an array are a group', () => {
  const array = { ...SPEC, array: { count: 3 } };
  expect(environment(WANDB, { ...RUN, ownId: '$(TRAINYARD_JOB_NAME)-1' }, array)).toMatchObject({ WANDB_RUN_GROUP: 'train-1', WANDB_RUN_ID: '$(TRAINYARD_JOB_NAME)-1' });
});

test('Vertex AI finds project, region, experiment and run, and each run a folder for event files', () => {
  expect(environment(VERTEX)).toEqual({
    GOOGLE_CLOUD_PROJECT: 'ml-prod', GOOGLE_CLOUD_REGION: 'europe-west4', AIP_EXPERIMENT_NAME: 'digits', AIP_EXPERIMENT_RUN_NAME: 'train-1',
  });
  const tensorboard = 'projects/1/locations/europe-west4/tensorboards/2';
  expect(environment({ ...VERTEX, tensorboard, logDir: 'gs://bucket/logs/' })).toMatchObject({
    AIP_TENSORBOARD_RESOURCE_NAME: tensorboard, AIP_TENSORBOARD_LOG_DIR: 'gs://bucket/logs/$(TRAINYARD_RUN_ID)',
  });
});

test.each<TrackerSpec>([
  MLFLOW, WANDB, VERTEX,
  ...['databricks', 'databricks://prod', 'sqlite:////data/mlflow.db', 'postgresql+psycopg2://db.example/mlflow', 'http://mlflow:5000'].map((uri) => ({ ...MLFLOW, uri })),
])('%j is right', (tracker) => {
  expect(validateTracker(tracker, {})).toEqual([]);
});

test.each<[string, TrackerSpec, RunSpec, string, string]>([
  ['MLflow without a scheme', { ...MLFLOW, uri: 'mlflow.example' }, {}, 'tracker.uri', 'is not an MLflow tracking URI'],
  ['MLflow in a folder', { ...MLFLOW, uri: '/data/mlruns' }, {}, 'tracker.uri', 'is a folder'],
  ['MLflow in a folder by its URL', { ...MLFLOW, uri: 'file:///data/mlruns' }, {}, 'tracker.uri', 'is a folder'],
  ['MLflow without an experiment', { ...MLFLOW, experiment: ' ' }, {}, 'tracker.experiment', 'must not be empty'],
  ['a tag of MLflow\'s own', { ...MLFLOW, tags: { 'mlflow.user': 'me' } }, {}, 'tracker.tags[\'mlflow.user\']', 'Rename it'],
  ['a tag of ours', { ...MLFLOW, tags: { 'trainyard.run_id': 'x' } }, {}, 'tracker.tags[\'trainyard.run_id\']', 'Rename it'],
  ['a tag that MLflow refuses', { ...MLFLOW, tags: { 'a*b': 'x' } }, {}, 'tracker.tags[\'a*b\']', 'that MLflow rejects'],
  ['a project with a slash', { ...WANDB, project: 'team/digits' }, {}, 'tracker.project', 'none of them'],
  ['an empty group', { ...WANDB, group: '' }, {}, 'tracker.group', '1 to 128 characters'],
  ['an entity that is too long', { ...WANDB, entity: 'e'.repeat(129) }, {}, 'tracker.entity', '1 to 128 characters'],
  ['a job type that is too long', { ...WANDB, jobType: 'e'.repeat(65) }, {}, 'tracker.jobType', '1 to 64 characters'],
  ['a server without a scheme', { ...WANDB, baseUrl: 'wandb.example' }, {}, 'tracker.baseUrl', 'must be the address of a server'],
  ['a tag with a comma', { ...WANDB, tags: ['a', 'b,c'] }, {}, 'tracker.tags[1]', 'without a comma'],
  ['a zone', { ...VERTEX, location: 'europe-west4-a' }, {}, 'tracker.location', 'is not a region'],
  ['no project', { ...VERTEX, project: '' }, {}, 'tracker.project', 'must not be empty'],
  ['an experiment in capitals', { ...VERTEX, experiment: 'Digits' }, {}, 'tracker.experiment', 'lower-case'],
  ['a run in capitals', VERTEX, { id: 'Run-1' }, 'run.id', 'is also the run name in Vertex AI'],
  ['a TensorBoard by its id', { ...VERTEX, tensorboard: '123' }, {}, 'tracker.tensorboard', 'must be the resource name'],
  ['event files on a disk', { ...VERTEX, logDir: '/logs' }, {}, 'tracker.logDir', 'must be a folder of a bucket'],
])('%s is refused', (_what, tracker, run, path, message) => {
  expect(validateTracker(tracker, run)).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) as string })]);
});
