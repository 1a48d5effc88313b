import fc from 'fast-check';
import { inferIndexedText, textAt } from '../../../../src/manifests/engines/indexed/indexed-text';

/** Texts that are easily taken for another: numbers of any form, dollars, and what is next to them. */
const piece = fc.oneof(fc.constantFrom('', 'worker-', '.net', '0', '00', '7', '9', '$', '$$', '$(A)', ':', '1e3', '-1', ' '), fc.nat(200).map(String), fc.string());
const anyText = fc.oneof(fc.constant(undefined), fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')));

/** Text without numbers and references, so that nothing next to an index can be mistaken for a part of it. */
const wordsOnly = fc.string().map((text) => text.replace(/[\d$]/g, ''));

/** Values that follow from the index by a rule. */
const ruled = fc.record({
  parts: fc.array(fc.tuple(wordsOnly, fc.nat(2000)), { minLength: 1, maxLength: 4 }),
  last: wordsOnly,
  count: fc.integer({ min: 1, max: 130 }),
}).map(({ parts, last, count }) => Array.from({ length: count }, (_, index) => `${parts.map(([words, plus]) => `${words}_${index + plus}`).join('')}${last}`));

describe('texts by index', () => {
  test('come out as they went in, whatever they are', () => {
    fc.assert(fc.property(fc.array(anyText, { maxLength: 30 }), fc.uniqueArray(fc.nat(30)), (values, firsts) => {
      const text = inferIndexedText(values, new Set(firsts));
      expect(values.map((_value, index) => textAt(text, index))).toEqual(values);
      expect(textAt(text, values.length)).toBeUndefined();
    }), { numRuns: 2000 });
  });

  test('come out as they went in where stretches of them follow rules', () => {
    fc.assert(fc.property(fc.array(fc.oneof(ruled, fc.array(anyText, { maxLength: 3 })), { maxLength: 4 }), (stretches) => {
      const values = stretches.flat();
      const text = inferIndexedText(values);
      expect(values.map((_value, index) => textAt(text, index))).toEqual(values);
    }), { numRuns: 500 });
  });

  test('are one description where one rule makes them all', () => {
    fc.assert(fc.property(ruled, (values) => {
      expect(inferIndexedText(values)).toHaveLength(1);
    }));
  });

  test('are segments that follow each other without a gap', () => {
    fc.assert(fc.property(fc.array(anyText, { minLength: 1, maxLength: 30 }), (values) => {
      const text = inferIndexedText(values);
      expect(text.map(({ from }) => from)).toEqual([0, ...text.slice(0, -1).map(({ to }) => to + 1)]);
      expect(text.at(-1)!.to).toBe(values.length - 1);
    }));
  });

  const cases: [what: string, values: (string | undefined)[], text: unknown, firsts?: number[]][] = [
    ['the same', ['a', 'a', 'a'], [{ from: 0, to: 2, parts: ['a'] }]],
    ['one alone', ['a1'], [{ from: 0, to: 0, parts: ['a1'] }]],
    ['the index', ['0', '1', '2'], [{ from: 0, to: 2, parts: [{ plus: 0 }] }]],
    ['the index after nine', ['w-9.net', 'w-10.net', 'w-11.net'], [{ from: 0, to: 2, parts: ['w-', { plus: 9 }, '.net'] }]],
    ['the index beside a constant number', ['2/0', '2/1', '2/2'], [{ from: 0, to: 2, parts: ['2/', { plus: 0 }] }]],
    ['workers behind a master', ['0', '0', '1', '2'], [{ from: 0, to: 0, parts: ['0'] }, { from: 1, to: 3, parts: [{ plus: -1 }] }], [0, 1]],
    ['ranks through two roles', ['0', '1', '2', '3'], [{ from: 0, to: 3, parts: [{ plus: 0 }] }], [0, 1]],
    ['names of roles', ['master', 'worker', 'worker'], [{ from: 0, to: 0, parts: ['master'] }, { from: 1, to: 2, parts: ['worker'] }], [0, 1]],
    ['some of them', ['0', '1', undefined, undefined], [{ from: 0, to: 1, parts: [{ plus: 0 }] }, { from: 2, to: 3 }]],
    ['leading zeros, which no program counts with', ['00', '01'], [{ from: 0, to: 0, parts: ['00'] }, { from: 1, to: 1, parts: ['01'] }]],
    ['counting by two', ['0', '2', '4'], [{ from: 0, to: 0, parts: ['0'] }, { from: 1, to: 1, parts: ['2'] }, { from: 2, to: 2, parts: ['4'] }]],
    ['a dollar before the number, which a kubelet would read together', ['$0', '$1'], [{ from: 0, to: 0, parts: ['$0'] }, { from: 1, to: 1, parts: ['$1'] }]],
    ['a table', ['b', 'a', 'b'], [{ from: 0, to: 0, parts: ['b'] }, { from: 1, to: 1, parts: ['a'] }, { from: 2, to: 2, parts: ['b'] }]],
  ];

  test.each(cases)('such as %s are told apart', (...[, values, text, firsts = []]) => {
    expect(inferIndexedText(values, new Set(firsts))).toEqual(text);
  });
});
