/** The shape of the repository, as docs/architecture.md describes it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '..');

/** Files in a folder that a reader sees at once. */
const MAX_FILES = 20;

function foldersBelow(folder: string): string[] {
  const inner = readdirSync(path.join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return [folder, ...inner.flatMap(({ name }) => foldersBelow(`${folder}/${name}`))];
}

test('no folder of src has more than twenty files', () => {
  const counts = foldersBelow('src').map((folder) => [folder, readdirSync(path.join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isFile()).length] as const);
  expect(counts.filter(([, count]) => count > MAX_FILES)).toEqual([]);
});

test('no file of src has more than four hundred lines', () => {
  const files = foldersBelow('src').flatMap((folder) => readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`));
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((file) => readFileSync(path.join(ROOT, file), 'utf8').split('\n').length > 400)).toEqual([]);
});

test('a file of src is a topic and not a function: the median length is 90 to 160 lines', () => {
  const lengths = foldersBelow('src').flatMap((folder) => readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8').split('\n').length - 1)).sort((one, other) => one - other);
  const median = lengths[Math.floor(lengths.length / 2)];
  expect(median).toBeGreaterThanOrEqual(90);
  expect(median).toBeLessThanOrEqual(160);
});

test('every path of docs/architecture.md exists', () => {
  const page = readFileSync(path.join(ROOT, 'docs', 'architecture.md'), 'utf8');
  // Specifiers of the package, and what is built, are no paths of a clone.
  const written = [...page.matchAll(/`([\w.-]+(?:\/[\w.*-]+)+\/?)`/g)].map(([, text]) => text).filter((text) => !/^(trainyard|lib|assets)\//.test(text));
  const bases = ['', 'src', 'src/operator', 'src/operator/training', 'src/stacks', 'src/cli', 'src/programs', 'src/model', 'src/manifests', 'src/constructs'];
  const exists = (text: string) => bases.some((base) => ['', '.ts', '.py', '.sh'].some((end) => existsSync(path.join(ROOT, base, `${text.replace(/\/$/, '')}${end}`))));
  expect(written.length).toBeGreaterThan(40);
  expect(written.filter((text) => !exists(text))).toEqual([]);
});
