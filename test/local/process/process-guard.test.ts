import { spawn } from 'node:child_process';
import path from 'node:path';
import { untilGone } from '../support/processes';

/** Starts a pod with a process that has a session of its own, prints their ids, and waits. */
const PROGRAM = `
import { ContainerProcess } from './src/local/process/container-process';
import { ProcessGuard } from './src/local/process/process-guard';
const detach = "const c = require('child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }); console.log(process.pid, c.pid); setInterval(() => 0, 1000)";
new ContainerProcess(
  { name: 'training', command: process.execPath, args: ['-e', detach], env: { PATH: process.env.PATH }, workingDir: '.' },
  new ProcessGuard(), (text) => console.log(text));
`;

test('processes die with us, even when we are killed and can do nothing any more', async () => {
  const root = path.join(__dirname, '..', '..', '..');
  const runner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM.replace(/\.\/src/g, `${root}/src`)], {
    cwd: root, stdio: ['ignore', 'pipe', 'inherit'],
  });
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
