/**
 * Ends all processes of a local pod with the pod, and with this process.
 *
 * In a container all processes end with the first one. Here they are a process group, but launchers such as torchrun start their workers in sessions
 * of their own, which a signal to the group does not reach. So the processes of a container also inherit a variable with a tag, which Linux shows in
 * /proc.
 *
 * When this process ends, even by SIGKILL, a small shell at the other end of a pipe does the same: it reads which groups start and end, and at the
 * end of the pipe it kills the remaining groups, and all processes with a tag of this run.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { programText } from '../../programs/program-text';

/** Variable with the tag of a container. */
export const PROCESS_TAG_VARIABLE = 'TRAINYARD_PROCESS_TAG';

/** Guards the processes of one run. */
export class ProcessGuard {
  private readonly run = crypto.randomUUID();
  private readonly watchdog: ChildProcess;
  private containers = 0;

  /** Starts the watchdog. */
  public constructor() {
    // Detached, so that Ctrl-C, which a terminal sends to the whole foreground group, does not end it.
    // Lines: `+ GROUP` and `- GROUP`.
    this.watchdog = spawn('/bin/sh', ['-c', programText('local/watchdog.sh'), this.run], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // Without it, processes only remain after a SIGKILL of this process.
    this.watchdog.once('error', () => undefined);
    this.watchdog.stdin!.once('error', () => undefined);
    this.watchdog.unref();
    (this.watchdog.stdin as unknown as { unref?: () => void }).unref?.();
  }

  /** A tag for the processes of one more container. */
  public newTag(): string {
    return `${this.run}/${++this.containers}`;
  }

  /** Adds a process group to the watchdog. */
  public add(group: number): void {
    this.watchdog.stdin!.write(`+ ${group}\n`);
  }

  /** Removes a process group that has ended from the watchdog. */
  public remove(group: number): void {
    this.watchdog.stdin!.write(`- ${group}\n`);
  }

  /** Kills the remaining processes of a container whose first process has ended: the rest of its group, and all with its tag. */
  public sweep(group: number, tag: string): void {
    signalGroup(group, 'SIGKILL');
    this.killTagged(tag);
    this.remove(group);
  }

  /** Kills all processes with the tag, on Linux only. */
  public killTagged(tag: string): void {
    for (const pid of taggedProcesses(tag)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Ended in the meantime.
      }
    }
  }

  /** Ends the watchdog, which kills all remaining processes. */
  public close(): void {
    this.watchdog.stdin!.end();
  }
}

/** Sends a signal to a process group, if it exists. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // EPERM is macOS' answer for a group of zombies.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw error;
    }
  }
}

/** Whether a process group has processes that have not ended. */
export function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ids of the processes with a tag. */
function taggedProcesses(tag: string): number[] {
  const needle = Buffer.from(`${PROCESS_TAG_VARIABLE}=${tag}\0`);
  let entries: string[];
  try {
    entries = fs.readdirSync('/proc');
  } catch {
    return [];
  }
  return entries.filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => pid !== process.pid && carries(pid, needle));
}

function carries(pid: number, needle: Buffer): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}
