import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { acquireFolderLock, HeldLock, isFolderAbandoned } from './folder-lock';

const TEMPORARY_PREFIX = path.join(os.tmpdir(), 'trainyard-control-plane-');

/** The folder with all state, logs and credentials of a control plane. */
export class DataFolder {
  /**
   * Opens a folder for one control plane.
   * @param folder a folder to keep, which is created if it is missing @default - a temporary folder, which is removed with the control plane
   * @throws Error with the process that has opened it: two control planes cannot share etcd's files
   */
  public static async open(folder: string | undefined): Promise<DataFolder> {
    if (folder === undefined) {
      removeAbandoned();
    }
    const opened = folder === undefined ? fs.mkdtempSync(TEMPORARY_PREFIX) : path.resolve(folder);
    fs.mkdirSync(path.join(opened, 'logs'), { recursive: true, mode: 0o700 });
    return new DataFolder(opened, folder === undefined, await acquireFolderLock(opened, { timeoutMs: 0 }));
  }

  private readonly onProcessExit = () => this.removeIfTemporary();

  private constructor(public readonly path: string, private readonly temporary: boolean, private readonly lock: HeldLock) {
    process.once('exit', this.onProcessExit);
  }

  public file(...parts: string[]): string {
    return path.join(this.path, ...parts);
  }

  /** Unlocks the folder, and removes it if it is temporary. */
  public close(): void {
    this.lock.release();
    process.off('exit', this.onProcessExit);
    this.removeIfTemporary();
  }

  private removeIfTemporary(): void {
    if (this.temporary) {
      fs.rmSync(this.path, { recursive: true, force: true });
    }
  }
}

/** Removes temporary folders of processes that were killed. etcd allocates 64 MB in each. */
function removeAbandoned(): void {
  const parent = path.dirname(TEMPORARY_PREFIX);
  for (const name of fs.readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (folder.startsWith(TEMPORARY_PREFIX) && isFolderAbandoned(folder)) {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}
