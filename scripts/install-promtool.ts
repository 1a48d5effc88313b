/**
 * Puts promtool, Prometheus' checker of rules, into the cache: `npm run promtool:install`. It is taken out of Debian's package without installing
 * that, which needs no root and starts no server. Where it cannot be had, the tests that need it are skipped and say so; a machine of another kind
 * has it on its PATH or in TRAINYARD_PROMTOOL.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './install-programs';
import { cachedPromtool, findPromtool } from '../test/support/promtool';

/** Downloads the package; with lists of packages that are missing or old, once more with new ones. */
function download(folder: string): void {
  try {
    run('apt-get', ['download', '-qq', 'prometheus'], { cwd: folder });
  } catch (error) {
    if (process.getuid?.() !== 0) {
      throw error;
    }
    run('apt-get', ['update', '-qq'], { cwd: folder });
    run('apt-get', ['download', '-qq', 'prometheus'], { cwd: folder });
  }
}

function install(target: string): void {
  mkdirSync(path.dirname(target), { recursive: true });
  const folder = mkdtempSync(path.join(path.dirname(target), 'unpack-'));
  try {
    download(folder);
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    run('dpkg-deb', ['-x', archive ?? 'prometheus.deb', 'content'], { cwd: folder });
    const unpacked = path.join(folder, 'content', 'usr', 'bin', 'promtool');
    chmodSync(unpacked, 0o755);
    renameSync(unpacked, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const found = findPromtool();
if (found === undefined) {
  try {
    install(cachedPromtool());
    console.log(`promtool: ${cachedPromtool()}`);
  } catch (error) {
    console.log(`promtool: MISSING: ${(error as Error).message}. Tests of alerts with Prometheus are skipped.`);
  }
} else {
  console.log(`promtool: ${found}`);
}
