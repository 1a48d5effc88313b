/**
 * Makes children die with this process even when it is killed with SIGKILL and can do nothing any more.
 *
 * - Linux with util-linux: the child is started through `setpriv --pdeathsig KILL`, which asks the kernel for it and then becomes the child
 *   (same process id). The kernel ties this to the parent's thread: children are to be started from the main thread, not from a worker thread
 *   that ends earlier.
 * - elsewhere (macOS, busybox): one small shell per child reads from a pipe whose other end only we hold. When we die, in whatever way, the pipe
 *   closes, the read returns, and the shell kills the child.
 *
 * A normal exit of this process is handled in child-process.ts.
 */
import { ChildProcess, spawn, spawnSync } from 'node:child_process';

/** How a child is tied to our life. */
export type ParentDeathGuard = 'setpriv' | 'shell';

let detected: ParentDeathGuard | undefined;

/** The way that works on this machine; found out once. */
export function parentDeathGuard(): ParentDeathGuard {
  if (!detected) {
    // Not by the platform's name: busybox has a setpriv without this option.
    const probe = process.platform === 'linux' ? spawnSync('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], { stdio: 'ignore' }) : undefined;
    detected = probe?.status === 0 ? 'setpriv' : 'shell';
  }
  return detected;
}

/** The command line to start so that `command` dies with us; the same one where a guard shell does it. */
export function guardedCommand(command: string, args: readonly string[], guard: ParentDeathGuard): [string, readonly string[]] {
  return guard === 'setpriv' ? ['setpriv', ['--pdeathsig', 'KILL', '--', command, ...args]] : [command, args];
}

/**
 * Starts the guard shell of a child, where that is the way.
 *
 * The shell ends by itself when the child ended first, so a process id that is used again later is never hit.
 */
export function guardWithShell(child: ChildProcess, guard: ParentDeathGuard): void {
  if (guard !== 'shell' || child.pid === undefined) {
    return;
  }
  // Detached, so that Ctrl-C in a terminal, which reaches the whole process group, does not end the guard.
  const shell = spawn('/bin/sh', ['-c', 'read -r done || kill -9 "$0"', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.once('error', () => {});
  // The pipe may break in the same moment in which the line is written.
  shell.stdin!.once('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  child.once('exit', () => shell.stdin!.end('done\n'));
}
