import fc from 'fast-check';
import { TOKEN_KINDS } from '../../../src/model/secrets/token-kinds';
import { anyOf, everywhere, expressionOf, matchesGlob, problemOfExpression, quotedPattern } from '../../../src/model/text/expressions';
import { trimmed, trimmedEnd } from '../../../src/model/text/trim';
import { trainingJobSchema } from '../../../src/model/training-job/schema/training-job-schema';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';
import { FILLERS, longText } from '../../support/hostile-texts';

/** They take 1 to 10 ms. */
const texts = FILLERS.map((filler) => longText(filler));

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) {
    return [];
  }
  return Object.entries(schema).flatMap(([key, value]) => (key === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value)));
}

test.each([...new Set(patternsIn(trainingJobSchema()))])('a pattern of the schema takes linear time: %s', (pattern) => {
  const expression = expressionOf(pattern);
  for (const text of texts) {
    for (const each of [text, `a${text}`, `https://${text}`, `sha256:${text}`]) {
      expect(computingMs(() => expression.test(each))).toBeLessThan(LITTLE_MS);
    }
  }
});

test.each(TOKEN_KINDS)('the form of $title ($marker) takes linear time', ({ form, marker, glance }) => {
  for (const text of texts) {
    for (const each of [marker + text, text + marker, `${marker}:${text}`]) {
      for (const expression of [form, ...(glance === undefined ? [] : [glance])]) {
        expect(computingMs(() => expression.test(each))).toBeLessThan(LITTLE_MS);
      }
    }
  }
});

test('a text that is quoted stands for itself', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (text, other) => {
    expect(expressionOf(`^${quotedPattern(text)}$`).test(text)).toBe(true);
    expect(expressionOf(`^${quotedPattern(text)}$`).test(other)).toBe(text === other);
  }));
});

test('one of several, and everywhere', () => {
  expect('a.b a-b axb'.replace(everywhere(anyOf([quotedPattern('a.b'), quotedPattern('a-b')])), '#')).toBe('# # axb');
  expect(everywhere(/a/gi).flags).toBe('gi');
});

test('a glob says what its expression would say', () => {
  const glob = fc.array(fc.constantFrom('a', 'b', '/', '*'), { maxLength: 8 }).map((parts) => parts.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(fc.property(glob, name, (pattern, text) => {
    const expression = expressionOf(`^${pattern.split('*').map(quotedPattern).join('.*')}$`, 's');
    expect(matchesGlob(pattern, text)).toBe(expression.test(text));
  }), { numRuns: 2000 });
});

test('a glob with many stars takes no time', () => {
  const text = longText('a');
  expect(computingMs(() => matchesGlob(`${'a*'.repeat(50)}b`, text))).toBeLessThan(LITTLE_MS);
  expect(computingMs(() => matchesGlob(`${'a*b*'.repeat(50)}a`, text))).toBeLessThan(LITTLE_MS);
});

test('an expression of a user is compiled and not run', () => {
  expect(problemOfExpression('^(a+)+$')).toBeUndefined();
  expect(problemOfExpression('(')).toMatch(/Unterminated group/);
  expect(problemOfExpression(longText('('))).toBe('it is longer than 4096 characters');
});

test('ends are trimmed of any of the characters', () => {
  expect(trimmedEnd('-a-.-', '-.')).toBe('-a');
  expect(trimmed('--a--', '-')).toBe('a');
  expect(trimmed('---', '-')).toBe('');
  expect(computingMs(() => trimmed(`${longText('-')}a${longText('-')}a`, '-'))).toBeLessThan(LITTLE_MS);
});
