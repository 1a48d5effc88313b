/**
 * What the tests of the history need: `npm run history-stores:install`. Node.js with SQLite goes into the cache, unless this one has it.
 * PostgreSQL is Debian's package, which only root can install. Where one cannot be had, the tests that need it are skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { cachedNode, NODE_PACKAGE, NODE_VERSION, nodeWithSqlite, postgresqlFolder } from '../test/support/history-stores';

function run(command: string, ...args: readonly string[]): void {
  spawnSync(command, [...args], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}

if (nodeWithSqlite() === undefined) {
  mkdirSync(cachedNode(), { recursive: true });
  run('npm', 'install', '--no-save', '--no-audit', '--no-fund', '--prefix', cachedNode(), `${NODE_PACKAGE}@${NODE_VERSION}`);
}
if (postgresqlFolder() === undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'postgresql');
}
console.log(`Node.js with SQLite: ${nodeWithSqlite() ?? 'MISSING'}`);
console.log(`PostgreSQL: ${postgresqlFolder() ?? 'MISSING; install the package postgresql'}`);
