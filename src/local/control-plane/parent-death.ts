/**
 * Ends children with this process even when it is killed with SIGKILL.
 *
 * - Linux with util-linux: the child is started with `setpriv --pdeathsig KILL`, which becomes the child (same process id). The kernel kills it when
 *   the parent's thread ends, so children must be started from the main thread.
 * - elsewhere (macOS, busybox): a small shell for each child reads from a pipe of this process. When this process ends, the pipe closes, and the
 *   shell kills the child.
 *
 * A normal exit of this process is handled in child-process.ts.
 */
import { ChildProcess, spawn, spawnSync } from 'node:child_process';

/** How a child is ended. */
export type ParentDeathGuard = 'setpriv' | 'shell';

let detected: ParentDeathGuard | undefined;

/** The guard that works on this machine. */
export function parentDeathGuard(): ParentDeathGuard {
  if (!detected) {
    // busybox has a setpriv without this option.
    const probe = process.platform === 'linux' ? spawnSync('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], { stdio: 'ignore' }) : undefined;
    detected = probe?.status === 0 ? 'setpriv' : 'shell';
  }
  return detected;
}

/** The command line that starts `command` with the guard. */
export function guardedCommand(command: string, args: readonly string[], guard: ParentDeathGuard): [string, readonly string[]] {
  return guard === 'setpriv' ? ['setpriv', ['--pdeathsig', 'KILL', '--', command, ...args]] : [command, args];
}

/**
 * Starts the guard shell of a child, if the guard is a shell. The shell ends with the child, so that it cannot kill another process with its id.
 */
export function guardWithShell(child: ChildProcess, guard: ParentDeathGuard): void {
  if (guard !== 'shell' || child.pid === undefined) {
    return;
  }
  // Detached, so that Ctrl-C in a terminal, which reaches the whole process group, does not end the guard.
  const shell = spawn('/bin/sh', ['-c', 'read -r done || kill -9 "$0"', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.once('error', () => {});
  // The pipe may break while the line is written.
  shell.stdin!.once('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  child.once('exit', () => shell.stdin!.end('done\n'));
}
