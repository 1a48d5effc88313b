/** What the scripts share that install programs for tests into the cache. */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Runs a command. @throws Error with the last line of its output if it fails */
export function run(command: string, args: readonly string[], options: SpawnSyncOptions = {}): void {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { ...options, encoding: 'utf8' });
  if (error || status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim().split('\n').at(-1)}`);
  }
}

/** Installs a Python package into a new virtual environment. @param program path of its program, in `bin` of the environment */
export function installWheel(program: string, requirement: string): void {
  const environment = path.dirname(path.dirname(program));
  mkdirSync(path.dirname(environment), { recursive: true });
  rmSync(environment, { recursive: true, force: true });
  run('python3', ['-m', 'venv', environment]);
  run(path.join(environment, 'bin', 'python'), ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', requirement]);
}
