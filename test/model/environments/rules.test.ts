import fc from 'fast-check';
import { tryParseImage } from '../../../src/model/environments/structure';
import { validateEnvironments } from '../../../src/model/environments/rules';
import type { EnvironmentSpec } from '../../../src/model/environments/settings';
import { formatViolation } from '../../../src/model/violations';

const environment = (name: string, more: Partial<EnvironmentSpec> = {}): EnvironmentSpec => ({
  name, mode: 'pull-request', namespacePrefix: '', versions: {}, images: {}, sizes: [], quotas: [], ...more,
});
const pair = (dev: Partial<EnvironmentSpec>, prod: Partial<EnvironmentSpec>) => [environment('dev', dev), environment('prod', { from: 'dev', ...prod })];
const told = (environments: readonly EnvironmentSpec[]) => validateEnvironments(environments).map(formatViolation);

test('four environments that follow each other are right', () => {
  const chain = ['dev', 'qa', 'stress', 'prod'];
  expect(told(chain.map((name, index) => environment(name, {
    ...(index > 0 && { from: chain[index - 1] }), server: 'https://10.0.0.1:6443', namespacePrefix: `${name}-`, revision: 'release/1.0',
    versions: { kueue: `0.${20 - index}.0` }, images: { train: `registry.example:5000/train:v1.${9 - index}` }, sizes: ['llm'], quotas: ['vision'],
  })))).toEqual([]);
});

const SHA = `sha256:${'0'.repeat(64)}`;

describe('what is wrong is said, with the way out', () => {
  test.each<readonly [string, readonly EnvironmentSpec[], readonly string[]]>([
    ['no environment', [], ['environments: []: must be at least one environment. Leave it out for dev, qa, stress and prod.']],
    ['a name with capitals', [environment('Dev')],
      ['environments[0].name: "Dev": must be at most 20 lower-case letters, digits and dashes, beginning with a letter: folders and namespaces have it in their names.']],
    ['a long name', [environment('a'.repeat(21))], [expect.stringContaining('must be at most 20') as unknown as string]],
    ['a name twice', [environment('dev'), environment('dev')], ['environments[1].name: "dev": is the name of an earlier environment. Each has its own folder.']],
    ['a source that is none', [environment('dev'), environment('qa', { from: 'dve' })], ['environments.qa.from: "dve": is not an environment; there are dev, qa. Did you mean \'dev\'?']],
    ['a circle', [environment('dev', { from: 'qa' }), environment('qa', { from: 'dev' })], [
      'environments.dev.from: "qa": creates a cycle: dev from qa from dev. One environment must come first.', 'environments.qa.from: "dev": creates a cycle: qa from dev from qa. One environment must come first.',
    ]],
    ['itself', [environment('dev', { from: 'dev' })], ['environments.dev.from: "dev": creates a cycle: dev from dev. One environment must come first.']],
    ['a prefix', pair({}, { namespacePrefix: 'Prod_' }), ['environments.prod.namespacePrefix: "Prod_": must be at most 20 lower-case letters, digits and dashes, beginning with a letter, such as dev-.']],
    ['a revision', pair({}, { revision: 'a b' }), ['environments.prod.revision: "a b": must be a Git branch, tag or commit, such as main.']],
    ['a revision that is an option', pair({}, { revision: '--all' }), ['environments.prod.revision: "--all": must be a Git branch, tag or commit, such as main.']],
    ['a server', pair({}, { server: 'https://host/path' }), ['environments.prod.server: "https://host/path": must be the address of an API server, such as https://10.0.0.1:6443, without a path.']],
    ['one cluster and one prefix', pair({ server: 'https://one' }, { server: 'https://one' }),
      ['environments.prod.namespacePrefix: "": is also used by \'dev\', which is in the same cluster (https://one): one would overwrite the other. Give each its own.']],
    ['a version without numbers', [environment('dev', { versions: { kueue: 'newest' } })],
      ['environments.dev.versions.kueue: "newest": must begin with numbers, such as 1.4.0 or v1.4.0; other formats cannot be compared.']],
    ['an image that is none', [environment('dev', { images: { train: 'a b' } })], ['environments.dev.images.train: "a b": must be an image reference, such as registry.example/train:1.4.']],
    ['an image without a tag', [environment('dev', { images: { train: 'registry.example:5000/train' } })],
      ['environments.dev.images.train: "registry.example:5000/train": must have a tag other than latest, or a digest: the image tested in one environment must be the one that runs in the next.']],
    ['the newest image', [environment('dev', { images: { train: 'train:latest' } })], [expect.stringContaining('must have a tag other than latest') as unknown as string]],
    ['a newer version than before it', pair({ versions: { kueue: '0.19.2' } }, { versions: { kueue: '0.20.0' } }), [
      'environments.prod.versions.kueue: "0.20.0": is newer than "0.19.2" of \'dev\', which \'prod\' is promoted from. Raise it there first, and promote it: trainyard promote dev prod.',
    ]],
    ['a newer image than before it', pair({ images: { train: 'train:1.9' } }, { images: { train: 'train:1.10' } }), [
      'environments.prod.images.train: "train:1.10": is newer than "train:1.9" of \'dev\', which \'prod\' is promoted from. Raise it there first, and promote it: trainyard promote dev prod.',
    ]],
    ['a version that one has', pair({ versions: { kueue: '1', keda: '2' } }, { versions: { kueue: '1' } }),
      ['environments.prod.versions.keda: is missing, and dev has it: environments differ in values but not in structure.']],
    ['an image by another name', pair({ images: { train: 't:1' } }, { images: { trian: 't:1' } }), [
      'environments.prod.images.train: is missing, and dev has it: environments differ in values but not in structure. Did you mean \'trian\'?',
      'environments.dev.images.trian: is missing, and prod has it: environments differ in values but not in structure. Did you mean \'train\'?',
    ].sort().reverse()],
    ['a size that one has', pair({ sizes: ['llm'] }, {}), ['environments.prod.sizes.llm: is missing, and dev has it: environments differ in values but not in structure.']],
    ['a quota that one has', pair({}, { quotas: ['vision'] }), ['environments.dev.quotas.vision: is missing, and prod has it: environments differ in values but not in structure.']],
  ])('%s', (_what, environments, expected) => {
    expect(told(environments).sort()).toEqual([...expected].sort());
  });
});

