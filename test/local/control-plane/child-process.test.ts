import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Child } from '../../../src/local/control-plane/child-process';
import { parentDeathGuard, ParentDeathGuard } from '../../../src/local/control-plane/parent-death';
import { temporaryFolder } from './fake-binary-sources';

const root = temporaryFolder();
let count = 0;
const shell = (script: string, guard?: ParentDeathGuard) =>
  new Child({ name: 'script', command: '/bin/sh', args: ['-c', script], logFile: path.join(root, `${count++}.log`), guard });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process that nobody has waited for yet is dead all the same.
    return !/^State:\s+Z/m.test(fs.existsSync('/proc/self') ? fs.readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; !isSo();) {
    if (Date.now() > deadline) {
      throw new Error(`waited 30 s until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The guards that this machine can use; the shell is everywhere. */
const GUARDS: ParentDeathGuard[] = parentDeathGuard() === 'setpriv' ? ['setpriv', 'shell'] : ['shell'];

describe.each(GUARDS)('a child process guarded by %s', (guard) => {
  test('reports its end and has logged what it said', async () => {
    const child = shell('echo out; echo err >&2; exit 3', guard);
    await expect(child.exited).resolves.toEqual({ code: 3, signal: null });
    expect(child.running).toBe(false);
    expect(child.lastLogLines()).toBe('out\nerr');
    expect(child.lastLogLines(1)).toBe('err');
  });

  test('ends on SIGTERM when it is stopped', async () => {
    const child = shell('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done', guard);
    await until('the child is up', () => child.lastLogLines() === 'up');
    await expect(child.stop(30_000)).resolves.toEqual({ code: 0, signal: null });
    expect(child.lastLogLines()).toBe('up\nbye');
  });

  test('is killed when SIGTERM does not end it', async () => {
    const child = shell('trap "" TERM; echo up; while :; do sleep 0.05; done', guard);
    await until('the child is up', () => child.lastLogLines() === 'up');
    await expect(child.stop(50)).resolves.toEqual({ code: null, signal: 'SIGKILL' });
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('does not outlive a parent that ends by %s', async (signal) => {
    const pidFile = path.join(root, `pid-${count++}`);
    const program = `
      const { Child } = require(${JSON.stringify(path.resolve(__dirname, '../../../src/local/control-plane/child-process.ts'))});
      const child = new Child({ name: 'sleeper', command: 'sleep', args: ['600'], logFile: ${JSON.stringify(`${pidFile}.log`)}, guard: '${guard}' });
      require('fs').writeFileSync(${JSON.stringify(`${pidFile}.new`)}, String(child.pid));
      require('fs').renameSync(${JSON.stringify(`${pidFile}.new`)}, ${JSON.stringify(pidFile)});
    `;
    const parent = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', program], { stdio: 'inherit' });
    await until('the parent has started its child', () => fs.existsSync(pidFile));
    const pid = Number(fs.readFileSync(pidFile, 'utf8'));
    expect(isAlive(pid)).toBe(true);

    parent.kill(signal);

    await until('the child is gone', () => !isAlive(pid));
  });

  test('does not outlive a parent that calls process.exit', async () => {
    const pidFile = path.join(root, `pid-${count++}`);
    const program = `
      const { Child } = require(${JSON.stringify(path.resolve(__dirname, '../../../src/local/control-plane/child-process.ts'))});
      const child = new Child({ name: 'sleeper', command: 'sleep', args: ['600'], logFile: ${JSON.stringify(`${pidFile}.log`)}, guard: '${guard}' });
      require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
      process.exit(0);
    `;
    const parent = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', program], { stdio: 'inherit' });
    await new Promise((resolve) => parent.once('exit', resolve));
    await until('the child is gone', () => !isAlive(Number(fs.readFileSync(pidFile, 'utf8'))));
  });
});

describe('a child process', () => {
  test('that cannot be started shows as an exit with the reason in its log', async () => {
    const child = new Child({ name: 'none', command: '/no/such/program', args: [], logFile: path.join(root, 'none.log'), guard: 'shell' });
    await expect(child.exited).resolves.toEqual({ code: 127, signal: null });
    expect(child.lastLogLines()).toContain('/no/such/program');
    await expect(child.stop(1000)).resolves.toEqual({ code: 127, signal: null });
  });
});
