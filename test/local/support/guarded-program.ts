/** Run by process-guard.test.ts: starts a container whose process starts one with a session of its own, prints the ids of both, and waits. */
import { ContainerProcess } from '../../../src/local/process/container-process';
import { ProcessGuard } from '../../../src/local/process/process-guard';

const DETACH = `
const child = require('child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
console.log(process.pid, child.pid);
setInterval(() => 0, 1000);`;

new ContainerProcess(
  { name: 'training', command: process.execPath, args: ['-e', DETACH], env: { PATH: process.env.PATH ?? '' }, workingDir: '.', localPaths: (text) => text },
  new ProcessGuard(),
  (text) => console.log(text),
);
