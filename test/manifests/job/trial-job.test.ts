import { constructTrialJob } from '../../../src/manifests/job/child-jobs';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { checkpointFolder, searchOf, upperSnake } from '../../../src/model/tuning/trial-spec';

const SPEC: TrainingJobSpec = {
  framework: 'pytorch',
  image: 'image',
  replicas: 4,
  suspend: false,
  hyperparameters: { EPOCHS: '10', LEARNING_RATE: '1' },
  env: [{ name: 'A', value: 'b' }],
  runPolicy: { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60, cleanPodPolicy: 'All', backoffLimit: 2 },
  autoTuning: { objective: 'y', parameters: { learningRate: { type: 'float', values: [0.1, 0.2] }, optimizer: { type: 'categorical', values: ['adam'] } } },
};
const OWNER = { apiVersion: 'v1', kind: 'MLTrainingJob', name: 'net', uid: 'u', controller: true, blockOwnerDeletion: true };

const construct = (fields: Partial<TrainingJobSpec> = {}, trial = {}) => {
  const spec = { ...SPEC, ...fields };
  return constructTrialJob({
    jobName: 'net', spec, search: searchOf(spec, 'u'), trial: { number: 3, point: [1, 0], ...trial }, namespace: 'ml', owner: OWNER,
  });
};

test('a trial is the same job with its values, without the search, and belongs to it', () => {
  const { metadata, spec } = construct();
  expect(metadata).toEqual({
    name: 'net-trial-3', namespace: 'ml', ownerReferences: [OWNER],
    labels: { 'ml.collabnix.io/auto-tuning': 'net', 'ml.collabnix.io/trial': '3', 'app.kubernetes.io/managed-by': 'trainyard-operator' },
  });
  expect(spec).toEqual({
    framework: 'pytorch',
    image: 'image',
    replicas: 4,
    // The search's own values win over the job's; both names are the same parameter's.
    hyperparameters: { EPOCHS: '10', learningRate: '0.2', LEARNING_RATE: '0.2', optimizer: 'adam', OPTIMIZER: 'adam' },
    env: [{ name: 'A', value: 'b' }, { name: 'TRAINYARD_TRIAL', value: '3' }],
    // The TTL is the search's, the deadline each trial's too; the pods of a trial stay for their logs.
    runPolicy: { activeDeadlineSeconds: 60, backoffLimit: 2 },
  });
  expect(validateTrainingJob('net-trial-3', spec)).toEqual([]);
});

test('hyperband\'s budget is a variable and, where a parameter is named, a hyperparameter', () => {
  const autoTuning = { ...SPEC.autoTuning!, algorithm: 'hyperband' as const, budget: { max: 9, parameter: 'epochs' } };
  const { spec } = construct({ autoTuning, hyperparameters: {} }, { budget: 3 });
  expect(spec.env).toContainEqual({ name: 'TRAINYARD_BUDGET', value: '3' });
  expect(spec.hyperparameters).toMatchObject({ epochs: '3', EPOCHS: '3' });
});

describe('checkpoints', () => {
  const folder = checkpointFolder({ number: 3, point: [1, 0] });

  test('are in a folder that says which trial and which values', () => {
    expect(folder).toMatch(/^trial-3-[0-9a-f]{8}$/);
    expect(checkpointFolder({ number: 3, point: [0, 0] })).not.toBe(folder);
    expect(checkpointFolder({ number: 9, continues: 3, point: [1, 0] })).toBe(folder);
  });

  test.each([
    ['a path', '/checkpoints', `/checkpoints/${folder}`],
    ['a URL', 's3://bucket/run/', `s3://bucket/run/${folder}/`],
  ])('below %s', (_what, checkpointPath, expected) => {
    expect(construct({ checkpointPath }).spec.checkpointPath).toBe(expected);
  });

  test('inside a claim, which is mounted at the path', () => {
    const { spec } = construct({ checkpointPath: '/checkpoints', checkpoint: { claimName: 'runs', subPath: 'a' } });
    expect([spec.checkpointPath, spec.checkpoint]).toEqual(['/checkpoints', { claimName: 'runs', subPath: `a/${folder}` }]);
  });
});

test.each([
  ['learningRate', 'LEARNING_RATE'], ['lr', 'LR'], ['LR', 'LR'], ['batch_size', 'BATCH_SIZE'], ['numHTTPRetries', 'NUM_HTTP_RETRIES'], ['beta1', 'BETA1'],
])('%s is %s in capitals', (name, capitals) => {
  expect(upperSnake(name)).toBe(capitals);
});
