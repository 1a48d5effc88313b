/**
 * The programs that tests of the history need: a Node.js with SQLite, which is in the cache if this one is too old, and PostgreSQL as Debian has
 * it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../../src/local/cache-folder';

/** Package with the program, of this platform. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Version of it: of the major version that the Deployment runs. */
export const NODE_VERSION = '22.23.3';

/** Where `npm run history-stores:install` puts Node.js. */
export function cachedNode(): string {
  return path.join(cacheFolder(), 'history-stores', `node-${NODE_VERSION}`);
}

/** A Node.js that has SQLite; undefined when there is none. */
export function nodeWithSqlite(): string | undefined {
  const cached = path.join(cachedNode(), 'node_modules', NODE_PACKAGE, 'bin', 'node');
  return process.getBuiltinModule('node:sqlite') !== undefined ? process.execPath : existsSync(cached) ? cached : undefined;
}

/** Folder with `initdb` and `postgres`; undefined when PostgreSQL is not installed. */
export function postgresqlFolder(): string | undefined {
  const root = '/usr/lib/postgresql';
  const folders = existsSync(root) ? readdirSync(root).map((version) => path.join(root, version, 'bin')) : [];
  return folders.find((folder) => spawnSync(path.join(folder, 'postgres'), ['--version']).status === 0);
}
