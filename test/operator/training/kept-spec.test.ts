import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { isCompressed, keptSpec } from '../../../src/operator/training/kept-spec';
import { atOnce, resolveOnce } from '../../../src/operator/training/plan/resolve-once';
import { trimJob, type TrainingJobObject } from '../../../src/operator/training/resources';

const SMALL: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 2, command: ['python', 'train.py'], env: [{ name: 'A', value: 'ä' }] };

/** A spec of so many kilobytes, as it is read: no part of it is shared. */
const large = (name = 'V', kilobytes = 400): TrainingJobSpec => JSON.parse(JSON.stringify({
  ...SMALL, env: Array.from({ length: kilobytes }, (_, index) => ({ name: `${name}${index}`, value: 'x'.repeat(1000) })),
})) as TrainingJobSpec;

const isStored = (spec: TrainingJobSpec, field: keyof TrainingJobSpec): boolean => 'value' in Object.getOwnPropertyDescriptor(spec, field)!;

/** Bytes in use, without garbage. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('an ordinary spec is kept as it is', () => {
  const spec = { ...SMALL, args: ['x'.repeat(20_000)] };
  expect(keptSpec(spec)).toBe(spec);
  expect(isCompressed(spec)).toBe(false);
});

test('a large one reads as it did, in every way', () => {
  const spec = large();
  const before = JSON.stringify(spec);
  const kept = keptSpec(spec);
  expect(JSON.stringify(kept)).toBe(before);
  expect(kept).toEqual(JSON.parse(before));
  expect({ ...kept }.env).toEqual(spec.env);
  expect(Object.keys(kept)).toEqual(Object.keys(spec));
  // What was given is left as it was.
  expect(isStored(spec, 'env')).toBe(true);
});

test('its large fields are compressed, the others are not, and again makes no difference', () => {
  const kept = keptSpec(large());
  expect(isCompressed(kept)).toBe(true);
  expect(Object.keys(kept).filter((field) => !isStored(kept, field as keyof TrainingJobSpec))).toEqual(['env']);
  expect(kept.env).toBe(kept.env);
  expect(keptSpec(kept)).toBe(kept);
});

test('a long text is compressed too', () => {
  const kept = keptSpec({ ...SMALL, image: 'i'.repeat(70_000) });
  expect(isStored(kept, 'image')).toBe(false);
  expect(kept.image).toBe('i'.repeat(70_000));
});

test('a large spec resolves as the same spec that is not compressed', () => {
  const kept = keptSpec(large());
  expect(resolveOnce('net', kept).resolved).toEqual(resolveOnce('net', large()).resolved);
  expect(resolveOnce('net', kept).violations).toEqual([]);
});

test('twenty jobs of a megabyte, each looked at in full, leave a small part of their size', () => {
  const before = bytesInUse();
  const kept = Array.from({ length: 20 }, (_, index): TrainingJobObject => {
    const job = trimJob({ metadata: { name: `net-${index}`, namespace: 'ns' }, spec: large(`V${index}_`, 1000) } as TrainingJobObject);
    expect(job.spec.env).toHaveLength(1000);
    return job;
  });
  const grownBy = bytesInUse() - before;
  // The specs alone are 20 MB.
  expect(grownBy).toBeLessThan(10 * 1024 * 1024);
  expect(kept.map(({ spec }) => spec.env!.length)).toEqual(Array.from({ length: 20 }, () => 1000));
});

test('a loop over a hundred large jobs in one turn of the event loop holds a few of them at a time', () => {
  const kept = Array.from({ length: 100 }, (_, index) => keptSpec(large(`V${index}_`)));
  const before = bytesInUse();
  for (const [index, spec] of kept.entries()) {
    expect(resolveOnce(`net-${index}`, spec).resolved?.roles).toHaveLength(2);
  }
  // In the same turn: what weak references have shown would all be there.
  expect(bytesInUse() - before).toBeLessThan(20 * 1024 * 1024);
});

test('a spec that is too large for a job is told so without being read', () => {
  const kept = keptSpec(large('V', 1000));
  Object.defineProperty(kept, 'env', { get: () => { throw new Error('it was read'); } });
  expect(resolveOnce('net', kept)).toMatchObject({ resolved: undefined, violations: [{ path: 'spec', value: expect.stringMatching(/^\d+ KiB$/) }] });
});

test('fewer pods of a large job are made at the same time, one at least', () => {
  expect([SMALL, keptSpec(large()), keptSpec(large('V', 1000)), keptSpec(large('V', 4000))].map(atOnce)).toEqual([Infinity, 5, 2, 1]);
});

test.each(['{},', '[],', '[[]],', '{"a":0},'])('many small things (%s) take no more memory than their text', (thing) => {
  const many = (): TrainingJobSpec => ({ ...SMALL, template: { spec: JSON.parse(`{"x":[${thing.repeat(60_000 / thing.length)}0]}`) as never } });
  const before = bytesInUse();
  const kept = Array.from({ length: 50 }, () => keptSpec(many()));
  expect(bytesInUse() - before).toBeLessThan(50 * 64 * 1024);
  expect(kept[0].template).toEqual(many().template);
});

test('a spec with thousands of levels, which nothing can write out, is kept without them and refused', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`) as never;
  const kept = keptSpec({ ...SMALL, command: ['x'.repeat(70_000)], template: { spec: deep } });
  expect(kept).toMatchObject({ framework: 'pytorch', replicas: 2, template: undefined });
  expect(resolveOnce('net', kept)).toMatchObject({ resolved: undefined, violations: [{ path: 'spec', value: '9002 levels' }] });
});
