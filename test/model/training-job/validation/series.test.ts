import fc from 'fast-check';
import { engines } from '../../../../src/manifests/engines/registry';
import { validateForEngine } from '../../../../src/manifests/engines/validation';
import { checkJob } from '../../../../src/model/checks/job-rules';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { CheckedSeries } from '../../../../src/model/training-job/validation/series';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';
import { jobName, validSpec } from '../arbitraries';
import { anySpec } from '../spec-arbitrary';

const JOB: TrainingJobSpec = {
  framework: 'pytorch', image: 'image:1', replicas: 2, checkpointPath: 's3://bucket-1/runs/1', hyperparameters: { LR_1: '0.1' }, checkpoint: { subPath: 'a1', keepLast: 1 },
};

/** How often rules are asked about two jobs. */
function timesAsked(first: readonly [string, unknown], second: readonly [string, unknown], found: readonly string[] = []): number {
  const series = new CheckedSeries();
  const rules = jest.fn(() => [...found]);
  for (const [name, spec] of [first, second]) {
    expect(series.check(name, spec as TrainingJobSpec, rules)).toEqual(found);
  }
  return rules.mock.calls.length;
}

const selfContaining = (): object => {
  const spec: { [field: string]: unknown } = {};
  spec.template = { spec };
  return spec;
};

describe('rules about two jobs', () => {
  test.each<[string, string, object]>([
    ['nothing', 'job-1', {}],
    ['digits of their names', 'job-2', {}],
    ['digits of a URL', 'job-1', { checkpointPath: 's3://bucket-2/runs/7' }],
    ['digits of the folder on a claim', 'job-1', { checkpoint: { subPath: 'a2', keepLast: 1 } }],
    ['digits of hyperparameters', 'job-1', { hyperparameters: { LR_1: '0.3' } }],
  ])('are asked once where these differ in %s', (_what, name, fields) => {
    expect(timesAsked(['job-1', { ...JOB }], [name, { ...JOB, ...fields }])).toBe(1);
  });

  test.each<[string, string, object]>([
    ['letters of their names', 'jot-1', {}],
    ['the length of their names', 'job-10', {}],
    ['a scheme', 'job-1', { checkpointPath: 's4://bucket-1/runs/1' }],
    ['names of hyperparameters', 'job-1', { hyperparameters: { LR_2: '0.1' } }],
    ['types', 'job-1', { hyperparameters: { LR_1: 0.1 } }],
    ['the number of hyperparameters', 'job-1', { hyperparameters: { LR_1: '0.1', B: '1' } }],
    ['other digits', 'job-1', { replicas: 3 }],
    ['digits of the image', 'job-1', { image: 'image:2' }],
    ['what a checkpoint keeps', 'job-1', { checkpoint: { subPath: 'a1', keepLast: 2 } }],
    ['fields', 'job-1', { suspend: undefined }],
    ['a field that every object inherits', 'job-1', { constructor: 'x' }],
    ['classes', 'job-1', { template: new Date(0) }],
  ])('are asked of each where these differ in %s', (_what, name, fields) => {
    expect(timesAsked(['job-1', { ...JOB }], [name, { ...JOB, ...fields }])).toBe(2);
    expect(timesAsked([name, { ...JOB, ...fields }], ['job-1', { ...JOB }])).toBe(2);
  });

  test('are asked of each where paths in containers differ in digits', () => {
    expect(timesAsked(['a', { ...JOB, checkpointPath: '/c/1' }], ['a', { ...JOB, checkpointPath: '/c/2' }])).toBe(2);
  });

  test('are asked of each where a text refers to a variable', () => {
    expect(timesAsked(['a', { ...JOB, hyperparameters: { A: '$(B_1)' } }], ['a', { ...JOB, hyperparameters: { A: '$(B_2)' } }])).toBe(2);
  });

  test('are asked of each when they find something', () => {
    expect(timesAsked(['job-1', { ...JOB }], ['job-2', { ...JOB }], ['wrong'])).toBe(2);
  });

  test.each<[string, unknown, unknown]>([
    ['null', null, null], ['a text', 'spec', 'spec'], ['a list', [], {}], ['objects that contain themselves', selfContaining(), selfContaining()],
  ])('end for %s', (_what, one, other) => {
    expect(timesAsked(['job-1', one], ['job-1', other], ['wrong'])).toBe(2);
  });

  test('are forgotten after many other series', () => {
    const series = new CheckedSeries();
    const rules = jest.fn(() => []);
    series.check('job-1', { ...JOB }, rules);
    for (let other = 0; other < 40; other++) {
      series.check('job-1', { ...JOB, replicas: 10 + other }, rules);
    }
    series.check('job-1', { ...JOB }, rules);
    expect(rules).toHaveBeenCalledTimes(42);
  });
});

