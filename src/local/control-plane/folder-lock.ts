/**
 * A lock between processes of one machine: a file with its owner.
 *
 * The file is created with `wx`, so only one process can create it. The owner touches it every few seconds. If the owner's process has ended, or the
 * file is a minute old (the owner may be on another machine, or in a container that was removed), another process moves it away and tries again. In
 * between, a third process may have done the same, so the content is compared before and after the move, and the file of another owner is moved
 * back. In the remaining microseconds two processes may own the lock, which only costs double work: results are renamed atomically.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface FolderLockOptions {
  /** Called once with the process id of the owner, if the lock is taken. */
  readonly onWait?: (pid: number) => void;
  /**
   * Milliseconds to wait for the lock.
   * @default 1 800 000 (half an hour: the slowest build that the lock protects)
   */
  readonly timeoutMs?: number;
}

const POLL_MS = 250;
const TOUCH_MS = 5_000;
const STALE_AFTER_MS = 60_000;

/** A lock that this process holds. */
export interface HeldLock {
  /** Unlocks the folder. A second call does nothing. */
  release(): void;
}

/**
 * Locks a folder. Waits if it is locked.
 * @param folder created if it is missing; the lock is the file `.lock` in it
 * @throws Error with the owner after `timeoutMs`
 */
export async function acquireFolderLock(folder: string, options: FolderLockOptions = {}): Promise<HeldLock> {
  const { onWait, timeoutMs = 1_800_000 } = options;
  const file = path.join(folder, '.lock');
  fs.mkdirSync(folder, { recursive: true });
  const owner = `${process.pid} ${os.hostname()} ${crypto.randomUUID()}`;
  const deadline = Date.now() + timeoutMs;
  for (let waited = false; ; waited = true) {
    try {
      fs.writeFileSync(file, owner, { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
    }
    const holder = readOwner(file);
    if (holder.stale) {
      breakLock(file, holder.text);
      continue;
    }
    if (Date.now() >= deadline) {
      throw new Error(`${file} is held by process ${holder.pid ?? '(unknown)'}. Wait until it ends, or stop it, and try again.`);
    }
    if (!waited && holder.pid !== undefined) {
      onWait?.(holder.pid);
    }
    await delay(POLL_MS);
  }
  const touching = setInterval(() => touch(file), TOUCH_MS);
  touching.unref();
  return {
    release: () => {
      clearInterval(touching);
      // If our lock was regarded as stale, the file is that of another process.
      if (readText(file) === owner) {
        fs.rmSync(file, { force: true });
      }
    },
  };
}

/** Calls `work` with a locked folder. See {@link acquireFolderLock}. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>, options: FolderLockOptions = {}): Promise<T> {
  const lock = await acquireFolderLock(folder, options);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * @returns whether the process that has locked a folder is on this machine and has ended. A process that has not touched its lock for long may be in
 * a debugger, and still needs the folder.
 */
export function isFolderAbandoned(folder: string): boolean {
  const file = path.join(folder, '.lock');
  return fs.existsSync(file) && readOwner(file).gone;
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function readOwner(file: string): { pid?: number; text: string; gone: boolean; stale: boolean } {
  const text = readText(file) ?? '';
  const [pidText, host] = text.split(' ');
  const pid = Number(pidText) || undefined;
  // Processes of other machines cannot be checked.
  const gone = pid !== undefined && host === os.hostname() && !isAlive(pid);
  const touched = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return { pid, text, gone, stale: gone || Date.now() - touched > STALE_AFTER_MS };
}

function touch(file: string): void {
  try {
    fs.utimesSync(file, new Date(), new Date());
  } catch {
    // The folder was removed.
  }
}

function breakLock(file: string, staleText: string): void {
  if (readText(file) !== staleText) {
    return;
  }
  const aside = `${file}.${crypto.randomUUID()}`;
  try {
    fs.renameSync(file, aside);
    if (readText(aside) !== staleText) {
      fs.linkSync(aside, file);
    }
    fs.rmSync(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
