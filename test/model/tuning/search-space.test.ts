import fc from 'fast-check';
import type { TuningParameterSpec } from '../../../src/model/training-job/fields/features';
import { RANGE_LEVELS, SearchSpace, decodePoint, encodePoint } from '../../../src/model/tuning/search-space';

const space = (parameter: TuningParameterSpec) => new SearchSpace({ p: parameter });
const values = (parameter: TuningParameterSpec) => {
  const { size, pointNumber, valuesOf } = bound(space(parameter));
  return Array.from({ length: size }, (_entry, index) => valuesOf(pointNumber(index)).p);
};
const bound = (of: SearchSpace) => ({ size: of.size, pointNumber: of.pointNumber.bind(of), valuesOf: of.valuesOf.bind(of) });

test.each<[string, TuningParameterSpec, string[]]>([
  ['whole numbers', { type: 'int', min: 1, max: 4 }, ['1', '2', '3', '4']],
  ['whole numbers in steps', { type: 'int', min: 16, max: 70, step: 16 }, ['16', '32', '48', '64']],
  ['whole numbers on a log scale', { type: 'int', min: 1, max: 3, scale: 'log' }, ['1', '2', '3']],
  ['fractions in steps, without what binary makes of them', { type: 'float', min: 0.1, max: 0.5, step: 0.1 }, ['0.1', '0.2', '0.3', '0.4', '0.5']],
  ['a list of numbers in its order', { type: 'int', values: [16, 128, 32] }, ['16', '128', '32']],
  ['categories', { type: 'categorical', values: ['adam', 'sgd', 3] }, ['adam', 'sgd', '3']],
])('%s are counted', (_what, parameter, expected) => {
  expect(values(parameter)).toEqual(expected);
});

test('a range without steps reaches both of its ends and has no size', () => {
  const range = space({ type: 'float', min: 0.0001, max: 0.1, scale: 'log' });
  expect(range.size).toBe(Infinity);
  expect([0, RANGE_LEVELS - 1].map((level) => range.valuesOf([level]).p)).toEqual(['0.0001', '0.1']);
  expect(Number(range.valuesOf(range.pointAt([0.5])).p)).toBeCloseTo(Math.sqrt(0.0001 * 0.1), 5);
});

test('more whole numbers than levels are a range of whole numbers', () => {
  const range = space({ type: 'int', min: 0, max: 10 ** 9 });
  expect(range.size).toBe(Infinity);
  expect(range.valuesOf([RANGE_LEVELS - 1]).p).toBe('1000000000');
  expect(Number(range.valuesOf(range.pointAt([0.123])).p) % 1).toBe(0);
});

test('numbers of a list are as far apart as their ranks', () => {
  const [dimension] = space({ type: 'int', values: [16, 128, 32, 64] }).dimensions;
  expect([0, 2, 3, 1].map((level) => dimension.coordinateAt(level))).toEqual([0.125, 0.375, 0.625, 0.875]);
});

test('the parameters\' order is that of their names, whoever wrote them down', () => {
  const names = new SearchSpace({ b: { type: 'int', values: [1] }, a: { type: 'int', values: [1] } }).dimensions.map(({ name }) => name);
  expect(names).toEqual(['a', 'b']);
});

const parameter: fc.Arbitrary<TuningParameterSpec> = fc.oneof(
  fc.record({ type: fc.constant('float' as const), min: fc.double({ min: -1e6, max: 1e6, noNaN: true }), width: fc.double({ min: 1e-3, max: 1e6, noNaN: true }) })
    .map(({ width, ...rest }) => ({ ...rest, max: rest.min + width })),
  fc.record({ type: fc.constantFrom('float' as const, 'int' as const), min: fc.integer({ min: 1, max: 1000 }), width: fc.integer({ min: 1, max: 10 ** 6 }) })
    .map(({ width, ...rest }) => ({ ...rest, max: rest.min + width, scale: 'log' as const })),
  fc.record({ type: fc.constant('int' as const), min: fc.integer({ min: -1000, max: 1000 }), width: fc.integer({ min: 1, max: 10 ** 7 }) })
    .map(({ width, ...rest }) => ({ ...rest, max: rest.min + width })),
  fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 20 }).map((list) => ({ type: 'int' as const, values: list })),
);

test('every coordinate is a value within its bounds, and every point is its text', () => {
  fc.assert(fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), parameter, { minKeys: 1 }), fc.double({ min: 0, max: 0.999999, noNaN: true }), (parameters, at) => {
    const all = new SearchSpace(parameters);
    const point = all.pointAt(all.dimensions.map(() => at));
    expect(decodePoint(encodePoint(point))).toEqual(point);
    for (const [name, value] of Object.entries(all.valuesOf(point))) {
      const { min = -Infinity, max = Infinity, values: list, type } = parameters[name];
      expect(Number(value)).toBeGreaterThanOrEqual(min);
      expect(Number(value)).toBeLessThanOrEqual(max);
      expect(list === undefined || list.map(String).includes(value)).toBe(true);
      expect(type === 'float' || Number.isInteger(Number(value))).toBe(true);
    }
    all.dimensions.forEach((dimension, index) => {
      // A level's own coordinate leads back to it.
      expect(dimension.levelAt(dimension.coordinateAt(point[index]))).toBe(point[index]);
    });
  }), { numRuns: 500 });
});
