import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { shellNeedsQuotes, shellWord } from '../../../src/model/variable-references';

test('a shell gives words back as they were', () => {
  // All in one process: the words are its arguments, one a line in hexadecimal.
  const words = fc.sample(fc.string({ unit: 'grapheme', minLength: 1 }).filter((word) => !word.includes('\0')), { numRuns: 300, seed: 1 });
  const line = `for word in ${words.map(shellWord).join(' ')}; do printf '%s\\0' "$word"; done`;
  expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
});

test.each(['python', '--epochs=3', '/data/a.txt', 'a@b', 'x%y', '1,2:3'])('%s stays as it is', (word) => {
  expect(shellNeedsQuotes(word)).toBe(false);
  expect(shellWord(word)).toBe(word);
});

test.each(['', 'a b', '$(lr)', 'a;b', 'a|b', '*', '~', '=x', '#', 'it\'s'])('\'%s\' is quoted', (word) => {
  expect(shellNeedsQuotes(word)).toBe(true);
});
