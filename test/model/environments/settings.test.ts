import { readSettings } from '../../../src/model/environments/settings';
import { formatViolation } from '../../../src/model/violations';

const told = (content: unknown) => readSettings(content).violations.map(formatViolation);

test('a file is read in its order, and what it leaves out is empty', () => {
  expect(readSettings({ dev: null, qa: { from: 'dev', promotion: 'automatic', revision: 'main', versions: { kueue: '0.19.2' }, images: { train: 't:1' } } })).toEqual({
    environments: [
      { name: 'dev', versions: {}, images: {} },
      { name: 'qa', from: 'dev', promotion: 'automatic', revision: 'main', versions: { kueue: '0.19.2' }, images: { train: 't:1' } },
    ],
    violations: [],
  });
});

test.each<readonly [string, unknown, string]>([
  ['nothing', undefined, 'environments: must be a mapping from names of environments'],
  ['an empty file', {}, 'environments: {}: must be a mapping from names of environments'],
  ['a list', [1], 'environments: [1]: must be a mapping from names of environments'],
  ['an environment that is a text', { dev: 'x' }, 'environments.dev: "x": must be a mapping with from, promotion, revision, versions, images.'],
  ['another field', { dev: { version: {} } },
    'environments.dev.version: {}: is not a setting: the file has from, promotion, revision, versions, images, and everything else is in the program. Did you mean \'versions\'?'],
  ['another promotion', { dev: { promotion: 'automatc' } }, 'environments.dev.promotion: "automatc": must be automatic or pull-request. Did you mean \'automatic\'?'],
  ['a number for a text', { dev: { revision: 1 } }, 'environments.dev.revision: 1: must be a string.'],
  ['a version as a number', { dev: { versions: { kueue: 0.2 } } }, 'environments.dev.versions.kueue: 0.2: must be a string. Put it in quotes: YAML reads 1.10 as the number 1.1.'],
  ['images as a list', { dev: { images: ['a'] } }, 'environments.dev.images: ["a"]: must be a mapping from names to strings.'],
])('%s is refused', (_what, content, expected) => {
  expect(told(content)).toEqual([expect.stringContaining(expected)]);
});
