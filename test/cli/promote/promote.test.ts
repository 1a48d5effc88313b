import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';

const root = temporaryFolder();
const FILE = path.join(root, 'environments.yaml');
const TEXT = `# Who changes this: trainyard promote.
dev:
  versions: { kueue: "0.20", keda: 2.18.0 }
  images:
    train: "registry.example/train:1.4" # built on Monday
qa:
  promotion: automatic
  versions: { kueue: "0.19", keda: 2.18.0 }
  images:
    train: registry.example/train:1.3
prod:
  from: qa
  revision: release
  versions: { kueue: "0.19", keda: 2.17.0 }
  images:
    train: registry.example/train:1.2
`;

beforeEach(() => fs.writeFileSync(FILE, TEXT));

const promote = (...words: string[]) => trainyard(['promote', ...words], { cwd: root });
const content = () => fs.readFileSync(FILE, 'utf8');

test('versions and images of the environment before are written, and all else stays', async () => {
  expect(await promote('dev', 'qa')).toEqual({
    code: 0,
    out: 'versions.kueue: 0.19 -> 0.20\nimages.train: registry.example/train:1.3 -> registry.example/train:1.4\n',
    err: 'trainyard: 2 settings promoted from \'dev\' to \'qa\' in environments.yaml. Synthesize and commit it.\n',
  });
  expect(content()).toBe(TEXT.replace('kueue: "0.19", keda: 2.18.0', 'kueue: "0.20", keda: 2.18.0').replace('train:1.3', 'train:1.4'));
});

test('the target alone is enough, and a second time there is nothing to do', async () => {
  await promote('qa');
  const once = content();
  expect(await promote('qa')).toEqual({ code: 0, out: '', err: 'trainyard: \'qa\' is up to date with \'dev\'.\n' });
  expect(content()).toBe(once);
});

test.each([
  ['images', 'images.train: registry.example/train:1.2 -> registry.example/train:1.3\n'], ['keda', 'versions.keda: 2.17.0 -> 2.18.0\n'], ['versions.keda', 'versions.keda: 2.17.0 -> 2.18.0\n'],
  ['train, versions', 'versions.keda: 2.17.0 -> 2.18.0\nimages.train: registry.example/train:1.2 -> registry.example/train:1.3\n'],
])('only %s', async (only, out) => {
  expect(await promote('prod', '--only', only)).toMatchObject({ code: 0, out });
});

test('a dry run writes nothing', async () => {
  expect(await promote('qa', '--dry-run')).toMatchObject({ code: 0, out: expect.stringContaining('versions.kueue') as string, err: 'trainyard: 2 settings would be promoted from \'dev\' to \'qa\'.\n' });
  expect(content()).toBe(TEXT);
});

test('what the target lacks is added, what only it has stays, and a version that looks like a number stays a text', async () => {
  fs.writeFileSync(FILE, 'dev:\n  versions: { a: "1.10" }\nqa:\nprod:\n  versions: { b: "2" }\n');
  expect(await promote('qa')).toMatchObject({ out: 'versions.a: (none) -> 1.10\n' });
  expect(parse(content())).toEqual({ dev: { versions: { a: '1.10' } }, qa: { versions: { a: '1.10' } }, prod: { versions: { b: '2' } } });
  expect(await promote('prod')).toMatchObject({ code: 0, err: expect.stringContaining('note: versions.b is only in \'prod\', and stays unchanged\n') as string });
  expect(parse(content()).prod).toEqual({ versions: { b: '2', a: '1.10' } });
});

test('JSON stays JSON', async () => {
  const file = path.join(root, 'settings.json');
  fs.writeFileSync(file, '{"dev": {"images": {"a": "a:2"}}, "qa": {"images": {"a": "a:1"}}}');
  expect(await promote('qa', '--file', 'settings.json')).toMatchObject({ code: 0 });
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ dev: { images: { a: 'a:2' } }, qa: { images: { a: 'a:2' } } });
});

test.each<readonly [string, readonly string[], string]>([
  ['another way than the chain', ['dev', 'prod'], '\'prod\' is promoted from \'qa\', and not from \'dev\'. Promote step by step: trainyard promote qa prod.'],
  ['to the first', ['dev'], 'Nothing is promoted to \'dev\': it is the first environment. Change it in the file, and promote from it.'],
  ['no such environment', ['qq'], 'There is no environment \'qq\'; the file has dev, qa, prod. Did you mean \'qa\'?'],
  ['three environments', ['dev', 'qa', 'prod'], 'promote dev qa prod: at most two environments, the source and the target.'],
  ['no such setting', ['qa', '--only', 'trian'], '--only trian: \'dev\' has no such setting; it has versions, versions.kueue, versions.keda, images, images.train. Did you mean \'train\'?'],
  ['no file', ['qa', '--file', 'environment.yaml'], 'environment.yaml: no such file. Did you mean \'environments.yaml\'?'],
])('%s is refused', async (_what, words, message) => {
  expect(await promote(...words)).toEqual({ code: 2, out: '', err: `trainyard: ${message}\n` });
  expect(content()).toBe(TEXT);
});

test('an empty name among the settings is refused', async () => {
  expect(await promote('qa', '--only', 'a,')).toMatchObject({ code: 2, err: expect.stringContaining('It is a list of names') as string });
});

test.each([
  ['dev: [', 'environments.yaml is not valid YAML'], ['dev: { image: {} }', 'environments.yaml is wrong:\n  environments.dev.image: {}: is not a setting'],
])('a file that is wrong is told: %s', async (text, message) => {
  fs.writeFileSync(FILE, text);
  expect(await promote('qa')).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
});

test('what would be wrong afterwards is not written', async () => {
  fs.writeFileSync(FILE, 'dev:\n  images: { a: "a:2" }\nqa:\n  images: { a: "a:1" }\nprod:\n  images: { a: "a:1" }\n'.replace('a:2', 'a:latest'));
  const before = content();
  expect(await promote('qa')).toMatchObject({ code: 2, err: expect.stringContaining('Nothing is promoted from \'dev\' to \'qa\'; the result would not be valid:\n  environments.qa.images.a: "a:latest"') as string });
  expect(content()).toBe(before);
});
