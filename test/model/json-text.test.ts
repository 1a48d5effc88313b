import fc from 'fast-check';
import { tryJsonText } from '../../src/model/json-text';

describe('the text of a value', () => {
  test('is its JSON', () => {
    expect(tryJsonText({ a: [1, 'b', true, null, { c: {} }] })).toBe('{"a":[1,"b",true,null,{"c":{}}]}');
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      fc.pre(!Object.is(value, -0));
      expect(tryJsonText(value)).toBe(JSON.stringify(value));
    }));
  });

  test('leads back to the value, whatever the value is', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true, withTypedArray: true });
    fc.assert(fc.property(anything, (value) => {
      const text = tryJsonText(value);
      if (text !== undefined) {
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(withoutSigns(JSON.parse(text))).toStrictEqual(withoutSigns(value));
      }
    }), { numRuns: 2000 });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined], ['no number', NaN], ['an endless number', -Infinity], ['a large integer', 1n], ['a function', () => 1], ['a symbol', Symbol('a')],
    ['a date', new Date(0)], ['a map', new Map()], ['an instance of a class', new (class Job {})()],
    ['an object that writes itself', { toJSON: () => 'a' }], ['a list with a hole', [1, , 2]], // eslint-disable-line no-sparse-arrays
  ])('does not exist where JSON would lose something: %s', (_what, value) => {
    expect(tryJsonText(value)).toBeUndefined();
    expect(tryJsonText({ a: [{ b: value }] })).toBeUndefined();
  });
});

/** Zeros without their sign, which no YAML tells apart. */
function withoutSigns(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSigns);
  }
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSigns(item)]));
  }
  return Object.is(value, -0) ? 0 : value;
}