/** A job with other digits where a series may have others. */
function anotherOfSeries(name: string, spec: TrainingJobSpec, digit: number): [string, TrainingJobSpec] {
  const changed = <T>(text: T): T => (typeof text === 'string' && !text.includes('$') ? text.replace(/[0-9]/g, String(digit)) as T : text);
  const { checkpointPath, checkpoint, hyperparameters } = spec;
  const scheme = checkpointPath?.includes('://') ? checkpointPath.slice(0, checkpointPath.indexOf(':')) : undefined;
  const values = Object.entries(hyperparameters ?? {}).map(([key, value]) => [key, changed(value)]);
  return [changed(name), {
    ...spec,
    ...(scheme !== undefined && { checkpointPath: `${scheme}${changed(checkpointPath!.slice(scheme.length))}` }),
    ...(checkpoint?.subPath !== undefined && { checkpoint: { ...checkpoint, subPath: changed(checkpoint.subPath) } }),
    ...(hyperparameters !== undefined && { hyperparameters: Object.fromEntries(values) }),
  }];
}

/** What the rules say of a job that nobody knows yet: `right` for nothing. */
function verdicts(name: string, spec: TrainingJobSpec): string[] {
  const model = validateTrainingJob(name, spec);
  return model.length > 0 ? ['wrong'] : [
    checkJob(name, spec).length > 0 ? 'has findings' : 'right',
    // Each under an identity of its own, so that no earlier job is known.
    ...engines().map((engine) => (validateForEngine({ ...engine }, name, spec).length > 0 ? `not on ${engine.name}` : engine.name)),
  ];
}

const serial = fc.tuple(fc.oneof(validSpec, anySpec as fc.Arbitrary<TrainingJobSpec>), fc.nat(9), fc.record({
  checkpointPath: fc.constantFrom(undefined, 's3://bucket-1/runs/12', 'gs://bucket/7', '/checkpoints/1', 'runs/1'),
  hyperparameters: fc.constantFrom(undefined, { LR: '0.001', EPOCHS: '100' }, { SEED: '$(X_1) 4' }),
  checkpoint: fc.constantFrom<TrainingJobSpec['checkpoint']>(undefined, { claimName: 'claim-1', subPath: 'runs/1' }, { keepLast: 3 }),
  image: fc.constant('train:1'),
  resources: fc.constant({ cpu: '4', memory: '8Gi' }),
}, { requiredKeys: [] }));

test('no rule reads the digits that the jobs of a series differ in', () => {
  let right = 0;
  fc.assert(fc.property(jobName, serial, (name, [spec, digit, fields]) => {
    const one = { ...spec, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
    const found = verdicts(`${name}-1`, one);
    right += found.includes('right') ? 1 : 0;
    expect(verdicts(...anotherOfSeries(`${name}-1`, one, digit))).toEqual(found);
  }), { numRuns: 150 });
  // Of most specs there is nothing to say, so the property says something.
  expect(right).toBeGreaterThan(10);
});
