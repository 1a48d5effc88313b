import fc from 'fast-check';
import { ViolationCollector, didYouMean, formatViolation, quoteValue } from '../../src/model/violations';

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

test('a collector keeps the order of the rules and gives copies', () => {
  const collector = new ViolationCollector();
  collector.add('a', 1, 'first');
  collector.addAll([{ path: 'b', value: 2, message: 'second' }]);
  collector.violations.push({ path: 'c', value: 3, message: 'not kept' });
  expect(collector.violations.map((violation) => violation.message)).toEqual(['first', 'second']);
});
