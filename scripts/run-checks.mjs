/**
 * Runs the named checks one after another and goes on when one fails, so that one run shows everything that is wrong:
 *   node scripts/run-checks.mjs bundle lint+programs+exports+typecheck unit cluster
 * Checks with a plus between them run side by side.
 * Arguments after `--` go to jest: `npm run test:unit -- -- test/model`.
 *
 * A jest suite leaves its counts in test-reports/NAME.json, and so do the linters of programs. The last line adds up the suites of this run, the
 * exit code is 1 if any check failed. `--summary` runs nothing: it names the tests that failed, and adds up the suites named after it, where a
 * missing report counts as one failure.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (name) => path.join(root, 'node_modules', name);

const CHECKS = {
  bundle: [path.join(root, 'scripts', 'bundle.mjs')],
  lint: [bin('eslint/bin/eslint.js'), '.'],
  exports: [bin('knip/bin/knip.js'), '--include', 'files,exports,duplicates'],
  programs: [bin('tsx/dist/cli.mjs'), path.join(root, 'scripts', 'lint-programs.ts')],
  pages: [bin('typescript/bin/tsc'), '--noEmit', '--project', 'src/ui/tsconfig.json'],
  typecheck: [bin('typescript/bin/tsc'), '--noEmit', '--project', 'tsconfig.json'],
};

/**
 * Jest flags of each suite: two files at a time on two cores, where jest by itself would leave one of two idle. Suites that kill programs at random
 * moments run alone, so that what they show is not a machine that is too busy.
 */
const SUITES = {
  // A third fills the time in which others wait.
  unit: ['--maxWorkers=3'],
  // They wait for states about half of their time. Each worker has a control plane of its own, which takes up to 4 GiB with all definitions.
  cluster: [`--maxWorkers=${totalmem() > 20 * 2 ** 30 ? 3 : 2}`, '--forceExit'],
  e2e: ['--maxWorkers=2', '--forceExit'],
  frameworks: ['--maxWorkers=2', '--testTimeout=600000'],
  faults: ['--runInBand', '--forceExit', '--testTimeout=1200000'],
  attacks: ['--runInBand', '--forceExit', '--testTimeout=1200000'],
  // One installed package for all files.
  outside: ['--maxWorkers=2', '--forceExit', '--testTimeout=900000'],
  histories: ['--maxWorkers=2', '--testTimeout=1200000'],
};

/** Checks that leave a report as suites do. */
const REPORTING = ['programs'];

const reportOf = (suite) => path.join(root, 'test-reports', `${suite}.json`);

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

async function runSuite(suite, jestArgs) {
  mkdirSync(path.dirname(reportOf(suite)), { recursive: true });
  rmSync(reportOf(suite), { force: true });
  return run([bin('jest/bin/jest.js'), '--selectProjects', suite, ...SUITES[suite], '--json', `--outputFile=${reportOf(suite)}`, ...jestArgs]);
}

/** What a suite left; undefined if it left nothing that can be read. */
function readReport(suite) {
  try {
    return JSON.parse(readFileSync(reportOf(suite), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Passed, failed and skipped tests of one suite. A file that does not load, and a suite without a report, count as one failure each. */
function countsOf(suite) {
  const report = readReport(suite);
  return report === undefined ? { passed: 0, failed: 1, skipped: 0 } : {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Prints each failed test with the beginning of its error, which is far above in a long output. */
function printFailures(suite) {
  const report = readReport(suite);
  if (report === undefined) {
    console.log(`failed: ${suite}: it left no report`);
  }
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const failures = assertionResults.filter((test) => test.status === 'failed').map(({ fullName, failureMessages }) => [fullName, failureMessages[0]]);
    if (failures.length === 0 && status === 'failed') failures.push(['the file does not load', message]);
    for (const [test, error] of failures) {
      console.log(`failed: ${suite}: ${path.relative(root, name)}: ${test}\n${error.split('\n').slice(0, 12).map((line) => `    ${line}`).join('\n')}`);
    }
  }
}

/** Prints `tests: N passed, N failed, N skipped` over the suites and says whether nothing failed. */
function printSummary(suites) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of suites) {
    const counts = countsOf(suite);
    for (const outcome of Object.keys(total)) total[outcome] += counts[outcome];
  }
  console.log(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0;
}

const separator = process.argv.indexOf('--', 2);
const groups = process.argv.slice(2, separator === -1 ? undefined : separator).filter((name) => name !== '--summary').map((group) => group.split('+'));
const names = groups.flat();
const jestArgs = separator === -1 ? [] : process.argv.slice(separator + 1);

const unknown = names.filter((name) => !(name in CHECKS) && !(name in SUITES));
if (names.length === 0 || unknown.length > 0) {
  const known = [...Object.keys(CHECKS), ...Object.keys(SUITES)].join(', ');
  console.error(`run-checks: ${unknown.length > 0 ? `no check is named ${unknown.join(', ')}` : 'name at least one check'}; there are ${known}`);
  process.exit(2);
}

const suites = names.filter((name) => name in SUITES || REPORTING.includes(name));
if (process.argv.includes('--summary')) {
  suites.forEach(printFailures);
  process.exit(printSummary(suites) ? 0 : 1);
}

const failed = [];
for (const group of groups) {
  console.log(`\n== ${group.join(' and ')}`);
  await Promise.all(group.map(async (name) => {
    const succeeded = await (name in SUITES ? runSuite(name, jestArgs) : run(CHECKS[name]));
    if (!succeeded) failed.push(name);
  }));
}

console.log('');
if (suites.length > 0) printSummary(suites);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
