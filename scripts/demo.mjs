/**
 * `npm run demo`: everything between a clone and a trained model. Makes a Python environment with the quickstart's packages in the cache
 * folder, synthesizes the job's manifest, runs the job as processes on this machine, and ends with the accuracy that it printed.
 * The exit code is the job's.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const example = path.join(root, 'examples', 'quickstart');
const program = path.join('examples', 'quickstart', 'main.ts');
const cache = process.env.TRAINYARD_CACHE
  ? path.resolve(process.env.TRAINYARD_CACHE)
  : path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'trainyard');

/** The pinned wheels exist from this minor version of CPython on. */
const LEAST_PYTHON = 11;

/** Written last, so that an environment whose installation was interrupted is made anew. */
const COMPLETE = 'trainyard-complete';

const say = (message) => console.log(`\n== ${message}`);

function fail(message) {
  console.error(`demo: ${message}`);
  process.exit(1);
}

function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error || status !== 0) {
    fail(`${[command, ...args].join(' ')} ${error ? `could not start: ${error.message}` : `ended with exit code ${status}`}`);
  }
}

/** A Python that can make environments and that the wheels fit. */
function findPython() {
  const candidates = process.env.TRAINYARD_PYTHON ? [process.env.TRAINYARD_PYTHON] : ['python3', 'python3.11', 'python3.12', 'python3.13', 'python3.14'];
  const found = [];
  for (const candidate of candidates) {
    // Debian's python3 has neither venv nor ensurepip until python3-venv is installed.
    const probe = spawnSync(candidate, ['-c', 'import sys; print(sys.version_info[1])\nimport venv, ensurepip; print("venv")'], { encoding: 'utf8' });
    const [minor, venv] = (probe.stdout ?? '').trim().split('\n');
    if (Number(minor) >= LEAST_PYTHON && venv === 'venv') return candidate;
    if (minor) found.push(`${candidate} is 3.${minor}${venv === 'venv' ? '' : ' without venv (on Debian and Ubuntu: apt-get install python3-venv)'}`);
  }
  return fail(`the quickstart trains with JAX and needs Python 3.${LEAST_PYTHON} or newer with venv; ${found.join(', ') || `no Python was found as ${candidates.join(', ')}`}. `
    + 'Install one, or name it in TRAINYARD_PYTHON.');
}

/** Folder with `bin/python3` that has the quickstart's packages. Named after the pins, so that changed ones get a new environment. */
function pythonEnvironment() {
  const requirements = path.join(example, 'requirements.txt');
  const python = findPython();
  const version = spawnSync(python, ['-c', 'import sys; print(sys.version)'], { encoding: 'utf8' }).stdout;
  const hash = createHash('sha256').update(readFileSync(requirements)).update(version).digest('hex').slice(0, 12);
  const folder = path.join(cache, 'quickstart', hash);
  const marker = path.join(folder, COMPLETE);
  if (existsSync(marker)) {
    say(`Python packages: ${folder}`);
    return folder;
  }
  say(`installing the quickstart's Python packages into ${folder} (once)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.dirname(folder), { recursive: true });
  run(python, ['-m', 'venv', folder]);
  run(path.join(folder, 'bin', 'python3'),
    ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', '--only-binary', ':all:', '-r', requirements]);
  writeFileSync(marker, '');
  return folder;
}

/** Runs a command on our own terminal and returns its exit code. */
function runInFront(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env });
    // Ctrl-C reaches the child as well; its end is waited for.
    process.on('SIGINT', () => {});
    child.on('error', (error) => fail(`${command} could not start: ${error.message}`));
    child.on('close', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
  });
}

/** What the job printed as its result, from the logs that `trainyard run` keeps. */
function accuracyOf(job) {
  const logs = path.join(example, '.trainyard', 'jobs', job, 'logs');
  const texts = existsSync(logs) ? readdirSync(logs).map((file) => readFileSync(path.join(logs, file), 'utf8')) : [];
  return texts.map((text) => /^accuracy=([0-9.]+)/m.exec(text)?.[1]).find((found) => found !== undefined);
}

const node = process.execPath;
const python = pythonEnvironment();

say(`the manifest of ${program}`);
const outdir = path.join(root, 'dist', 'quickstart');
rmSync(outdir, { recursive: true, force: true });
run(node, [path.join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'), program], { env: { ...process.env, CDK8S_OUTDIR: outdir } });
console.log(readFileSync(path.join(outdir, 'quickstart.k8s.yaml'), 'utf8').trimEnd());

// Checkpoints and logs of an earlier demo: this one would resume behind its last step.
rmSync(path.join(example, '.trainyard'), { recursive: true, force: true });

say(`npx trainyard run ${program}`);
const code = await runInFront(node, [path.join(root, 'bin', 'trainyard'), 'run', program], {
  ...process.env,
  PATH: `${path.join(python, 'bin')}${path.delimiter}${process.env.PATH}`,
  VIRTUAL_ENV: python,
});
if (code !== 0) {
  console.error(`demo: the job ended with exit code ${code}`);
  process.exit(code);
}
const accuracy = accuracyOf('digits');
if (accuracy === undefined) {
  fail('the job succeeded, but its logs hold no accuracy');
}
say(`trained on two processes: accuracy ${accuracy}`);
