/**
 * Tests of the programs in Python (`src/programs`), which are written in Python (`test_*.py` in this folder) and need nothing but its standard
 * library. Each is reported as a test of its own.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const OLDEST = '(3, 8)';
const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) => /(^|[\\/])test_\w+\.py$/.test(file)).sort();

/** How a test has ended. */
interface Ended {
  readonly file: string;
  readonly name: string;
  readonly problem: string | null;
  readonly skipped: string | null;
}

const hasPython = spawnSync('python3', ['-c', `import sys; sys.exit(sys.version_info < ${OLDEST})`]).status === 0;

function run(): readonly Ended[] {
  const sources = path.join(__dirname, '..', '..', 'src');
  const command = ['-B', path.join(__dirname, 'support', 'run_tests.py'), sources, ...files.map((file) => path.join(__dirname, file))];
  const { stdout, stderr, status } = spawnSync('python3', command, { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) {
    throw new Error(`the tests ended with ${status}: ${stderr}`);
  }
  return stdout.trim().split('\n').map((line) => JSON.parse(line) as Ended);
}

const ended = hasPython ? run() : [];

describe.each(files)('%s', (file) => {
  const own = ended.filter((each) => each.file === file);
  if (!hasPython) {
    test.skip('needs python3 of version 3.8 or newer, which is not installed', () => undefined);
  } else if (own.length === 0) {
    test('has tests', () => expect(own).not.toEqual([]));
  }
  for (const { name, problem, skipped } of own) {
    (skipped === null ? test : test.skip)(skipped === null ? name : `${name} (${skipped})`, () => expect(problem ?? 'no problem').toBe('no problem'));
  }
});
