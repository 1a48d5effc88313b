/**
 * Frameworks that come with a Debian system: looked for first, installed with apt only where that is allowed (root, and apt-get is there).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { frameworksFolder, SYSTEM_PYTHON, type SystemSource } from './catalogue';
import type { FrameworkState } from './frameworks';
import { withFolderLock } from '../../../src/local/control-plane/folder-lock';

/** Finds modules without importing them: an import of torch takes seconds. Prints the first missing name, or nothing. */
const FIND_MODULES = [
  'import sys, importlib.util as u',
  'print(next((m for m in sys.argv[1:] if u.find_spec(m) is None), ""))',
].join('\n');

/** Path of a program on the search path, or undefined. */
export function findProgram(name: string): string | undefined {
  // Administrators' programs such as sshd are not on the path of an ordinary user.
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.filter((folder) => folder !== '').map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** What is missing of a framework, in words; undefined when nothing is. */
function whatIsMissing(source: SystemSource): string | undefined {
  const program = source.programs.find((name) => !findProgram(name));
  if (program) {
    return `no program "${program}" on the path`;
  }
  if (!existsSync(SYSTEM_PYTHON)) {
    return `no ${SYSTEM_PYTHON}`;
  }
  const probe = spawnSync(SYSTEM_PYTHON, ['-c', FIND_MODULES, ...source.modules], { encoding: 'utf8' });
  const module = probe.status === 0 ? probe.stdout.trim() : source.modules[0];
  return module ? `${SYSTEM_PYTHON} has no module "${module}"` : undefined;
}

function versionOf(source: SystemSource): string {
  const result = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${Version}, ', ...source.debian], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.replace(/, $/, '') : 'of the system';
}

/** Runs apt; the answer is undefined, or why it failed. */
function aptInstall(packages: string[]): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  let result = spawnSync('apt-get', install, { encoding: 'utf8', env });
  if (result.status !== 0) {
    // The package lists may be missing or old: fetch them, once, and try again.
    spawnSync('apt-get', ['update', '-qq'], { encoding: 'utf8', env });
    result = spawnSync('apt-get', install, { encoding: 'utf8', env });
  }
  if (result.status === 0) {
    return undefined;
  }
  return (result.stderr ?? '').split('\n').filter((line) => line !== '').slice(-2).join(' | ') || 'apt-get could not be run';
}

/** Looks for the framework and installs it where that is allowed. Never throws: a failure is the reason why it is missing. */
export async function ensureSystem(source: SystemSource): Promise<FrameworkState> {
  const found = (): FrameworkState => ({ python: SYSTEM_PYTHON, version: versionOf(source) });
  const missing = whatIsMissing(source);
  if (!missing) {
    return found();
  }
  const packages = source.debian.join(' ');
  if (process.getuid?.() !== 0 || !findProgram('apt-get')) {
    return { missing: `${missing}; provided by the Debian packages ${packages}, which only root can install` };
  }
  try {
    return await withFolderLock(path.join(frameworksFolder(), 'apt'), async () => {
      const failure = whatIsMissing(source) ? aptInstall(source.debian) : undefined;
      if (failure) {
        return { missing: `apt-get install ${packages}: ${failure}` };
      }
      const still = whatIsMissing(source);
      return still ? { missing: `${still}, although ${packages} is installed` } : found();
    });
  } catch (error) {
    return { missing: (error as Error).message };
  }
}
