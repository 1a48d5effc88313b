import { Testing } from 'cdk8s';
import { Cpu, EnvValue } from 'cdk8s-plus-28';
import {
  Accelerator, Engine, Framework, HelperFailure, JobGroup, RestartPolicy, TrainingJob, type JobGroupProps, type TrainingJobProps,
} from '../../src';

// Tests look deep into synthesized objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Synthesized = any;

const PRIMARY: JobGroupProps['primary'] = { framework: Framework.pytorch(), image: 'learner', replicas: 2, command: ['python3', 'learn.py'] };

function synthesize(props: JobGroupProps): { readonly objects: Synthesized[]; readonly errors: string[] } {
  const chart = Testing.chart();
  new JobGroup(chart, 'Group', props);
  const errors = chart.node.findAll().flatMap((child) => child.node.validate());
  return { objects: errors.length > 0 ? [] : Testing.synth(chart) as Synthesized[], errors };
}

/** What the definition sets in a helper. */
const HELPER_DEFAULTS = { replicas: 1, port: 29600, onFailure: 'Restart' };

function specOfJob(props: Partial<TrainingJobProps>): Synthesized {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'image', replicas: 1, ...props });
  expect(chart.node.findAll().flatMap((child) => child.node.validate())).toEqual([]);
  return (Testing.synth(chart) as Synthesized[])[0].spec;
}

test('a group is a job of its primary with helpers', () => {
  const { objects, errors } = synthesize({
    metadata: { name: 'rl' },
    primary: PRIMARY,
    helpers: [
      { name: 'actor', replicas: 16, image: 'actor', env: { SEED: EnvValue.fromValue('1') }, onFailure: HelperFailure.RESTART },
      { name: 'replay-buffer', image: 'redis', port: 6379, onFailure: HelperFailure.FAIL, resources: { cpu: Cpu.units(2) } },
      { name: 'evaluator', command: ['python3', 'eval.py'], args: ['--forever'], onFailure: HelperFailure.IGNORE, podTemplate: { spec: { priorityClassName: 'low' } } },
    ],
    hyperparameters: { LR: '0.1' },
    runPolicy: { restartPolicy: RestartPolicy.ON_FAILURE },
  });
  expect(errors).toEqual([]);
  expect(objects).toEqual([{
    apiVersion: 'ml.collabnix.io/v1alpha1',
    kind: 'MLTrainingJob',
    metadata: { name: 'rl' },
    spec: {
      framework: 'pytorch', image: 'learner', replicas: 2, command: ['python3', 'learn.py'],
      helpers: [
        { ...HELPER_DEFAULTS, name: 'actor', replicas: 16, image: 'actor', env: [{ name: 'SEED', value: '1' }], onFailure: 'Restart' },
        { ...HELPER_DEFAULTS, name: 'replay-buffer', image: 'redis', resources: { cpu: '2' }, port: 6379, onFailure: 'Fail' },
        { ...HELPER_DEFAULTS, name: 'evaluator', command: ['python3', 'eval.py'], args: ['--forever'], template: { spec: { priorityClassName: 'low' } }, onFailure: 'Ignore' },
      ],
      hyperparameters: { LR: '0.1' },
      runPolicy: { restartPolicy: 'OnFailure' },
    },
  }]);
});

test('a primary can have roles', () => {
  const { objects } = synthesize({
    primary: { framework: Framework.tensorflow(), image: 'tf', roles: [{ name: 'chief' }, { name: 'worker', replicas: 2 }] }, helpers: [{ name: 'board', image: 'board' }],
  });
  expect(objects[0].spec).toEqual({
    framework: 'tensorflow', image: 'tf', roles: [{ name: 'chief', replicas: 1 }, { name: 'worker', replicas: 2 }], helpers: [{ name: 'board', image: 'board', ...HELPER_DEFAULTS }],
  });
});

test('rules are told at synth', () => {
  const { errors } = synthesize({ metadata: { name: 'rl' }, primary: PRIMARY, helpers: [{ name: 'worker', image: 'x' }, { name: 'actor' }] });
  expect(errors).toHaveLength(2);
  expect(errors[0]).toContain('TrainingJob \'rl\': spec.helpers[0].name: "worker": is a training role of PyTorch');
  expect(errors[1]).toContain('spec.helpers[1].command: is required');
});

test('an engine without helpers says so, and who has them', () => {
  const { errors } = synthesize({ primary: PRIMARY, helpers: [{ name: 'actor', image: 'x' }], engine: Engine.trainingOperatorV1() });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain('training-operator v1 supports only the replica types of its frameworks');
  ['the Trainyard operator', 'JobSet', 'Volcano', 'Kubeflow Trainer'].forEach((engine) => expect(errors[0]).toContain(engine));
});

test('the accelerators of the primary keep no helper on its nodes, and helpers have their own', () => {
  const [h100, l4] = [Accelerator.NVIDIA_H100_80GB.count(8), Accelerator.NVIDIA_L4.count(1)];
  const { objects, errors } = synthesize({
    primary: { ...PRIMARY, accelerator: h100 },
    helpers: [{ name: 'actor', image: 'actor', accelerator: l4 }, { name: 'evaluator', image: 'eval' }],
  });
  expect(errors).toEqual([]);
  const { spec } = objects[0];
  expect(spec.replicas).toBeUndefined();
  expect(spec.scheduling).toBeUndefined();
  const [master, worker] = spec.roles;
  [master, worker].forEach((role) => expect(role).toMatchObject({ resources: { gpu: 8 }, template: { spec: { nodeSelector: h100.nodeSelector } } }));
  expect([master, worker].map(({ name, replicas }) => [name, replicas])).toEqual([['master', 1], ['worker', 1]]);
  expect(spec.helpers[0]).toMatchObject({ resources: { gpu: 1 }, template: { spec: { nodeSelector: l4.nodeSelector } } });
  expect(spec.helpers[1]).toEqual({ name: 'evaluator', image: 'eval', ...HELPER_DEFAULTS });
});

test('an array says what it was told', () => {
  expect(specOfJob({ array: { count: 8 } }).array).toEqual({ count: 8 });
  const array = { count: 8, parallelism: 2, maxFailedIndexes: 1, keepJobs: 5 };
  expect(specOfJob({ array }).array).toEqual(array);
});
