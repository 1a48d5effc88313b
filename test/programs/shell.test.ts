/**
 * Tests of the programs in shell (`src/programs`), which are written in shell (`test_*.sh` in this folder). Images have different ones: each test
 * runs in those of this machine.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) => /(^|[\\/])test_\w+\.sh$/.test(file)).sort();
const SHELLS = ['sh', 'bash', 'busybox sh'];
const [runner, programs] = [path.join(__dirname, 'support', 'run-tests.sh'), path.join(__dirname, '..', '..', 'src', 'programs')];

describe.each(SHELLS)('%s', (shell) => {
  const words = shell.split(' ');
  if (spawnSync(words[0], [...words.slice(1), '-c', 'exit 0']).status !== 0) {
    test.skip('is not installed', () => undefined);
    return;
  }
  for (const file of files) {
    const { stdout, stderr, status, signal } = spawnSync(words[0], [...words.slice(1), runner, shell, path.join(__dirname, file), programs], {
      // No pipe, which is a socket here: bash would take itself for a remote shell's, and read the user's ~/.bashrc.
      encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'pipe'],
    });
    const results = stdout.split(/^(?=ok |not ok )/m).filter((result) => result !== '');
    describe(file, () => {
      test('runs to its end', () => expect({ status, signal, stderr, hasTests: results.length > 0 }).toEqual({ status: 0, signal: null, stderr: '', hasTests: true }));
      for (const result of results) {
        const [, outcome, name, problem] = /^(ok|not ok) test_(\w+)\n([^]*)$/.exec(result)!;
        test(name.replaceAll('_', ' '), () => expect({ outcome, problem }).toEqual({ outcome: 'ok', problem: '' }));
      }
    });
  }
});
