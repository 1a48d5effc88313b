import fc from 'fast-check';
import { escapeReferences, expandReferences, referencePieces } from '../../src/model/variable-references';
import { computingMs, LITTLE_MS } from '../support/cpu-time';
import { LONG, longText } from '../support/hostile-texts';

const lookup = (name: string) => ({ A: 'one', EMPTY: '', POD_IP: '10.0.0.1' })[name];
const expand = (text: string) => expandReferences(text, lookup);

describe('expanding references', () => {
  test.each([
    ['plain', 'plain'],
    ['$(A)', 'one'],
    ['x-$(A)-$(A)', 'x-one-one'],
    ['$(EMPTY)|', '|'],
    ['$(POD_IP):29500', '10.0.0.1:29500'],
    ['$(UNKNOWN)', '$(UNKNOWN)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$one'],
    ['$$$$(A)', '$$(A)'],
    ['a$$b', 'a$b'],
    ['$A ${A} $', '$A ${A} $'],
    ['', ''],
    ['$', '$'],
    ['$((A)', '$((A)'],
    ['price: 5$ and $(A)', 'price: 5$ and one'],
    ['--$(A)-$(UNKNOWN)-$$(B)--', '--one-$(UNKNOWN)-$(B)--'],
    ['$(A', '$(A'],
    ['$(A$$', '$(A$'],
    ['$()', '$()'],
  ])('makes of %s what the kubelet makes of it: %s', (text, expanded) => {
    expect(expand(text)).toBe(expanded);
  });

  test('does not expand what a reference stands for', () => {
    expect(expandReferences('$(B)', () => '$(A)$$')).toBe('$(A)$$');
  });
});

describe('escaping references', () => {
  test('arrives unchanged, whatever dollars and brackets are in the text', () => {
    const dollars = fc.array(fc.constantFrom('$', '(', ')', 'A', '$(A)', '$$', 'é', '\n', '{')).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.oneof(dollars, fc.string()), (text) => {
      expect(expand(escapeReferences(text))).toBe(text);
    }));
  });

  test('leaves text without dollars alone', () => {
    expect(escapeReferences('0.001 (default)')).toBe('0.001 (default)');
  });
});

test.each(['$(', '$', '$$', '$()', '(', '$(A)'])('a megabyte of %s takes no time', (filler) => {
  const text = longText(filler, LONG);
  expect(computingMs(() => expandReferences(text, () => undefined))).toBeLessThan(LITTLE_MS);
});

test('the pieces of a value are the value', () => {
  const text = fc.array(fc.constantFrom('$', '(', ')', 'A', '$(A)', '$$', '\n')).map((parts) => parts.join(''));
  fc.assert(fc.property(text, (value) => {
    const pieces = referencePieces(value);
    expect(pieces.map(({ written }) => written).join('')).toBe(value);
    expect(pieces.filter(({ name }) => name !== undefined).map(({ written, name }) => written === `$(${name})`)).not.toContain(false);
  }));
});
