import fc from 'fast-check';
import { mergePatch as applied } from './support/fake-storage';
import { mergePatch } from '../../../src/operator/runtime/merge-patch';

/** Objects of few fields, so that two of them have some in common; with no null, which a merge patch cannot write. */
const OBJECTS = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 }, fc.integer({ max: 3 }), fc.boolean(), fc.constant(''), fc.array(fc.integer({ max: 3 }), { maxLength: 2 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
})).object as fc.Arbitrary<object>;

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('the patch makes the one of the other', () => {
  fc.assert(fc.property(OBJECTS, OBJECTS, (left, right) => {
    const [before, after] = [asJson(left), asJson(right)];
    expect(applied(before, asJson(mergePatch(before, after)))).toEqual(after);
  }));
});

test('a field that is gone, or has no value any more, is null; one that was never there is left out', () => {
  const before = { a: 1, b: { c: 1, d: 2 }, e: undefined };
  expect(mergePatch(before, { b: { d: 2 }, e: undefined, f: undefined })).toEqual({ a: null, b: { c: null, d: 2 } });
  expect(Object.keys(mergePatch({}, { e: undefined }) as object)).toEqual([]);
});

test('lists are replaced as a whole, and what is the same is said again', () => {
  expect(mergePatch({ list: [{ a: 1, b: 2 }], same: 1 }, { list: [{ a: 1 }], same: 1 })).toEqual({ list: [{ a: 1 }], same: 1 });
});

test('there may be nothing yet', () => {
  expect(mergePatch(undefined, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
});

test('fields may have any name', () => {
  const before = JSON.parse('{"m":{"__proto__":"1","constructor":"2"}}') as object;
  expect(JSON.stringify(mergePatch(before, { m: {} }))).toBe('{"m":{"__proto__":null,"constructor":null}}');
  expect(JSON.stringify(mergePatch({}, before))).toBe('{"m":{"__proto__":"1","constructor":"2"}}');
});
