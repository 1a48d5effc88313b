/** Arrays in the model: what a copy is, and which arrays there can be. */
import fc from 'fast-check';
import { validSpec } from './arbitraries';
import { job, jobWithRoles, testMistakes } from './mistakes';
import { environmentOf, shortForm } from '../jobs';
import { arrayJobName } from '../../../src/model/names';
import { arrayCheckpointFolder, arrayCopySpec, isArray, type ArraySpec } from '../../../src/model/training-job/array';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';

const array: ArraySpec = { count: 8, parallelism: 2 };

describe('a copy', () => {
  test('is the job without the array, and finds its index in front of the job\'s own variables, which may refer to it', () => {
    const copy = arrayCopySpec(shortForm('jax', 2, { array, suspend: true, env: [{ name: 'SLURM_ARRAY_TASK_ID', value: '$(TRAINYARD_ARRAY_INDEX)' }] }), 3);
    expect(isArray(copy)).toBe(false);
    expect(copy).toEqual(shortForm('jax', 2, { env: [
      { name: 'TRAINYARD_ARRAY_INDEX', value: '3' },
      { name: 'TRAINYARD_ARRAY_COUNT', value: '8' },
      { name: 'SLURM_ARRAY_TASK_ID', value: '$(TRAINYARD_ARRAY_INDEX)' },
    ] }));
    expect(environmentOf(copy, 'net-worker-1')).toMatchObject({ TRAINYARD_ARRAY_INDEX: '3', TRAINYARD_ARRAY_COUNT: '8', RANK: '1', WORLD_SIZE: '2' });
  });

  test('keeps the run policy but for the TTL, which is the array\'s', () => {
    const runPolicy = { restartPolicy: 'OnFailure', backoffLimit: 3, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 5 } as const;
    expect(arrayCopySpec(shortForm('jax', 1, { array, runPolicy }), 0).runPolicy).toEqual({ restartPolicy: 'OnFailure', backoffLimit: 3, activeDeadlineSeconds: 60 });
  });

  const PLACES: [what: string, fields: Partial<TrainingJobSpec>, expected: Partial<TrainingJobSpec>][] = [
    ['a folder below a URL', { checkpointPath: 's3://bucket/run' }, { checkpointPath: 's3://bucket/run/index-3' }],
    ['a folder below a URL that ends in a slash', { checkpointPath: 's3://bucket/run/' }, { checkpointPath: 's3://bucket/run/index-3/' }],
    ['the place of {index}', { checkpointPath: 's3://bucket/{index}/run' }, { checkpointPath: 's3://bucket/3/run' }],
    ['a folder of the claim', { checkpointPath: '/ckpt', checkpoint: { claimName: 'c' } }, { checkpointPath: '/ckpt', checkpoint: { claimName: 'c', subPath: 'index-3' } }],
    ['a folder below the claim\'s', { checkpointPath: '/ckpt', checkpoint: { claimName: 'c', subPath: 'runs/{index}/x' } },
      { checkpointPath: '/ckpt', checkpoint: { claimName: 'c', subPath: 'runs/3/x' } }],
    ['a start of its own', { checkpoint: { resumeFrom: 's3://bucket/base-{index}' } }, { checkpoint: { resumeFrom: 's3://bucket/base-3' } }],
    ['the start of all', { checkpoint: { resumeFrom: 's3://bucket/base' } }, { checkpoint: { resumeFrom: 's3://bucket/base' } }],
  ];
  test.each(PLACES)('has %s for its checkpoints', (_what, fields, expected) => {
    expect(arrayCopySpec(shortForm('jax', 1, { array, ...fields }), 3)).toMatchObject(expected);
  });

  test('has no folder that another copy has', () => {
    fc.assert(fc.property(fc.option(fc.string({ maxLength: 20 }), { nil: undefined }), fc.nat(9999), fc.nat(9999), (pattern, one, other) => {
      fc.pre(one !== other);
      expect(arrayCheckpointFolder(pattern, String(one))).not.toBe(arrayCheckpointFolder(pattern, String(other)));
    }));
  });
});

test('every valid job can be an array, and each of its copies is a valid job', () => {
  fc.assert(fc.property(validSpec, fc.integer({ min: 1, max: 10_000 }), fc.nat(), (spec, count, at) => {
    const whole = { ...spec, array: { count } };
    expect(validateTrainingJob('net', whole)).toEqual([]);
    const index = at % count;
    expect(validateTrainingJob(arrayJobName('net', index), arrayCopySpec(whole, index))).toEqual([]);
  }), { numRuns: 200 });
});

describe('mistakes', () => {
  const search = { objective: 'y', parameters: { x: { type: 'float', min: 0, max: 1 } } };
  testMistakes([
    ['no count', job({ array: {} }), 'spec.array.count', undefined, ['is required: how many copies']],
    ['no copies', job({ array: { count: 0 } }), 'spec.array.count', 0, ['from 1 to 10000']],
    ['too many copies', job({ array: { count: 10_001 } }), 'spec.array.count', 10_001, ['from 1 to 10000']],
    ['no copy at a time', job({ array: { count: 2, parallelism: 0 } }), 'spec.array.parallelism', 0, ['from 1']],
    ['a field of another system', job({ array: { count: 2, completions: 2 } }), 'spec.array.completions', 2, ['is not a field of the array', 'count']],
    ['a search too', job({ array, autoTuning: search }), 'spec.array', array, ['cannot be combined with autoTuning', 'Remove one']],
    ['an elastic range too', job({ array, elastic: { minReplicas: 1, maxReplicas: 3 } }), 'spec.array', array, ['cannot be combined with elastic', 'Remove one']],
    ['the index set by hand', job({ array, env: [{ name: 'TRAINYARD_ARRAY_INDEX', value: '1' }] }), 'spec.env[\'TRAINYARD_ARRAY_INDEX\']', '1', ['is set by the operator in each copy']],
    ['the count set by hand on a role', jobWithRoles([{ name: 'worker', env: [{ name: 'TRAINYARD_ARRAY_COUNT', value: '1' }] }], { array }),
      'spec.roles[0].env[\'TRAINYARD_ARRAY_COUNT\']', '1', ['is set by the operator in each copy']],
    ['the index in the path of a mount', job({ array, checkpointPath: '/ckpt/{index}', checkpoint: { claimName: 'c' } }), 'spec.checkpointPath', '/ckpt/{index}',
      ['Put {index} into spec.checkpoint.subPath']],
  ]);

  test('a search that is switched off may stand there', () => {
    expect(validateTrainingJob('net', job({ array, autoTuning: { ...search, enabled: false } }))).toEqual([]);
  });

  test('a name that is too long with an index behind it, with the length that fits', () => {
    const name = 'n'.repeat(53);
    const spec = shortForm('pytorch', 2, { array: { count: 10_000 } });
    expect(validateTrainingJob(name, { ...spec, array: undefined })).toEqual([]);
    const [violation, ...others] = validateTrainingJob(name, spec);
    expect(others).toEqual([]);
    expect(violation).toMatchObject({ path: 'metadata.name', value: name, message: expect.stringContaining('Use at most 51 characters') });
    expect(validateTrainingJob('n'.repeat(51), spec)).toEqual([]);
  });
});
