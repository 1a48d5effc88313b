import { checkRules } from '../../../../src/cli/crd/cel/rules';

test.each([
  ['quantity(self).sign() == 1', 'is not a quantity'],
  ['ip(self).family() == 4', 'is not an address'],
  ['cidr(self).prefixLength() == 8', 'is not an address range'],
  ['url(self).getPort() == ""', 'is not a URL'],
  ['semver(self).major() == 1', 'is not a semantic version'],
])('%s cannot be evaluated for a text that it cannot parse, so the API server rejects the object', (rule, why) => {
  const { findings, unchecked } = checkRules({ 'type': 'string', 'x-kubernetes-validations': [{ rule }] }, 'no such thing');
  expect(unchecked).toEqual([]);
  expect(findings.map(({ message }) => message)).toEqual([`cannot be evaluated by the rule ${rule} ("no such thing" ${why}), so the API server rejects it.`]);
});
