import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { acquireFolderLock, isFolderAbandoned, withFolderLock } from '../../../src/local/control-plane/folder-lock';
import { temporaryFolder } from './fake-binary-sources';

describe('the lock of a folder', () => {
  const root = temporaryFolder();
  const file = (folder: string) => path.join(folder, '.lock');

  function leaveLockOf(owner: string, name: string): string {
    const folder = path.join(root, name);
    fs.mkdirSync(folder);
    fs.writeFileSync(file(folder), owner);
    return folder;
  }

  function deadPid(): number {
    return spawnSync('true').pid;
  }

  test('is held by one at a time, also among many that want it at once', async () => {
    const folder = path.join(root, 'many');
    let inside = 0;
    let most = 0;
    await Promise.all(Array.from({ length: 8 }, async () => withFolderLock(folder, async () => {
      inside++;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
    })));
    expect(most).toBe(1);
    expect(fs.existsSync(file(folder))).toBe(false);
  });

  test('is given back when the work fails', async () => {
    const folder = path.join(root, 'failing');
    await expect(withFolderLock(folder, async () => { throw new Error('disk full'); })).rejects.toThrow('disk full');
    expect(fs.existsSync(file(folder))).toBe(false);
  });

  test('is taken from a holder that was killed', async () => {
    const folder = leaveLockOf(`${deadPid()} ${os.hostname()} x`, 'killed');
    expect(isFolderAbandoned(folder)).toBe(true);
    await expect(withFolderLock(folder, async () => 'done')).resolves.toBe('done');
  });

  test('is not taken from a living holder: the wait ends with an error that names it', async () => {
    const folder = leaveLockOf(`${process.pid} ${os.hostname()} x`, 'living');
    const waits: number[] = [];
    await expect(acquireFolderLock(folder, { timeoutMs: 300, onWait: (pid) => waits.push(pid) })).rejects
      .toThrow(`${file(folder)} is held by process ${process.pid}.`);
    expect(waits).toEqual([process.pid]);
    expect(isFolderAbandoned(folder)).toBe(false);
  });

  test.each([
    ['of another machine', `${deadPid()} another-${os.hostname()} x`, /is held by process \d+/],
    ['of a process id that is in use again', `${process.pid} ${os.hostname()} x`, /is held by process \d+/],
    ['that was never written', '', /is held by process \(unknown\)/],
  ])('%s is respected while it is touched, and taken once it no longer is', async (name, owner, message) => {
    const folder = leaveLockOf(owner, name);
    await expect(acquireFolderLock(folder, { timeoutMs: 0 })).rejects.toThrow(message);
    const twoMinutesAgo = new Date(Date.now() - 120_000);
    fs.utimesSync(file(folder), twoMinutesAgo, twoMinutesAgo);
    // Enough to take the lock, not enough to throw the folder away.
    expect(isFolderAbandoned(folder)).toBe(false);
    (await acquireFolderLock(folder, { timeoutMs: 0 })).release();
  });

  test('that somebody else holds by now is not released by an earlier holder', async () => {
    const folder = path.join(root, 'earlier');
    const lock = await acquireFolderLock(folder);
    fs.writeFileSync(file(folder), `${process.pid} ${os.hostname()} other`);
    lock.release();
    expect(fs.existsSync(file(folder))).toBe(true);
  });
});
