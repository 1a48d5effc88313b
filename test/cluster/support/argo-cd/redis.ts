/**
 * Redis, which Argo CD keeps manifests and states in: the one on the PATH, else Debian's, taken out of its packages into the cache folder without
 * installing them, which needs no root and starts no server.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../../../src/local/cache-folder';
import { Child } from '../../../../src/local/control-plane/child-process';
import { findOnPath } from '../../../../src/local/control-plane/go-build';
import { withFolderLock } from '../../../../src/local/control-plane/folder-lock';
import type { Found } from '../upstream/go-program';

/** The program and the libraries that it needs beside those of every Debian. */
const PACKAGES = ['redis-server', 'redis-tools', 'libatomic1', 'libjemalloc2', 'liblzf1'];

/** Redis where it is there already, or why there is none. */
export function findRedis(env: NodeJS.ProcessEnv = process.env): Found {
  const program = [findOnPath('redis-server', env), unpacked(env)].find((each) => each !== undefined && fs.existsSync(each));
  return program === undefined ? { missing: 'redis-server is not there (npm run upstream-controllers:install)' } : { program };
}

/** Redis, unpacked where it is not there yet. */
export async function ensureRedis(env: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const found = findRedis(env);
  if (found.program !== undefined) {
    return found;
  }
  const folder = redisFolder(env);
  return withFolderLock(folder, async () => {
    try {
      unpack(folder);
    } catch (error) {
      return { missing: `redis-server is not there, and cannot be taken out of Debian's packages: ${(error as Error).message.trim().split('\n').at(-1)}` };
    }
    return findRedis(env);
  });
}

/** Starts Redis on a port of 127.0.0.1, with nothing on disk. */
export function startRedis(program: string, folder: string, port: number): Child {
  const libraries = path.join(redisFolder(process.env), 'content', 'usr', 'lib');
  const found = fs.existsSync(libraries) ? fs.readdirSync(libraries).map((name) => path.join(libraries, name)) : [];
  return new Child({
    name: 'redis',
    command: program,
    args: ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', folder],
    logFile: path.join(folder, 'redis.log'),
    env: { ...process.env, ...(program.startsWith(redisFolder(process.env)) && { LD_LIBRARY_PATH: found.join(':') }) },
  });
}

function redisFolder(env: NodeJS.ProcessEnv): string {
  return path.join(cacheFolder(env), 'redis');
}

function unpacked(env: NodeJS.ProcessEnv): string {
  return path.join(redisFolder(env), 'content', 'usr', 'bin', 'redis-server');
}

function unpack(folder: string): void {
  if (fs.existsSync(path.join(folder, 'content'))) {
    return;
  }
  const scratch = fs.mkdtempSync(path.join(folder, 'scratch-'));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: scratch, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  try {
    try {
      run('apt-get', 'download', '-qq', ...PACKAGES);
    } catch (error) {
      if (process.getuid?.() !== 0) {
        throw error;
      }
      // The lists of packages are missing or old.
      run('apt-get', 'update', '-qq');
      run('apt-get', 'download', '-qq', ...PACKAGES);
    }
    fs.readdirSync(scratch).filter((name) => name.endsWith('.deb')).forEach((name) => run('dpkg-deb', '-x', name, 'content'));
    fs.renameSync(path.join(scratch, 'content'), path.join(folder, 'content'));
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
