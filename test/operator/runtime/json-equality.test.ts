import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isSameJson } from '../../../src/operator/runtime/json-equality';

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify([value])) as unknown;

/** Small values, so that two of them are the same now and then. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, undefined, true, false, 0, 1, '', 'a'),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('any'), { maxKeys: 2 }),
  ),
})).any;

test('two values are the same exactly when their JSON is', () => {
  fc.assert(fc.property(value, value, (left, right) => {
    expect(isSameJson(left ?? null, right ?? null)).toBe(isDeepStrictEqual(asJson(left), asJson(right)));
  }), { numRuns: 5_000 });
});

test('a value is the same as its copy, in whatever order the fields are and whichever have no value', () => {
  expect(isSameJson({ a: 1, b: [{ c: undefined }], d: undefined }, { b: [{}], a: 1 })).toBe(true);
  expect(isSameJson({ a: undefined, b: 1 }, { a: 1, b: undefined })).toBe(false);
});
