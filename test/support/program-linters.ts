/**
 * Linters of the programs in `src/programs` and of the packages in `python`, and what each looks at. `npm run program-linters:install` gets those
 * that are missing.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PipelineChecker } from './pipeline-checkers';
import { cacheFolder } from '../../src/local/cache-folder';

/** A linter, and the package of Debian that has it, if there is one. */
export interface ProgramLinter extends PipelineChecker {
  readonly debian?: string;
  /** Arguments that look at all programs of its language. */
  readonly args: (root: string) => readonly string[];
}

/** Settings are in `ruff.toml`; tests of programs are looked at too. */
export const RUFF: ProgramLinter = {
  name: 'ruff', release: '0.17.6', variable: 'TRAINYARD_RUFF', cached: () => path.join(cacheFolder(), 'program-linters', 'ruff-0.17.6', 'bin', 'ruff'),
  args: () => ['check', '--no-cache', '--quiet', 'src/programs', 'test/programs', 'python'],
};

/** SC2317: functions that traps call seem unreachable to it. SC1091: a file that only a container has. */
export const SHELLCHECK: ProgramLinter = {
  name: 'shellcheck', release: 'of Debian', variable: 'TRAINYARD_SHELLCHECK', cached: () => '/usr/bin/shellcheck', debian: 'shellcheck',
  args: (root) => ['--shell=sh', '--exclude=SC2317,SC1091', ...programs(root, '.sh')],
};

/** Settings are in `.luacheckrc`. */
export const LUACHECK: ProgramLinter = {
  name: 'luacheck', release: 'of Debian', variable: 'TRAINYARD_LUACHECK', cached: () => '/usr/bin/luacheck', debian: 'lua-check',
  args: () => ['--no-cache', '--quiet', '--no-color', 'src/programs', 'test/programs'],
};

export const PROGRAM_LINTERS: readonly ProgramLinter[] = [RUFF, SHELLCHECK, LUACHECK];

function programs(root: string, ending: string): string[] {
  return readdirSync(path.join(root, 'src', 'programs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending)).sort().map((file) => path.join('src', 'programs', file));
}
