/**
 * A lock between processes of one machine, held as a file that names its owner.
 *
 * The file is created with `wx`, so exactly one process gets it. A living holder touches it every few seconds. A holder that was killed cannot
 * remove its file: a waiter that finds the owner's process gone, or the file untouched for a minute (the owner may be on another machine that
 * shares the folder, or in a container that is gone), moves the file away and tries again. Between looking and moving, another waiter may have
 * done both already; so the waiter looks once more right before it moves, and puts back a file that turns out to be a living owner's. What
 * stays possible in a few microseconds costs only double work: whatever is made under the lock is put in place by an atomic rename.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Options of {@link withFolderLock}. */
export interface FolderLockOptions {
  /** Called once when another living process holds the lock, with its process id. */
  readonly onWait?: (pid: number) => void;
  /**
   * How long to wait for the holder, in milliseconds.
   * @default 1 800 000 (half an hour: the slowest build that the lock protects)
   */
  readonly timeoutMs?: number;
}

const POLL_MS = 250;
const TOUCH_MS = 5_000;
const STALE_AFTER_MS = 60_000;

/** A lock that this process holds. */
export interface HeldLock {
  /** Gives the lock back; a second call does nothing. */
  release(): void;
}

/**
 * Takes the lock of a folder, waiting for a living holder.
 * @param folder created when missing; the lock is the file `.lock` in it
 * @throws Error naming the holder when it keeps the lock for longer than `timeoutMs`
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
      // Only our own file: after a wrong guess at staleness, the file would be that of another process.
      if (readText(file) === owner) {
        fs.rmSync(file, { force: true });
      }
    },
  };
}

/** Runs `work` while this process holds the lock of `folder`. See {@link acquireFolderLock}. */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>, options: FolderLockOptions = {}): Promise<T> {
  const lock = await acquireFolderLock(folder, options);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * @returns whether a folder has a lock whose holder, a process of this machine, is gone for certain. A holder that only has not touched its lock
 * for long may sit in a debugger, and would miss a folder that is removed under it.
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
  // A process of another machine cannot be looked at from here.
  const gone = pid !== undefined && host === os.hostname() && !isAlive(pid);
  const touched = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return { pid, text, gone, stale: gone || Date.now() - touched > STALE_AFTER_MS };
}

function touch(file: string): void {
  try {
    fs.utimesSync(file, new Date(), new Date());
  } catch {
    // The folder was removed under us; there is nothing left to lock.
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
