import { MAX_SPEC_DEPTH, MAX_SPEC_SIZE, specSize } from '../../../../src/model/training-job/fields/spec-size';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

/** A spec with so many kilobytes of variables. */
const spec = (kilobytes: number): TrainingJobSpec => ({
  framework: 'plain', image: 'image', replicas: 1, env: Array.from({ length: kilobytes }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) })),
});

test('the size is that of the JSON', () => {
  const value = { a: ['x', 1, true, null, { b: {} }], c: undefined, d: 'text' };
  expect(Math.abs(specSize(value).characters - JSON.stringify(value).length)).toBeLessThan(5);
  expect(specSize(spec(400)).characters / JSON.stringify(spec(400)).length).toBeCloseTo(1, 1);
});

test('a value that contains itself has a size too', () => {
  const value: { self?: object } = {};
  value.self = value;
  expect(specSize(value).characters).toBeGreaterThan(MAX_SPEC_SIZE);
});

test('a job of half a megabyte may be, a larger one may not, and is told what to do', () => {
  expect(validateTrainingJob('net', spec(450))).toEqual([]);
  const size = Math.ceil(specSize(spec(600)).characters / 1024);
  expect(validateTrainingJob('net', spec(600))).toEqual([{
    path: 'spec',
    value: `${size} KiB`,
    message: 'is larger than the 512 KiB that a job may have: an object of the cluster has 1.5 MiB at most, the status needs room next to the spec, and each pod '
      + 'contains its part of the spec again. Put large values and scripts into a ConfigMap, into code or into the image.',
  }]);
});

/** Objects or lists in each other. */
const nested = (levels: number, isList: boolean): unknown => (
  JSON.parse(isList ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
);

test('objects, lists and fields are counted, and how deep they are', () => {
  expect(specSize({ a: [[], { b: 1, c: undefined }], d: 'x' })).toMatchObject({ parts: 7, depth: 3 });
});

test.each([true, false])('a spec of too many levels is refused, also one that nothing can write out (lists: %s)', (isList) => {
  const deep = (levels: number): TrainingJobSpec => ({ ...spec(1), template: { spec: { x: nested(levels, isList) } } as never });
  expect(validateTrainingJob('net', deep(MAX_SPEC_DEPTH - 3))).toEqual([]);
  for (const levels of [MAX_SPEC_DEPTH - 2, 9_900]) {
    expect(validateTrainingJob('net', deep(levels))).toEqual([{ path: 'spec', value: `${levels + 3} levels`, message: expect.stringContaining('more than 100 levels of nested objects and lists') }]);
  }
});
