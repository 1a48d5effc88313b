/**
 * The ssh server for the test that runs MPI over real connections. A system's own is used where there is one. Elsewhere Debian's package is
 * unpacked into the cache, without installing it: an installation would add a user, make host keys and try to start a service.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { frameworksFolder } from './catalogue';
import { findProgram } from './debian';
import type { FrameworkMissing } from './frameworks';
import { withFolderLock } from '../../../src/local/control-plane/folder-lock';

/** An ssh server that can be started. */
export interface OpensshFound {
  readonly sshd: string;
  /** Library that the server needs and the system may not have. */
  readonly library?: string;
}

/** What is known of the ssh server. */
export type OpensshState = OpensshFound | FrameworkMissing;

const PACKAGES = ['openssh-server', 'libwrap0'];

/** Folder with the unpacked packages. */
function unpackedFolder(): string {
  return path.join(frameworksFolder(), 'openssh-server');
}

function unpacked(): OpensshFound | undefined {
  const sshd = path.join(unpackedFolder(), 'usr', 'sbin', 'sshd');
  if (!existsSync(sshd)) {
    return undefined;
  }
  const libraries = ['lib', 'usr/lib'].flatMap((folder) => {
    const root = path.join(unpackedFolder(), folder);
    return existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file)) : [];
  });
  return { sshd, library: libraries.find((file) => file.endsWith('/libwrap.so.0')) };
}

/** Whether the server starts: asked for its usage it names its version. */
function works({ sshd, library }: OpensshFound): boolean {
  const env = { ...process.env, ...(library && { LD_LIBRARY_PATH: path.dirname(library) }) };
  return spawnSync(sshd, ['-?'], { encoding: 'utf8', env }).stderr.includes('OpenSSH');
}

function unpack(): string | undefined {
  const folder = unpackedFolder();
  rmSync(folder, { recursive: true, force: true });
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const download = spawnSync('apt-get', ['download', ...PACKAGES], { cwd: draft, encoding: 'utf8' });
  const packages = readdirSync(draft).filter((name) => name.endsWith('.deb'));
  if (download.status !== 0 || packages.length < PACKAGES.length) {
    return `apt-get download ${PACKAGES.join(' ')}: ${(download.stderr ?? '').trim().split('\n').at(-1) || 'apt-get could not be run'}`;
  }
  for (const name of packages) {
    const result = spawnSync('dpkg-deb', ['-x', path.join(draft, name), folder], { encoding: 'utf8' });
    if (result.status !== 0) {
      rmSync(folder, { recursive: true, force: true });
      return `dpkg-deb -x ${name}: ${(result.stderr ?? '').trim() || 'could not be run'}`;
    }
  }
  rmSync(draft, { recursive: true, force: true });
  return undefined;
}

/** Looks for an ssh server and unpacks one where there is none. Never throws. */
export async function ensureOpenssh(): Promise<OpensshState> {
  try {
    if (!findProgram('ssh')) {
      return { missing: 'no program "ssh" on the path; provided by the Debian package openssh-client' };
    }
    const system = findProgram('sshd');
    if (system && works({ sshd: system })) {
      return { sshd: system };
    }
    return await withFolderLock(path.join(frameworksFolder(), 'apt'), async () => {
      const failure = unpacked() ? undefined : unpack();
      const found = unpacked();
      if (failure || !found) {
        return { missing: failure ?? 'the unpacked packages hold no sshd' };
      }
      return works(found) ? found : { missing: `${found.sshd} does not start on this system` };
    });
  } catch (error) {
    return { missing: (error as Error).message };
  }
}
