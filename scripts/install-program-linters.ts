/**
 * Installs the linters of programs: `npm run program-linters:install`. ruff is a wheel in a virtual environment of the cache; shellcheck and luacheck
 * are packages of Debian, which only root can install. Where one cannot be had, `npm run lint:programs` skips it and says so.
 */
import { existsSync } from 'node:fs';
import { installWheel, run } from './install-programs';
import { findChecker } from '../test/support/pipeline-checkers';
import { PROGRAM_LINTERS, type ProgramLinter } from '../test/support/program-linters';

function install({ name, release, debian, cached }: ProgramLinter): void {
  if (debian === undefined) {
    installWheel(cached(), `${name}==${release}`);
    return;
  }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`it is the Debian package ${debian}, which only root can install`);
  }
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debian], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
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
