/** Archives: the same files, the same bytes; what real tools read out of them; what is refused. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { archiveOfFile, archiveOfFolder } from '../../../src/constructs/code/archive';
import { temporaryFolder } from '../../local/support/temporary-folder';

const root = temporaryFolder();
let folders = 0;

interface WrittenFile {
  readonly content: string | Uint8Array;
  readonly executable?: boolean;
}

function folderWith(files: readonly (readonly [file: string, content: WrittenFile | string | Uint8Array])[]): string {
  const folder = path.join(root, String(++folders));
  fs.mkdirSync(folder);
  for (const [file, written] of files) {
    const { content, executable } = typeof written === 'string' || written instanceof Uint8Array ? { content: written, executable: false } : written;
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content, { mode: executable ? 0o755 : 0o644 });
  }
  return folder;
}

const archive = (folder: string) => archiveOfFolder(folder, [], 'config-maps');

/** What GNU tar unpacks. */
function unpacked(content: Uint8Array): string {
  const folder = path.join(root, `out-${++folders}`);
  fs.mkdirSync(folder);
  const { status, stderr } = spawnSync('tar', ['-xzf', '-', '-C', folder], { input: content, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return folder;
}

const fileName = fc.stringMatching(/^[a-zé0-9_. -]{1,12}$/).filter((name) => !/^\.+$/.test(name) && !name.endsWith('.pyc') && name !== '.env' && !name.startsWith('.env.'));
const longName = fc.constantFrom('n'.repeat(120), 'é'.repeat(60), 'o'.repeat(99), 'p'.repeat(100), 'q'.repeat(101));
const files = fc.dictionary(
  fc.tuple(fc.constantFrom('', 'src/', 'src/deep/er/', `${'folder/'.repeat(20)}`), fc.oneof({ weight: 4, arbitrary: fileName }, longName)).map((parts) => parts.join('').normalize('NFC')),
  fc.record({ content: fc.uint8Array({ maxLength: 2000 }), executable: fc.boolean() }),
  { minKeys: 1, maxKeys: 8 },
).filter((written) => !Object.keys(written).includes('src'));

test('the order in which files were written and their times change nothing, and tar gives every file back', () => {
  fc.assert(fc.property(files, fc.nat(), (written, seed) => {
    const entries = Object.entries(written);
    const one = folderWith(entries);
    const other = folderWith([...entries].reverse());
    for (const [file] of entries) {
      fs.utimesSync(path.join(other, file), seed, seed);
    }
    const { digest, content } = archive(one);
    expect(archive(other).digest).toBe(digest);
    const found = unpacked(content);
    for (const [file, { content: bytes, executable }] of entries) {
      expect(Buffer.compare(fs.readFileSync(path.join(found, file)), bytes)).toBe(0);
      expect(fs.statSync(path.join(found, file)).mode & 0o777).toBe(executable ? 0o755 : 0o644);
    }
    expect(fs.readdirSync(found, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())).toHaveLength(entries.length);
  }), { numRuns: 60 });
});

test('another content, another name and another mode are another digest', () => {
  const digests = [
    [['a.py', 'x']], [['a.py', 'y']], [['b.py', 'x']], [['a.py', { content: 'x', executable: true }]], [['a.py', 'x'], ['b.py', '']],
  ].map((entries) => archive(folderWith(entries as never)).digest);
  expect(new Set(digests).size).toBe(digests.length);
});

test('the bytes are those of every machine and every release of Node.js', () => {
  const folder = folderWith([['train.py', 'print("hello")\n'.repeat(50)], ['data/labels.csv', Array.from({ length: 300 }, (_, row) => `${row},${row ** 2 % 97}`).join('\n')]]);
  // A change of this digest is a new immutable ConfigMap, and a job that has to be created anew, for everybody who updates the package.
  expect(archive(folder).digest).toBe('sha256:849ba427199c61c536abe946856a5dbda3602b24c8e7762bf99320bf34b0b0a3');
});

test('links within the folder are kept', () => {
  const folder = folderWith([['model/config.json', '{}'], ['train.py', '']]);
  fs.symlinkSync('model/config.json', path.join(folder, 'config.json'));
  fs.symlinkSync('../train.py', path.join(folder, 'model', 'train.py'));
  fs.symlinkSync('model', path.join(folder, 'current'));
  const found = unpacked(archive(folder).content);
  expect(fs.readlinkSync(path.join(found, 'config.json'))).toBe('model/config.json');
  expect(fs.readFileSync(path.join(found, 'current', 'config.json'), 'utf8')).toBe('{}');
  expect(fs.readlinkSync(path.join(found, 'model', 'train.py'))).toBe('../train.py');
});

test.each([
  ['../outside.txt', 'is not in the folder'], ['/etc/hostname', 'is not in the folder, or not by a relative path'], ['gone.txt', 'is missing'], ['secret.env.pyc', 'left out by ignore rules'],
])('a link to %s is refused: it %s', (target, why) => {
  const folder = folderWith([['train.py', ''], ['secret.env.pyc', '']]);
  fs.writeFileSync(path.join(root, 'outside.txt'), '');
  fs.symlinkSync(target, path.join(folder, 'link'));
  expect(() => archive(folder)).toThrow(new RegExp(`'link' is a link to '.*', which .*${why}.*Put a copy in its place, or leave it out in \\.trainyardignore`));
});

test('what is neither file nor folder nor link is refused', () => {
  const folder = folderWith([['train.py', '']]);
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  expect(() => archive(folder)).toThrow('\'pipe\' is not a file, folder or link');
});

test('a folder that is not there, a file and an empty folder are refused', () => {
  const folder = folderWith([['__pycache__/a.pyc', '']]);
  expect(() => archive(path.join(root, 'none'))).toThrow(/there is no such folder.*__dirname/);
  expect(() => archive(path.join(folder, '__pycache__', 'a.pyc'))).toThrow('there is no such folder');
  expect(() => archive(folder)).toThrow(/has no files, or ignore rules leave all of them out/);
});

describe('a folder that is too large for a ConfigMap', () => {
  // Random bytes, which no compression makes fewer.
  const noise = (kibibytes: number) => Buffer.concat(Array.from({ length: kibibytes * 32 }, (_, part) => createHash('sha256').update(String(part)).digest()));

  test('names the largest files and the two ways out', () => {
    const folder = folderWith([['weights/model.bin', noise(600)], ['data.bin', noise(200)], ['train.py', 'x']]);
    expect(() => archive(folder)).toThrow(new RegExp('^the archive has 80\\d\\.\\d KiB \\(3 files, 800\\.0 KiB\\), and ConfigMaps have room for 700 KiB\\. '
      + 'The largest: weights/model\\.bin \\(600 KiB\\), data\\.bin \\(200 KiB\\), train\\.py \\(0\\.0 KiB\\)\\. Leave out what training does not need in \\.trainyardignore, '
      + 'or keep the archive in a bucket or a registry: upload: \'s3://bucket/prefix\', '));
  });

  test('is no trouble where it is uploaded', () => {
    const folder = folderWith([['model.bin', noise(800)]]);
    expect(archiveOfFolder(folder, [], 'upload').content.length).toBeGreaterThan(800 * 1024);
  });

  test('is not even compressed where it cannot fit', () => {
    const folder = folderWith([['train.py', 'x']]);
    fs.truncateSync(path.join(folder, 'train.py'), 100 * 1024 * 1024);
    expect(() => archive(folder)).toThrow(/^its 1 files have 100 MiB, and ConfigMaps have room for 700 KiB/);
    fs.truncateSync(path.join(folder, 'train.py'), 1024 ** 3 + 1);
    expect(() => archiveOfFolder(folder, [], 'upload')).toThrow(/and a bundle has room for 1 GiB.*data belongs in a bucket or a volume/);
  });
});

test('an archive that exists is taken as it is, and one that is none is refused', () => {
  const folder = folderWith([['train.py', '']]);
  const file = path.join(root, 'code.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', folder, '.']);
  expect(Buffer.compare(archiveOfFile(file, 'config-maps').content, fs.readFileSync(file))).toBe(0);
  expect(() => archiveOfFile(path.join(folder, 'train.py'), 'config-maps')).toThrow(/is not a \.tar\.gz.*tar -czf/);
  expect(() => archiveOfFile(path.join(root, 'none.tar.gz'), 'config-maps')).toThrow('there is no such file');
});
