/** Ignore rules against git itself, on random trees with random ignore files in them; then what git does not know. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { listFiles } from '../../../src/constructs/code/archive';
import { parseIgnoreFile, matchesEntry } from '../../../src/constructs/code/ignore-pattern';
import { IgnoreRules } from '../../../src/constructs/code/ignore-rules';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { computingMs, LITTLE_MS } from '../../support/cpu-time';

const root = temporaryFolder();
let folders = 0;

/** A folder with some files; a git repository unless it is said otherwise. */
function folderWith(files: { readonly [file: string]: string }, isRepository = true): string {
  const folder = path.join(root, String(++folders));
  fs.mkdirSync(folder);
  if (isRepository) {
    git(folder, 'init', '--quiet');
  }
  write(folder, files);
  return folder;
}

function write(folder: string, files: { readonly [file: string]: string }): void {
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content);
  }
}

function git(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-c', 'core.excludesFile=/dev/null', ...args], { cwd: folder, encoding: 'latin1' });
  if (status !== 0) {
    throw new Error(`git ${args.join(' ')}: ${stderr}`);
  }
  return stdout;
}

/** Files that git would add. */
function filesOfGit(folder: string): string[] {
  return git(folder, 'ls-files', '--others', '--exclude-per-directory=.gitignore', '-z').split('\0').filter((name) => name !== '')
    .map((name) => Buffer.from(name, 'latin1').toString('utf8')).sort();
}

const filesOf = (folder: string, patterns: readonly string[] = [], defaults?: readonly string[]) => (
  listFiles(fs.realpathSync(folder), new IgnoreRules(fs.realpathSync(folder), patterns, defaults)).map(({ path: name }) => name).sort());

const name = fc.constantFrom('a', 'b', 'ab', 'a.b', 'é', 'A', 'a b', '-', '!a', '#a', 'ba', '[a]', 'a\\b', '*');
const treePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

/** Pieces of patterns, from harmless ones to those that git's own code treats in a way of its own. */
const piece = fc.constantFrom(
  'a', 'b', 'ab', '*', '**', '?', '/', '/', '**/', '/**', '[ab]', '[!a]', '[^b]', '[a-b]', '[b-a]', '[[:alpha:]]', '[[:nope:]]', '[[:alpha', '[]a]', '[a', '[!]a]', '[-a]', '[a-]',
  '[\\a]', '[a\\-b]', '\\a', '\\', '\\*', '\\ ', ' ', '#', '!', '.', 'é', '[é]', 'A', '-', '[*]', '[/]', '\\!', '\\#', '\r', '[[a]', '[a-é]', '***', '[[:upper:][:digit:]]',
);
const pattern = fc.tuple(fc.constantFrom('', '', '', '!', '/'), fc.array(piece, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '', '/'))
  .map(([start, pieces, end]) => start + pieces.join('') + end);
const ignoreFile = fc.array(pattern, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

/** A tree without a file where another one needs a folder. */
const tree = fc.tuple(
  fc.uniqueArray(treePath, { minLength: 1, maxLength: 14 }),
  fc.array(fc.tuple(fc.option(treePath, { nil: undefined }), ignoreFile), { minLength: 1, maxLength: 3 }),
).map(([paths, ignores]) => {
  const isFolder = new Set(paths.flatMap((file) => file.split('/').slice(0, -1).map((_part, index, parts) => parts.slice(0, index + 1).join('/'))));
  const files = paths.filter((file) => !isFolder.has(file)).map((file) => [file, 'x'] as const);
  const ignoreFiles = ignores.filter(([folder]) => folder === undefined || isFolder.has(folder))
    .map(([folder, text]) => [folder === undefined ? '.gitignore' : `${folder}/.gitignore`, text] as const);
  return Object.fromEntries([...files, ...ignoreFiles]);
});

test('files that .gitignore leaves out are those that git leaves out', () => {
  let left = 0;
  const folder = folderWith({});
  fc.assert(fc.property(tree, (files) => {
    fs.readdirSync(folder).filter((entry) => entry !== '.git').forEach((entry) => fs.rmSync(path.join(folder, entry), { recursive: true }));
    write(folder, files);
    const ours = filesOf(folder, [], []);
    left += Object.keys(files).length - ours.length;
    expect(ours).toEqual(filesOfGit(folder));
  }), { numRuns: 200 });
  // A property of rules that never speak would hold too.
  expect(left).toBeGreaterThan(30);
});

test('.trainyardignore has its say after all .gitignore files, and the program after both', () => {
  const folder = folderWith({
    '.gitignore': 'weights/\n*.log\n', 'sub/.gitignore': 'keep.txt\n', '.trainyardignore': '!weights/\n!keep.txt\nnotes/\n',
    'weights/a.bin': '', 'a.log': '', 'sub/keep.txt': '', 'notes/x.md': '', 'train.py': '', 'README.md': '',
  });
  expect(filesOf(folder, ['*.md', '.*ignore'])).toEqual(['sub/keep.txt', 'train.py', 'weights/a.bin']);
});

test('what can be made again and where passwords are kept is left out unless an ignore file takes it in', () => {
  const files = {
    'train.py': '', '__pycache__/train.pyc': '', 'node_modules/x/index.js': '', '.venv/bin/python': '', 'dist/job.yaml': '', 'jobs.k8s.yaml': '', '.env': 'TOKEN=1', '.env.local': '',
    '.DS_Store': '', '.trainyard/jobs/x': '',
  };
  expect(filesOf(folderWith(files))).toEqual(['train.py']);
  expect(filesOf(folderWith({ ...files, '.trainyardignore': '!dist/\n!.trainyard/\n!.git/\n' }), ['.trainyardignore'])).toEqual(['dist/job.yaml', 'train.py']);
});

describe('in a folder of a repository', () => {
  const files = { '.gitignore': 'secrets.json\n/made/\n', 'train/train.py': '', 'train/secrets.json': '', 'made/train.py': '', 'made/secrets.json': '', 'made/x/y.py': '' };

  test('the .gitignore files above it count', () => {
    expect(filesOf(path.join(folderWith(files), 'train'))).toEqual(['train.py']);
  });

  test('those that ignore the folder itself do not', () => {
    expect(filesOf(path.join(folderWith(files), 'made'))).toEqual(['secrets.json', 'train.py', 'x/y.py']);
  });

  test('nothing above the repository counts', () => {
    const outer = folderWith({ '.gitignore': '*.py\n', 'inner/train.py': '' }, false);
    git(path.join(outer, 'inner'), 'init', '--quiet');
    expect(filesOf(path.join(outer, 'inner'))).toEqual(['train.py']);
  });
});

test.each(['*a', '**/', '?*', '[a-z]*', 'a**/*'])('a line of many %s takes no time for a long path', (piece) => {
  const [pattern] = parseIgnoreFile(`/${piece.repeat(60)}b`);
  expect(computingMs(() => expect(matchesEntry(pattern, 'a/'.repeat(500) + 'a'.repeat(3_000), false)).toBe(false))).toBeLessThan(LITTLE_MS);
});
