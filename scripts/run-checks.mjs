/**
 * Runs the named checks one after another and goes on when one fails, so that one run shows everything that is wrong:
 *   node scripts/run-checks.mjs bundle lint typecheck unit cluster
 * Arguments after `--` go to jest: `npm run test:unit -- -- test/model`.
 *
 * A jest suite leaves its counts in test-reports/NAME.json. The last line adds up the suites of this run, the exit code is 1 if any
 * check failed. `--summary` runs nothing and adds up the suites named after it, or counts a missing report as one failure.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (name) => path.join(root, 'node_modules', name);

const CHECKS = {
  bundle: [path.join(root, 'scripts', 'bundle.mjs')],
  lint: [bin('eslint/bin/eslint.js'), '.'],
  typecheck: [bin('typescript/bin/tsc'), '--noEmit', '--project', 'tsconfig.json'],
};

/**
 * Jest flags of each suite. Suites that share a control plane, or measure processes, run one file at a time; the others on two cores, where jest by
 * itself would leave one of two idle.
 */
const SUITES = {
  unit: ['--maxWorkers=2'],
  cluster: ['--runInBand', '--forceExit'],
  frameworks: ['--runInBand', '--testTimeout=600000'],
  faults: ['--runInBand', '--forceExit', '--testTimeout=1200000'],
  histories: ['--maxWorkers=2', '--testTimeout=1200000'],
};

/**
 * Suites whose files are divided among so many processes that run side by side, each with a control plane of its own: most of the time their tests
 * wait, and on two cores both together take little longer than one.
 */
const SHARES = { cluster: 2 };

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
  // Whoever names files wants to see those, in one piece.
  const shares = jestArgs.length > 0 ? 1 : SHARES[suite] ?? 1;
  const names = Array.from({ length: shares }, (_, index) => (shares === 1 ? suite : `${suite}-${index + 1}`));
  [suite, ...names].forEach((name) => rmSync(reportOf(name), { force: true }));
  const results = await Promise.all(names.map((name, index) => run([
    bin('jest/bin/jest.js'), '--selectProjects', suite, ...SUITES[suite], '--json', `--outputFile=${reportOf(name)}`,
    ...(shares === 1 ? [] : [`--shard=${index + 1}/${shares}`]), ...jestArgs,
  ])));
  if (shares > 1) {
    writeFileSync(reportOf(suite), JSON.stringify(joined(names)));
  }
  return results.every(Boolean);
}

/** The reports of all shares as one; a share without a report counts as a file that does not load. */
function joined(names) {
  const sum = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] };
  for (const name of names) {
    let report;
    try {
      report = JSON.parse(readFileSync(reportOf(name), 'utf8'));
    } catch {
      sum.numRuntimeErrorTestSuites++;
      continue;
    }
    for (const field of Object.keys(sum)) sum[field] = field === 'testResults' ? [...sum[field], ...report[field]] : sum[field] + report[field];
  }
  return sum;
}

/** Passed, failed and skipped tests of one report. A file that does not load, and a suite without a report, count as one failure each. */
function countsOf(suite) {
  let report;
  try {
    report = JSON.parse(readFileSync(reportOf(suite), 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
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
const names = process.argv.slice(2, separator === -1 ? undefined : separator).filter((name) => name !== '--summary');
const jestArgs = separator === -1 ? [] : process.argv.slice(separator + 1);

const unknown = names.filter((name) => !(name in CHECKS) && !(name in SUITES));
if (names.length === 0 || unknown.length > 0) {
  const known = [...Object.keys(CHECKS), ...Object.keys(SUITES)].join(', ');
  console.error(`run-checks: ${unknown.length > 0 ? `no check is named ${unknown.join(', ')}` : 'name at least one check'}; there are ${known}`);
  process.exit(2);
}

const suites = names.filter((name) => name in SUITES);
if (process.argv.includes('--summary')) {
  process.exit(printSummary(suites) ? 0 : 1);
}

const failed = [];
for (const name of names) {
  console.log(`\n== ${name}`);
  const succeeded = await (name in SUITES ? runSuite(name, jestArgs) : run(CHECKS[name]));
  if (!succeeded) failed.push(name);
}

console.log('');
if (suites.length > 0) printSummary(suites);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
