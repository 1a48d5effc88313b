import fc from 'fast-check';
import { commentLines, hasUnseen, linesOf, printable, printableColouredLines, printableLines, shortened } from '../../../src/model/text/printable';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { LONG } from '../../support/hostile-texts';

const UNSEEN = ['\u0000', '\u0007', '\u001b', '\r', '\n', '\t', '\u007f', '\u0085', '\u009b', '\u200b', '\u200e', '\u202e', '\u2028', '\u2029', '\u2066', '\ufeff', '\u{e0001}', '\ud800'];

test.each(UNSEEN)('what cannot be seen is written out: %j', (character) => {
  const shown = printable(`a${character}b`);
  expect(shown).toMatch(/^a(?:\\u[0-9a-f]{4})+b$/);
  expect(hasUnseen(character)).toBe(true);
  // As a program reads it, it is the same character.
  expect(JSON.parse(`"${shown}"`)).toBe(`a${character}b`);
});

test('what can be seen stays as it is', () => {
  const text = 'é 漢字 😀 عربى "quotes" \\ /';
  expect(printable(text)).toBe(text);
  expect(hasUnseen(text)).toBe(false);
});

test('a text of several lines keeps its line ends and tabs', () => {
  expect(printableLines('a\n\tb\u001b[31m\u2028\u202ec\r\n')).toBe('a\n\tb\\u001b[31m\\u2028\\u202ec\\u000d\n');
});

test('lines end wherever some program ends them', () => {
  expect(linesOf('a\nb\r\nc\rd\u2028e\u2029f\u0085g\u000bh\fi')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
});

test('every line of a comment is a comment', () => {
  expect(commentLines('//', 'a\nb\u2028c\u001b\r\n')).toEqual(['// a', '// b', '// c\\u001b', '//']);
  fc.assert(fc.property(fc.constantFrom('//' as const, '#' as const), fc.array(fc.constantFrom(...UNSEEN, 'x', ' ', '*/')), (mark, parts) => {
    for (const line of commentLines(mark, parts.join(''))) {
      expect(line.startsWith(mark)).toBe(true);
      expect(hasUnseen(line)).toBe(false);
    }
  }));
});

test('of a long text the beginning and the end are kept', () => {
  expect(shortened('abcdefghij', 10)).toBe('abcdefghij');
  expect(shortened('abcdefghijk', 10)).toBe('abc ... jk');
});

test.each(UNSEEN)('several of them are written out one by one: %j', (character) => {
  const text = `a${character.repeat(3)}\u0001${character}b${character}`;
  expect(printable(text)).toBe([...text].map((each) => printable(each)).join(''));
});

test.each(['\u202e', '\u0000', '\u{e0001}'])('a megabyte of %j takes no longer than other text', (character) => {
  expect(computingMs(() => printable(character.repeat(LONG)))).toBeLessThan(LITTLE_MS);
});

test('of what a program wrote for a terminal only the colours stay', () => {
  expect(printableColouredLines('\u001b[1;31merror\u001b[0m:\n\u001b[2J\u001b]0;x\u0007\u001b[31')).toBe('\u001b[1;31merror\u001b[0m:\n\\u001b[2J\\u001b]0;x\\u0007\\u001b[31');
});
