/**
 * A lock between processes: a file, created exclusively, that holds the owner's process id.
 *
 * A holder that died leaves its file behind. Such a file is taken over by renaming it to a name of our own first: of several
 * processes that see the same dead owner one rename wins. The winner could still have caught a lock that was made anew between
 * its look and its rename; it then puts that one back, and waits like the others.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'fs';
import { dirname } from 'path';

/** How often a waiting process looks again, in milliseconds. */
const POLL_MS = 200;

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

/** Process id in the lock file; undefined when the file is gone. */
function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to somebody else.
    return isCode(error, 'EPERM');
  }
}

function tryTake(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // A link appears with its content in one step; an exclusive create would show an empty file for a moment.
    linkSync(own, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function removeIfDead(file: string): void {
  const owner = ownerOf(file);
  if (owner === undefined || isAlive(owner)) {
    return;
  }
  const grave = `${file}.dead-${process.pid}`;
  try {
    renameSync(file, grave);
  } catch (error) {
    if (isCode(error, 'ENOENT')) {
      return;
    }
    throw error;
  }
  if (ownerOf(grave) !== owner) {
    renameSync(grave, file);
    return;
  }
  rmSync(grave, { force: true });
}

/** Runs `body` while holding the lock; waits as long as another live process holds it. */
export async function withLock<T>(file: string, body: () => Promise<T> | T): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  while (!tryTake(file)) {
    removeIfDead(file);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}
