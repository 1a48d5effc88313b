/**
 * Puts the checkers of generated pipelines into the cache: `npm run pipeline-checkers:install`. actionlint is built by Go from its module,
 * check-jsonschema is a wheel in a virtual environment. Where one cannot be had, the tests that need it are skipped and say so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ACTIONLINT, CHECK_JSONSCHEMA, findChecker, type PipelineChecker } from '../test/support/pipeline-checkers';

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { encoding: 'utf8', env });
  if (error || status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim().split('\n').at(-1)}`);
  }
}

const INSTALL: readonly (readonly [PipelineChecker, (target: string) => void])[] = [
  [ACTIONLINT, (target) => run('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${ACTIONLINT.release}`], { ...process.env, GOBIN: path.dirname(target) })],
  [CHECK_JSONSCHEMA, (target) => {
    const environment = path.dirname(path.dirname(target));
    rmSync(environment, { recursive: true, force: true });
    run('python3', ['-m', 'venv', environment]);
    run(path.join(environment, 'bin', 'python'), ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', `check-jsonschema==${CHECK_JSONSCHEMA.release}`]);
  }],
];

for (const [checker, install] of INSTALL) {
  const found = findChecker(checker);
  if (found !== undefined) {
    console.log(`${checker.name}: ${found}`);
    continue;
  }
  const target = checker.cached();
  try {
    mkdirSync(path.dirname(target), { recursive: true });
    install(target);
    console.log(`${checker.name}: ${existsSync(target) ? target : 'MISSING: it was installed elsewhere'}`);
  } catch (error) {
    console.log(`${checker.name}: MISSING: ${(error as Error).message}. Tests of pipelines with it are skipped.`);
  }
}
