/**
 * Installs the linters of programs: `npm run program-linters:install`. ruff is a wheel in a virtual environment of the cache; shellcheck and luacheck
 * are packages of Debian, which only root can install. Where one cannot be had, `npm run lint:programs` skips it and says so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findChecker } from '../test/support/pipeline-checkers';
import { PROGRAM_LINTERS, type ProgramLinter } from '../test/support/program-linters';

function run(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { encoding: 'utf8', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (error || status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim().split('\n').at(-1)}`);
  }
}

function install({ name, release, debian, cached }: ProgramLinter): void {
  if (debian === undefined) {
    const environment = path.dirname(path.dirname(cached()));
    mkdirSync(path.dirname(environment), { recursive: true });
    rmSync(environment, { recursive: true, force: true });
    run('python3', '-m', 'venv', environment);
    run(path.join(environment, 'bin', 'python'), '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', `${name}==${release}`);
    return;
  }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`it is the Debian package ${debian}, which only root can install`);
  }
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', debian);
}

for (const linter of PROGRAM_LINTERS) {
  try {
    if (findChecker(linter) === undefined) {
      install(linter);
    }
    console.log(`${linter.name}: ${findChecker(linter) ?? 'MISSING: it was installed elsewhere'}`);
  } catch (error) {
    console.log(`${linter.name}: MISSING: ${(error as Error).message}. Programs are not linted with it.`);
  }
}
