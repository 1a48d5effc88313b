/** Arrays on a plain Job: what each of its pods finds is what the operator gives to a copy. */
import { jobEngine } from '../../../src/manifests/engines/job';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import { variablesOf } from './support/array-pods';
import { arrayCopySpec } from '../../../src/model/training-job/array';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../src/model/training-job/spec';

// Tests look deep into rendered objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Rendered = any;

const ENGINE = jobEngine();
const SPEC: TrainingJobSpec = { framework: 'plain', image: 'image', replicas: 1, command: ['train'], array: { count: 100, parallelism: 10 } };

function render(over: Partial<TrainingJobSpec> = {}) {
  const spec = { ...SPEC, ...over };
  expect(validateForEngine(ENGINE, 'net', spec)).toEqual([]);
  const { job, companions } = ENGINE.render({ name: 'net', namespace: 'team', spec });
  return { spec: job.spec as Rendered, pod: (job.spec as Rendered).template.spec, companions };
}

test('a pod for each copy, as many at a time as the array says, and each with restarts of its own', () => {
  const { spec } = render({ array: { count: 100, parallelism: 10, maxFailedIndexes: 3 }, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 4 } });
  expect(spec).toMatchObject({ completionMode: 'Indexed', completions: 100, parallelism: 10, backoffLimitPerIndex: 4, maxFailedIndexes: 3 });
  expect(spec.backoffLimit).toBeUndefined();
  expect(spec.successPolicy).toBeUndefined();
});

test('all at a time and all to their end by default', () => {
  const { spec } = render({ array: { count: 100 } });
  expect(spec).toMatchObject({ completions: 100, parallelism: 100, backoffLimitPerIndex: 0 });
  expect(spec.maxFailedIndexes).toBeUndefined();
});

test('numbers that are more than there are copies are as many as there are', () => {
  expect(render({ array: { count: 3, parallelism: 10, maxFailedIndexes: 10 } }).spec).toMatchObject({ parallelism: 3, maxFailedIndexes: 3 });
});

test('a failure that is not retried ends the copy alone', () => {
  const { spec } = render({ runPolicy: { restartPolicy: 'OnFailure', exitCodes: { fail: [3] }, disruptionLimit: 0 } });
  expect(spec.podFailurePolicy.rules.map(({ action }: Rendered) => action)).toEqual(['FailIndex', 'FailIndex']);
});

test('the pod finds its index, and its checkpoints, by the number of its pod', () => {
  const { pod } = render({ checkpointPath: 's3://bucket/{index}/run', env: [{ name: 'SLURM_ARRAY_TASK_ID', value: '$(TRAINYARD_ARRAY_INDEX)' }] });
  const env = Object.fromEntries(pod.containers[0].env.map(({ name, value, valueFrom }: Rendered) => [name, value ?? valueFrom.fieldRef.fieldPath]));
  expect(env).toMatchObject({
    JOB_COMPLETION_INDEX: 'metadata.annotations[\'batch.kubernetes.io/job-completion-index\']',
    TRAINYARD_ARRAY_INDEX: '$(JOB_COMPLETION_INDEX)',
    TRAINYARD_ARRAY_COUNT: '100',
    CHECKPOINT_PATH: 's3://bucket/$(JOB_COMPLETION_INDEX)/run',
    TRAINYARD_ATTEMPT: 'metadata.annotations[\'batch.kubernetes.io/job-index-failure-count\']',
    SLURM_ARRAY_TASK_ID: '$(TRAINYARD_ARRAY_INDEX)',
  });
});

test('a claim has a folder for each copy', () => {
  const { pod } = render({ checkpointPath: '/ckpt', checkpoint: { claimName: 'claim', subPath: 'runs' } });
  expect(pod.containers[0].volumeMounts).toEqual([{ name: 'trainyard-checkpoints', mountPath: '/ckpt', subPathExpr: 'runs/index-$(TRAINYARD_ARRAY_INDEX)' }]);
});

test.each(FRAMEWORK_NAMES.filter((name) => !['mpi', 'horovod', 'deepspeed', 'mxnet'].includes(name)))('%s: the first and the last copy find what the operator gives them', async (framework) => {
  const spec: TrainingJobSpec = { ...SPEC, framework, hyperparameters: { LR: '0.1' }, checkpointPath: '/ckpt/run', resources: { gpu: 1 } };
  const { pod } = render(spec);
  for (const index of [0, 1, 57, 99]) {
    const { found, expected } = await variablesOf(pod, 'net', arrayCopySpec(spec, index), index);
    expect(found).toEqual({ ...expected, JOB_COMPLETION_INDEX: String(index) });
  }
});

test('trainyard env shows the first copy', () => {
  const [environment, ...others] = ENGINE.environments({ name: 'net', spec: SPEC });
  expect(others).toEqual([]);
  expect(environment).toMatchObject({ role: 'worker', index: 0, pod: 'net-0-*' });
  expect(environment.env).toContainEqual({ name: 'TRAINYARD_ARRAY_INDEX', value: '0' });
});

test('copies of several replicas are refused', () => {
  const [violation] = validateForEngine(ENGINE, 'net', { ...SPEC, replicas: 2 });
  expect(violation).toMatchObject({ path: 'spec.array', message: expect.stringContaining('each has one replica, but these have 2. Remove it, or choose the Trainyard operator') });
});
