import { expandVariables } from '../../../src/local/process/variable-expansion';

const VALUES: { readonly [name: string]: string } = { A: '1', B: 'two words', EMPTY: '', NESTED: '$(A)' };

// The kubelet's own cases: third_party/forked/golang/expansion/expand_test.go.
test.each([
  ['plain', 'plain'],
  ['$(A)', '1'],
  ['$(A)-$(B)', '1-two words'],
  ['[$(EMPTY)]', '[]'],
  ['$(NESTED)', '$(A)'],
  ['$(UNKNOWN)', '$(UNKNOWN)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$$$$(A)', '$$(A)'],
  ['$A', '$A'],
  ['${A}', '${A}'],
  ['$(A', '$(A'],
  ['$((A)', '$((A)'],
  ['$', '$'],
  ['$$', '$'],
  ['a$', 'a$'],
  ['', ''],
  ['$()', '$()'],
  ['price: 5$ and $(A)', 'price: 5$ and 1'],
  ['--$(A)-$(UNKNOWN)-$$(B)--', '--1-$(UNKNOWN)-$(B)--'],
])('expands %j to %j', (text, expanded) => {
  expect(expandVariables(text, (name) => VALUES[name])).toBe(expanded);
});
