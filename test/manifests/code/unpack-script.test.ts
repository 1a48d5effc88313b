/** The program of the init container for ConfigMaps, run by real shells with more or fewer tools around it. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { unpackFiles } from '../../../src/manifests/code/code-pod';
import { sha256 } from '../../../src/manifests/code/oci-artifact';
import { temporaryFolder } from '../../local/support/temporary-folder';

const root = temporaryFolder();
const script = path.join(root, 'code.sh');
const archive = path.join(root, 'code.tar.gz');
let digest: string;
let folders = 0;

// Python may be started by a script that needs more programs than it.
const find = (name: string) => (name === 'python3' ? 'python3 -c "import sys; print(sys.executable)"' : `command -v ${name}`);
const which = (name: string) => spawnSync('sh', ['-c', find(name)], { encoding: 'utf8' }).stdout.trim();

/** A folder for PATH with some programs of this machine, or applets of busybox. */
function programs(names: readonly string[], busybox?: string): string {
  const folder = path.join(root, `bin-${++folders}`);
  fs.mkdirSync(folder);
  // A wrapper, because some programs look at where they lie.
  names.forEach((name) => fs.writeFileSync(path.join(folder, name), `#!/bin/sh\nexec ${busybox ? `${busybox} ${name}` : which(name)} "$@"\n`, { mode: 0o755 }));
  return folder;
}

beforeAll(() => {
  Object.entries(unpackFiles()).forEach(([file, text]) => fs.writeFileSync(path.join(root, file), text));
  const source = path.join(root, 'source');
  fs.mkdirSync(path.join(source, 'pkg'), { recursive: true });
  fs.writeFileSync(path.join(source, 'train.py'), 'print("trained")\n');
  fs.writeFileSync(path.join(source, 'pkg', 'run me.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
  execFileSync('tar', ['-czf', archive, '-C', source, '.']);
  digest = sha256(fs.readFileSync(archive));
});

/** The archive in so many parts, as the volume of several ConfigMaps shows them. @returns the path without the parts' numbers */
function splitArchive(parts: number): string {
  const file = path.join(root, `split-${++folders}.tar.gz`);
  const content = fs.readFileSync(archive);
  const size = Math.ceil(content.length / parts);
  Array.from({ length: parts }, (_, part) => fs.writeFileSync(`${file}.${part}`, content.subarray(part * size, (part + 1) * size)));
  return file;
}

function unpack({ shell = ['dash'], bin, archive: file = archive, digest: wanted = digest }: { shell?: readonly string[]; bin?: string; archive?: string; digest?: string } = {}) {
  const folder = path.join(root, `a folder-${++folders}`);
  const [program, ...args] = shell;
  const { status, stdout, stderr } = spawnSync(which(program), [...args, script, file, wanted, folder], { encoding: 'utf8', env: { PATH: bin ?? process.env.PATH } });
  return { status, stdout, stderr, folder };
}

function expectUnpacked(folder: string): void {
  expect(fs.readFileSync(path.join(folder, 'train.py'), 'utf8')).toBe('print("trained")\n');
  expect(execFileSync(path.join(folder, 'pkg', 'run me.sh'), { encoding: 'utf8' })).toBe('ran\n');
}

const shells: (readonly [string, readonly string[]])[] = [['dash', ['dash']], ['bash', ['bash', '--posix']], ['busybox', ['busybox', 'sh']]].filter(([name]) => which(name as string) !== '') as never;

test.each(shells)('%s unpacks an archive with the digest', (name, shell) => {
  const bin = name === 'busybox' ? programs(['cat', 'sha256sum', 'tar', 'gzip', 'mkdir'], which('busybox')) : undefined;
  const { status, stdout, stderr, folder } = unpack({ shell, bin });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `code: ${digest} is in ${folder}\n`, stderr: '' });
  expectUnpacked(folder);
});

test('a second start of the container unpacks over the first', () => {
  const { folder } = unpack();
  const again = spawnSync('dash', [script, archive, digest, folder], { encoding: 'utf8' });
  expect(again.status).toBe(0);
  expectUnpacked(folder);
});

test.each([
  ['openssl in place of sha256sum', ['cat', 'openssl', 'tar', 'gzip', 'mkdir']],
  ['Python in place of sha256sum', ['cat', 'python3', 'tar', 'gzip', 'mkdir']],
  ['Python in place of tar', ['cat', 'python3', 'sha256sum', 'mkdir']],
  ['Python for all', ['cat', 'python3', 'mkdir']],
])('unpacks with %s, also what is split', (_what, names) => {
  const bin = programs(names);
  for (const file of [archive, splitArchive(12)]) {
    const { status, stderr, folder } = unpack({ bin, archive: file });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectUnpacked(folder);
  }
});

test.each(shells)('%s joins the parts of an archive in the order of their numbers', (name, shell) => {
  const bin = name === 'busybox' ? programs(['cat', 'sha256sum', 'tar', 'gzip', 'mkdir'], which('busybox')) : undefined;
  const { status, stderr, folder } = unpack({ shell, bin, archive: splitArchive(12) });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expectUnpacked(folder);
});

test('an archive without one of its parts is another one', () => {
  const file = splitArchive(12);
  fs.rmSync(`${file}.5`);
  expect(unpack({ archive: file })).toMatchObject({ status: 1, stderr: expect.stringContaining(`and the job asks for ${digest}`) });
});

test.each([
  ['nothing to compute a digest with', ['cat', 'tar', 'gzip', 'mkdir'], 'code: the image has no sha256sum, no openssl and no python3; name one that has in spec.code.fetchImage, such as busybox\n'],
  ['nothing to unpack with', ['cat', 'sha256sum', 'mkdir', 'tar'], 'code: the image has no tar with gzip and no python3; name one that has in spec.code.fetchImage, such as busybox\n'],
])('an image with %s is told so', (_what, names, message) => {
  expect(unpack({ bin: programs(names) })).toMatchObject({ status: 1, stdout: '', stderr: message });
});

test('another archive than the job asks for is not unpacked', () => {
  const wanted = `sha256:${'0'.repeat(64)}`;
  const { status, stderr, folder } = unpack({ digest: wanted });
  expect({ status, stderr }).toEqual({
    status: 1, stderr: `code: the archive has the digest ${digest}, and the job asks for ${wanted}: it is another one, or it was changed\n`,
  });
  expect(fs.existsSync(folder)).toBe(false);
});

test('an archive that is not there, and one that is none, end with a reason', () => {
  expect(unpack({ archive: path.join(root, 'none.tar.gz') })).toMatchObject({ status: 1, stderr: expect.stringMatching(/^code: there is no archive at .*none\.tar\.gz; does the ConfigMap have the key none\.tar\.gz\?\n$/) });
  const file = path.join(root, 'text.tar.gz');
  fs.writeFileSync(file, 'text');
  const { status, stderr } = unpack({ archive: file, digest: sha256('text') });
  expect(status).toBe(1);
  expect(stderr).toMatch(/code: the archive cannot be unpacked into .*\n$/);
});
