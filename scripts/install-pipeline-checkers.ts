/**
 * Puts the checkers of generated pipelines into the cache: `npm run pipeline-checkers:install`. actionlint is built by Go from its module,
 * check-jsonschema is a wheel in a virtual environment. Where one cannot be had, the tests that need it are skipped and say so.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { installWheel, run } from './install-programs';
import { ACTIONLINT, CHECK_JSONSCHEMA, findChecker, type PipelineChecker } from '../test/support/pipeline-checkers';

const INSTALL: readonly (readonly [PipelineChecker, (target: string) => void])[] = [
  [ACTIONLINT, (target) => run('go', ['install', `github.com/rhysd/actionlint/cmd/actionlint@${ACTIONLINT.release}`], { env: { ...process.env, GOBIN: path.dirname(target) } })],
  [CHECK_JSONSCHEMA, (target) => installWheel(target, `check-jsonschema==${CHECK_JSONSCHEMA.release}`)],
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