describe('what cannot be told apart by age is not judged', () => {
  test.each<readonly [string, string, string]>([
    ['commits', 'train:0a1b2c3', 'train:9f8e7d6'], ['digests', `train@${SHA}`, `train@${SHA.replace(/0/g, '1')}`], ['another repository', 'train:1.0', 'train-fork:2.0'], ['an older one', 'train:2.0', 'train:1.0'],
  ])('%s', (_what, earlier, own) => {
    expect(told(pair({ images: { train: earlier } }, { images: { train: own } }))).toEqual([]);
  });
});

test('an image is ahead exactly when its version is, whatever the numbers', () => {
  const numbers = fc.array(fc.nat(30), { minLength: 1, maxLength: 3 });
  fc.assert(fc.property(numbers, numbers, (one, other) => {
    const difference = [0, 1, 2].map((at) => (other[at] ?? 0) - (one[at] ?? 0)).find((each) => each !== 0) ?? 0;
    expect(told(pair({ versions: { a: one.join('.') } }, { versions: { a: other.join('.') } })).length).toBe(difference > 0 ? 1 : 0);
    expect(told(pair({ images: { a: `i:v${one.join('.')}` } }, { images: { a: `i:v${other.join('.')}` } })).length).toBe(difference > 0 ? 1 : 0);
  }));
});

test.each([
  ['train', { repository: 'train' }], ['registry.example:5000/a/b:1.0', { repository: 'registry.example:5000/a/b', tag: '1.0' }],
  [`a/b:1@${SHA}`, { repository: 'a/b', tag: '1', digest: SHA }], ['a b', undefined], ['a@sha256:12', undefined], ['', undefined],
])('the image %s is taken apart', (image, expected) => {
  expect(tryParseImage(image)).toEqual(expected);
});
