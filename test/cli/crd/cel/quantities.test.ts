import { checkRules } from '../../../../src/cli/crd/cel/rules';
import { computingMs, LITTLE_MS } from '../../../support/cpu-time';

/** Whether a rule holds of a text. */
function holds(rule: string, text: string): boolean {
  const { findings, unchecked } = checkRules({ 'type': 'string', 'x-kubernetes-validations': [{ rule, message: 'broken' }] }, text);
  expect(unchecked).toEqual([]);
  return findings.length === 0;
}

test.each([
  ['1.5Gi', '1536Mi', 0], ['1e3', '1k', 0], ['0.0000000001', '1n', 0], ['1e-10', '1n', 0], ['-1e-10', '-1n', 0], ['1e2', '0.1k', 0], ['00001', '1', 0], ['0e999999999', '0', 0],
  ['1e999999999', '9223372036854775807', 0], ['1e-999999999', '1n', 0], ['1', '1e-999999999', 1], [`${'9'.repeat(500)}Ei`, '1e999999999', 0], [`0.${'0'.repeat(500)}1Ei`, '1n', 0],
  [`1.${'0'.repeat(500)}1`, '1.000000001', 0], ['1111111111111111111', '1Ei', -1], ['-1e999999999', '-9223372036854775807', 0],
])('%s compares to %s as %i', (one, other, order) => {
  expect(holds(`quantity(self).compareTo(quantity("${other}")) == ${order}`, one)).toBe(true);
  expect(holds(`quantity("${other}").compareTo(quantity(self)) == ${0 - order}`, one)).toBe(true);
});

test.each(['1e999999999', '1e-999999999', '1E+99999999999999999999', '9'.repeat(1_000_000), `0.${'0'.repeat(1_000_000)}1`, `1.${'9'.repeat(1_000_000)}`, `${'0'.repeat(1_000_000)}1`])(
  'a quantity far from any amount takes no time', (text) => {
    expect(computingMs(() => holds('isQuantity(self) && quantity(self).compareTo(quantity("0")) == 1', text))).toBeLessThan(LITTLE_MS);
  },
);
