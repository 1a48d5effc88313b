import { spawn } from 'node:child_process';
import path from 'node:path';
import { untilGone } from '../support/processes';

const PROGRAM = path.join(__dirname, '..', 'support', 'guarded-program.ts');

test('processes die with us, even when we are killed and can do nothing any more', async () => {
  const runner = spawn(process.execPath, ['--import', 'tsx', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const text = await new Promise<string>((resolve, reject) => {
    runner.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    runner.once('exit', (code) => reject(new Error(`the program ended with code ${code}`)));
  });
  const [leader, detached] = text.trim().split(' ').map(Number);
  expect(leader).toBeGreaterThan(1);
  runner.kill('SIGKILL');
  await untilGone(leader);
  // Elsewhere than on Linux nobody finds a process that has left its group.
  if (process.platform === 'linux') {
    await untilGone(detached);
  } else {
    process.kill(detached, 'SIGKILL');
  }
});
