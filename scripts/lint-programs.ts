/**
 * Lints the programs in Python, shell and Lua (`src/programs`, `python`). A linter that is not there is skipped, and said to be; its count goes to
 * test-reports/programs.json in the form of jest, so that the last line of a run has it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChecker, runChecker } from '../test/support/pipeline-checkers';
import { PROGRAM_LINTERS } from '../test/support/program-linters';

const root = path.dirname(__dirname);
const report = { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0, numTodoTests: 0 };

for (const linter of PROGRAM_LINTERS) {
  const found = findChecker(linter);
  if (found === undefined) {
    console.log(`${linter.name}: skipped: it is not installed. npm run program-linters:install installs it.`);
    report.numPendingTests++;
    continue;
  }
  const { code, output } = runChecker(found, linter.args(root), root);
  report[code === 0 ? 'numPassedTests' : 'numFailedTests']++;
  console.log(`${linter.name}: ${code === 0 ? 'nothing to complain of' : output}`);
}
mkdirSync(path.join(root, 'test-reports'), { recursive: true });
writeFileSync(path.join(root, 'test-reports', 'programs.json'), JSON.stringify(report));
process.exitCode = report.numFailedTests > 0 ? 1 : 0;
