/** The Python package trainyard-progress: its own tests, its wheel, and the one-file helper of the quickstart, which is the package's core. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { testUnless } from '../support/where-possible';

const root = path.join(__dirname, '..', '..');
const PACKAGE = path.join(root, 'python', 'trainyard-progress');
const CORE = path.join('src', 'trainyard_progress', '_core.py');
const HELPER = path.join('examples', 'quickstart', 'trainyard_progress.py');

function python(args: readonly string[], cwd?: string) {
  const { status, stdout, stderr } = spawnSync('python3', ['-B', ...args], { cwd, encoding: 'utf8', timeout: 120_000 });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}` };
}

const canRun = python(['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;
/** setuptools 70 writes wheels without the package `wheel`. */
const CAN_BUILD = `
from importlib.metadata import version
from importlib.util import find_spec
setuptools = int(version('setuptools').split('.')[0])
assert find_spec('pip') and (setuptools > 70 or setuptools >= 61 and find_spec('wheel'))`;
const canBuild = canRun && python(['-c', CAN_BUILD]).status === 0;

test('the helper of the quickstart is the core of the package', () => {
  const [helper, core] = [HELPER, path.join(PACKAGE, CORE)].map((file) => readFileSync(path.resolve(root, file), 'utf8'));
  if (helper !== core) {
    throw new Error(`${HELPER} is out of date: cp python/trainyard-progress/${CORE} ${HELPER}`);
  }
});

testUnless(canRun ? undefined : 'python3 of version 3.8 or newer is missing', 'the package')('the tests of the package pass', () => {
  const { status, output } = python(['-m', 'unittest', 'discover', '-s', 'tests'], PACKAGE);
  if (status !== 0) {
    throw new Error(output);
  }
  expect(Number(/^Ran (\d+) tests/m.exec(output)?.[1])).toBeGreaterThanOrEqual(50);
});

testUnless(canBuild ? undefined : 'python3 lacks pip, setuptools 61 or newer, or wheel', 'a wheel of the package')('the package builds a wheel with all its modules', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'trainyard-wheel-'));
  try {
    cpSync(PACKAGE, path.join(folder, 'source'), { recursive: true });
    const built = python(['-m', 'pip', 'wheel', '--quiet', '--no-index', '--no-deps', '--no-build-isolation', '-w', folder, path.join(folder, 'source')]);
    expect(built).toMatchObject({ status: 0 });
    const [wheel] = readdirSync(folder).filter((file) => file.endsWith('.whl'));
    expect(wheel).toMatch(/^trainyard_progress-.*-py3-none-any\.whl$/);
    const { output } = python(['-c', 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))', path.join(folder, wheel)]);
    const modules = readdirSync(path.join(PACKAGE, 'src', 'trainyard_progress')).filter((file) => /\.py$|^py\.typed$/.test(file));
    expect(output.split('\n')).toEqual(expect.arrayContaining(modules.map((file) => `trainyard_progress/${file}`)));
    const imported = python(['-c', 'import sys; sys.path.insert(0, sys.argv[1]); import trainyard_progress; print(trainyard_progress.TERMINATED)', path.join(folder, wheel)]);
    expect(imported.output).toBe('143\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
