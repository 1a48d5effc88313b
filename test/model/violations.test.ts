import fc from 'fast-check';
import { ViolationCollector, didYouMean, formatViolation, formatViolations, quoteValue } from '../../src/model/violations';
import { hasUnseen } from '../../src/model/text/printable';
import { computingMs, LITTLE_MS } from '../support/cpu-time';
import { FILLERS, longText } from '../support/hostile-texts';

describe('did you mean', () => {
  const frameworks = ['pytorch', 'tensorflow', 'mxnet', 'jax', 'mpi', 'xgboost'];

  test.each([
    ['pytorhc', 'pytorch'],
    ['pytorc', 'pytorch'],
    ['PyTorch', 'pytorch'],
    ['tensorfow', 'tensorflow'],
    ['mxnett', 'mxnet'],
    ['xgbost', 'xgboost'],
    ['jaxx', 'jax'],
    ['jxa', 'jax'],
  ])('suggests for %s the word %s', (written, meant) => {
    expect(didYouMean(written, frameworks)).toBe(` Did you mean '${meant}'?`);
  });

  test.each(['caffe', 'x', '', 'spark', 'sklearn'])('suggests nothing for %j, which is another word', (written) => {
    expect(didYouMean(written, frameworks)).toBe('');
  });

  test('suggests nothing when there is nothing to choose from', () => {
    expect(didYouMean('worker', [])).toBe('');
  });

  test('suggests the first of two that are as close', () => {
    expect(didYouMean('bat', ['cat', 'rat'])).toBe(" Did you mean 'cat'?");
  });

  test('suggests a word for itself, and for itself with any one letter changed', () => {
    fc.assert(fc.property(fc.constantFrom(...frameworks), fc.nat(20), fc.constantFrom(...'qzv'), (word, at, letter) => {
      const slip = word.slice(0, at % word.length) + letter + word.slice((at % word.length) + 1);
      expect(didYouMean(word, frameworks)).toContain(`'${word}'`);
      expect(didYouMean(slip, [word])).toContain(`'${word}'`);
    }));
  });

  test('does not compare words of very different length letter by letter', () => {
    expect(didYouMean('p'.repeat(5_000_000), frameworks)).toBe('');
  });
});

describe('a violation as one line', () => {
  test('has path, value and message', () => {
    expect(formatViolation({ path: 'spec.port', value: 0, message: 'must be a port.' })).toBe('spec.port: 0: must be a port.');
    expect(formatViolation({ path: 'spec.image', value: 'a b', message: 'has a space.' })).toBe('spec.image: "a b": has a space.');
  });

  test('leaves out the value of a missing field', () => {
    expect(formatViolation({ path: 'spec.image', value: undefined, message: 'is required.' })).toBe('spec.image: is required.');
  });

  test('cuts long values so that the rule stays in sight', () => {
    const quoted = quoteValue('x'.repeat(500));
    expect(quoted).toHaveLength(80);
    expect(quoted.endsWith('...')).toBe(true);
    expect(quoteValue('x'.repeat(78))).toHaveLength(80);
  });

  test('writes null and what JSON cannot say as people would', () => {
    expect([quoteValue(null), quoteValue(undefined), quoteValue(['a'])]).toEqual(['null', 'undefined', '["a"]']);
  });
});

describe('a hostile text in a violation', () => {
  test('is one printable line, wherever it stands', () => {
    const text = 'x\n---\u001b[2J\u2028\u202e\r\u0085';
    const line = formatViolation({ path: `spec['${text}']`, value: { [text]: [text] }, message: `names ${text}.` });
    expect(hasUnseen(line)).toBe(false);
    expect(line).toContain("spec['x\\u000a---\\u001b[2J\\u2028\\u202e\\u000d\\u0085']");
  });

  test.each(FILLERS)('takes no time and has an end: 1 MiB of %j', (filler) => {
    const text = longText(filler);
    for (const value of [text, `://${text}`, [text, text], { [text]: text }]) {
      const violation = { path: `spec.${text}`, value, message: `is ${text}. Correct it.` };
      expect(computingMs(() => formatViolation(violation))).toBeLessThan(LITTLE_MS);
      expect(formatViolation(violation).length).toBeLessThan(40_000);
      expect(formatViolation({ ...violation, message: `${text}. Correct it.` })).toMatch(/Correct it\.$/);
    }
  });

  test('still hides a token', () => {
    expect(formatViolation({ path: 'a', value: `${'x '.repeat(10)}postgresql://train:hunter2@db/${longText('a')}`, message: 'is wrong.' })).not.toContain('hunter2');
  });

  test('a value in many layers is looked at as far as a message shows it', () => {
    let value: unknown = 'x';
    for (let i = 0; i < 100_000; i++) {
      value = [value];
    }
    expect(formatViolation({ path: 'a', value, message: 'is wrong.' })).toMatch(/^a: \[{20}"\.\.\."\]{20}: is wrong\.$/);
  });

  test('many violations end with how many there are', () => {
    const violations = Array.from({ length: 100_000 }, (_, i) => ({ path: `a[${i}]`, value: i, message: 'is wrong.' }));
    const lines = formatViolations(violations).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[20]).toBe('and 99980 more');
    expect(formatViolations(violations.slice(0, 2), '; ')).toBe('a[0]: 0: is wrong.; a[1]: 1: is wrong.');
  });
});

test('a collector keeps the order of the rules and gives copies', () => {
  const collector = new ViolationCollector();
  collector.add('a', 1, 'first');
  collector.addAll([{ path: 'b', value: 2, message: 'second' }]);
  collector.violations.push({ path: 'c', value: 3, message: 'not kept' });
  expect(collector.violations.map((violation) => violation.message)).toEqual(['first', 'second']);
});
