import fs from 'node:fs';
import path from 'node:path';
import { Header } from 'tar';
import { checkIsFree, checkIsLocal, parseRemotePath, targetOf } from '../../../src/cli/jobs/copy/places';
import { Staging, safeParts } from '../../../src/cli/jobs/copy/staging';
import { temporaryFolder } from '../../local/support/temporary-folder';

const folder = temporaryFolder();
let count = 0;
const fresh = () => {
  const made = path.join(folder, String(count++));
  fs.mkdirSync(made);
  return made;
};

interface Entry {
  readonly path: string;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  readonly text?: string;
  readonly linkpath?: string;
  readonly mode?: number;
}

function archive(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path: name, type = 'File', text = '', linkpath, mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    new Header({ path: name, type, size: Buffer.byteLength(text), linkpath, mode, mtime: new Date(1e12) }).encode(header, 0);
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function unpack(entries: readonly Entry[] | Buffer, target: string, name?: string): Staging['totals'] {
  const staging = new Staging(target);
  try {
    staging.parser.write(Buffer.isBuffer(entries) ? entries : archive(entries));
    staging.finish();
    staging.move(name);
    return staging.totals;
  } finally {
    staging.discard();
  }
}

const filesIn = (dir: string) => fs.readdirSync(dir, { recursive: true }).map(String).sort();

test('a folder', () => {
  const dir = fresh();
  const totals = unpack([
    { path: './', type: 'Directory' }, { path: './step-1/', type: 'Directory', mode: 0o500 }, { path: './step-1/model.bin', text: 'weights', mode: 0o4755 },
    { path: './a/b/c', text: 'no folder of its own' },
  ], path.join(dir, 'copy'));
  expect(totals).toMatchObject({ files: 2, bytes: 27, skippedCount: 0 });
  expect(filesIn(dir)).toEqual(['copy', 'copy/a', 'copy/a/b', 'copy/a/b/c', 'copy/step-1', 'copy/step-1/model.bin']);
  const file = fs.statSync(path.join(dir, 'copy/step-1/model.bin'));
  // Not as somebody else's program, and with its time.
  expect([file.mode & 0o7777, file.mtimeMs]).toEqual([0o755, 1e12]);
});

test('a file, in many pieces', () => {
  const dir = fresh();
  const bytes = archive([{ path: './x', text: 'y'.repeat(5000) }]);
  const staging = new Staging(path.join(dir, 'z'));
  for (let at = 0; at < bytes.length; at += 100) {
    staging.parser.write(bytes.subarray(at, at + 100));
  }
  staging.finish();
  staging.move('x');
  staging.discard();
  expect(fs.readFileSync(path.join(dir, 'z'), 'utf8')).toBe('y'.repeat(5000));
  expect(filesIn(dir)).toEqual(['z']);
});

test.each(['../out', './a/../../out', '/etc/passwd', './a/..'])('nothing is written outside: %s', (name) => {
  const dir = fresh();
  expect(() => unpack([{ path: './fine', text: 'x' }, { path: name, text: 'bad' }], path.join(dir, 'copy'))).toThrow('would be written outside of the destination. Nothing was copied.');
  expect(filesIn(dir)).toEqual([]);
});

test('names that only look like ways out', () => {
  expect(safeParts('./..a/b../...')).toEqual(['..a', 'b..', '...']);
  expect(() => safeParts('a\0b')).toThrow('outside of the destination');
});

test('links and devices are left out, and nothing is written through a link', () => {
  const dir = fresh();
  const outside = fresh();
  const totals = unpack([
    { path: './link', type: 'SymbolicLink', linkpath: outside }, { path: './null', type: 'CharacterDevice' }, { path: './pipe', type: 'FIFO' },
    { path: './link/file', text: 'x' },
  ], path.join(dir, 'copy'));
  expect(totals).toMatchObject({ files: 1, skippedCount: 3, skipped: [`./link -> ${outside}`, './null', './pipe'] });
  expect(filesIn(outside)).toEqual([]);
  expect(fs.lstatSync(path.join(dir, 'copy/link')).isDirectory()).toBe(true);
});

test('a second name of a file is a copy, and only of what came before', () => {
  const dir = fresh();
  unpack([{ path: './a', text: 'x' }, { path: './b', type: 'Link', linkpath: './a' }], path.join(dir, 'copy'));
  expect(fs.readFileSync(path.join(dir, 'copy/b'), 'utf8')).toBe('x');
  expect(() => unpack([{ path: './b', type: 'Link', linkpath: '/etc/passwd' }], path.join(dir, 'other'))).toThrow('outside of the destination');
  expect(() => unpack([{ path: './b', type: 'Link', linkpath: './missing' }], path.join(dir, 'other'))).toThrow('Unpacking what the replica sent: ENOENT');
  expect(filesIn(dir)).toEqual(['copy', 'copy/a', 'copy/b']);
});

test.each([
  ['cut off', archive([{ path: './a', text: 'x'.repeat(2000) }]).subarray(0, 1500)],
  ['damaged', Buffer.concat([archive([{ path: './a', text: 'x' }]).subarray(0, 1024), Buffer.alloc(512, 0x41), Buffer.alloc(1024)])],
])('an archive that is %s leaves nothing', (_how, bytes) => {
  const dir = fresh();
  expect(() => unpack(bytes, path.join(dir, 'copy'))).toThrow('Unpacking what the replica sent: ');
  expect(filesIn(dir)).toEqual([]);
});

test('the same name twice', () => {
  const dir = fresh();
  expect(() => unpack([{ path: './a', text: 'x' }, { path: './a', text: 'y' }], path.join(dir, 'copy'))).toThrow('EEXIST');
});

test('--force joins folders, and follows no link at the destination', () => {
  const dir = fresh();
  const outside = fresh();
  const copy = path.join(dir, 'copy');
  fs.mkdirSync(copy);
  fs.writeFileSync(path.join(copy, 'mine'), 'mine');
  fs.writeFileSync(path.join(copy, 'both'), 'old');
  fs.symlinkSync(outside, path.join(copy, 'sub'));
  unpack([{ path: './both', text: 'new' }, { path: './sub/file', text: 'x' }], copy);
  expect(filesIn(dir)).toEqual(['copy', 'copy/both', 'copy/mine', 'copy/sub', 'copy/sub/file']);
  expect(fs.readFileSync(path.join(copy, 'both'), 'utf8')).toBe('new');
  expect(filesIn(outside)).toEqual([]);
  fs.mkdirSync(path.join(copy, 'dir'));
  expect(() => unpack([{ path: './dir', text: 'a file' }], copy)).toThrow('is a folder, and the copy has a file of this name');
});

test('JOB:PATH', () => {
  expect(parseRemotePath('digits:/checkpoints/latest/')).toEqual({ job: 'digits', path: '/checkpoints/latest', name: 'latest' });
  expect(parseRemotePath('mltj/digits:out/../model.pt')).toEqual({ job: 'mltj/digits', path: 'model.pt', name: 'model.pt' });
  expect(parseRemotePath('digits:/a:b')).toEqual({ job: 'digits', path: '/a:b', name: 'a:b' });
  for (const wrong of ['digits', ':/x', './model']) {
    expect(() => parseRemotePath(wrong)).toThrow('the source must be JOB:PATH');
  }
  for (const wrong of ['digits:', 'digits:/', 'digits:.', 'digits:..', 'digits:/a/..', 'digits:../..']) {
    expect(() => parseRemotePath(wrong)).toThrow('the path must name a file or folder');
  }
});

test('the destination', () => {
  const dir = fresh();
  expect(targetOf(dir, 'latest')).toBe(path.join(dir, 'latest'));
  expect(targetOf(path.join(dir, 'new'), 'latest')).toBe(path.join(dir, 'new'));
  expect(targetOf(`${path.join(dir, 'new')}/`, 'latest')).toBe(path.join(dir, 'new', 'latest'));
  expect(() => checkIsFree(dir, false)).toThrow(`Destination ${dir} exists. Nothing was copied.`);
  expect(() => checkIsFree(dir, true)).not.toThrow();
  expect(() => checkIsLocal('digits:/checkpoints')).toThrow('trainyard cp copies out of a replica, not into one.');
  expect(() => checkIsLocal('mltj/digits:x')).toThrow('not into one');
  for (const local of ['.', 'x', './a:b', '/tmp/a:b', 'C:\\x', 'a/b/c:d']) {
    expect(() => checkIsLocal(local)).not.toThrow();
  }
});
