import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { temporaryFolder } from './local/support/temporary-folder';

const folder = temporaryFolder();
const MODULE = path.join(__dirname, 'support', 'temporary-files.cjs');

/** A program that uses a folder of its own, leaves something there, prints where, and ends as told. */
const program = (end: string) => ['-e', `
  require(${JSON.stringify(MODULE)}).useOwnTemporaryFolder();
  console.log(require('node:fs').mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'left-')));
  ${end}`];
const env = { ...process.env, TMPDIR: folder };

test('tests of this run have a temporary folder of their own', () => {
  expect(path.basename(os.tmpdir())).toMatch(/^ty-[0-9a-z]+$/);
  expect(fs.statSync(os.tmpdir()).mode & 0o7777).toBe(0o1777);
});

test.each(['', 'process.exit(1);', 'throw new Error("failed");'])('nothing is left of a run that ends: %s', (end) => {
  const { stdout } = spawnSync(process.execPath, program(end), { env, encoding: 'utf8' });
  expect(path.dirname(path.dirname(stdout.trim()))).toBe(folder);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('what a killed run has left goes with the next one, and what others have there stays', async () => {
  const killed = spawn(process.execPath, program('setInterval(() => 0, 1000);'), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const left = await new Promise<string>((resolve) => killed.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())));
  fs.mkdirSync(path.join(folder, 'ty-1'));
  spawnSync(process.execPath, program(''), { env });
  expect(fs.existsSync(left)).toBe(true);
  const ended = new Promise((resolve) => killed.once('exit', resolve));
  killed.kill('SIGKILL');
  await ended;
  expect(fs.existsSync(left)).toBe(true);
  spawnSync(process.execPath, program(''), { env });
  expect(fs.readdirSync(folder)).toEqual(['ty-1']);
});
