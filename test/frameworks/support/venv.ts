/**
 * Installs a framework's pinned wheels into a virtual environment of its own.
 *
 * The environment is made in its final place, because one cannot be moved; a marker file, written last, says that it is complete and from
 * which pins. Without the right marker the folder counts as rubbish of an interrupted run, and is made anew. A lock keeps a second
 * process from working in the same folder.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { environmentFolder, pinnedVersion, requirementsFile, SYSTEM_PYTHON, type WheelSource } from './catalogue';
import { ensureSystem } from './debian';
import { isFound, type FrameworkState } from './frameworks';
import { withFolderLock } from '../../../src/local/control-plane/folder-lock';

const MARKER = 'trainyard-complete';

/** Longest time for one step of an installation, in milliseconds. */
const STEP_LIMIT_MS = 20 * 60_000;

/** A step of an installation that failed: the message ends with what the program printed last. */
class StepFailed extends Error {
  constructor(what: string, output: string) {
    const lines = output.split('\n').map((line) => line.trim()).filter((line) => line !== '');
    super(`${what}: ${lines.slice(-3).join(' | ') || 'no output'}`);
  }
}

function runStep(what: string, program: string, args: string[]): string {
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: STEP_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
  if (result.error || result.status !== 0) {
    throw new StepFailed(what, `${result.stdout ?? ''}\n${result.stderr ?? ''}\n${result.error?.message ?? ''}`);
  }
  return result.stdout;
}

/**
 * An interpreter that the pinned wheels fit: `TRAINYARD_PYTHON`, else the first of the usual names.
 * The answer is a program name or path; throws when none fits.
 */
function findInterpreter(source: WheelSource): string {
  const { min, max } = source.pythonMinor;
  const named = ['python3.11', 'python3', 'python3.12', 'python3.13'];
  const candidates = process.env.TRAINYARD_PYTHON ? [process.env.TRAINYARD_PYTHON] : named;
  const seen: string[] = [];
  for (const candidate of candidates) {
    // Importing ensurepip tells a Python that can make environments from Debian's without python3-venv.
    const probe = spawnSync(candidate, ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])'], { encoding: 'utf8' });
    const match = /^3 (\d+)/.exec(probe.stdout ?? '');
    if (match && Number(match[1]) >= min && Number(match[1]) <= max) {
      return candidate;
    }
    seen.push(`${candidate} ${match ? `is 3.${match[1]}` : 'cannot make environments'}`);
  }
  throw new Error(`needs CPython 3.${min} to 3.${max} with venv (${seen.join(', ')}); name one in TRAINYARD_PYTHON`);
}

/** What the marker of a complete environment holds: changes with any pin. */
function markerText(source: WheelSource): string {
  return createHash('sha256').update(readFileSync(requirementsFile(source))).digest('hex');
}

/** The interpreter of the environment when it is complete, else undefined. */
function completeInterpreter(source: WheelSource): string | undefined {
  const folder = environmentFolder(source);
  const marker = path.join(folder, MARKER);
  const python = path.join(folder, 'bin', 'python');
  // existsSync follows the link to the base interpreter: an environment whose Python was removed is not complete.
  return existsSync(marker) && readFileSync(marker, 'utf8') === markerText(source) && existsSync(python) ? python : undefined;
}

function buildEnvironment(source: WheelSource): string {
  const folder = environmentFolder(source);
  const base = source.system ? SYSTEM_PYTHON : findInterpreter(source);
  rmSync(folder, { recursive: true, force: true });
  runStep(`${base} -m venv`, base, ['-m', 'venv', ...(source.system ? ['--system-site-packages'] : []), folder]);
  const python = path.join(folder, 'bin', 'python');
  const pip = [
    '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', '--only-binary', ':all:',
    ...(source.fromSource ? ['--no-binary', source.package] : []),
    // pip does not see what has no metadata, as Debian's PyTorch, and would install it again.
    ...(source.system ? ['--no-deps'] : []),
  ];
  runStep(`pip install of ${source.package}`, python, [...pip, '-r', requirementsFile(source)]);
  runStep(`"${source.check}" in the new environment`, python, ['-c', source.check]);
  writeFileSync(path.join(folder, MARKER), markerText(source));
  return python;
}

/** Makes the environment unless it is complete already. Never throws: a failure is the reason why the framework is missing. */
export async function ensureWheels(source: WheelSource): Promise<FrameworkState> {
  try {
    const version = pinnedVersion(source);
    const system = source.system && await ensureSystem(source.system);
    if (system && !isFound(system)) {
      return system;
    }
    const complete = completeInterpreter(source);
    const python = complete ?? await withFolderLock(`${environmentFolder(source)}.building`, async () => completeInterpreter(source) ?? buildEnvironment(source));
    return { python, version };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}
