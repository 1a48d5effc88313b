import fs from 'node:fs';
import path from 'node:path';
import { Component, ComponentName, Platform } from './components';

export interface BinaryRequest {
  /** The programs that no earlier source had. */
  readonly components: readonly Component[];
  readonly platform: Platform;
  /** Folder of our cache, to which the source adds binaries under the names of their programs. */
  readonly binFolder: string;
  /** An empty folder on the file system of `binFolder` for incomplete files. The caller removes it. */
  readonly scratchFolder: string;
  /** Environment of this process: settings and `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  /** Called with a line about the progress. */
  readonly log: (line: string) => void;
}

export interface BinaryAnswer {
  /** Paths of the binaries that it has. */
  readonly found: ReadonlyMap<ComponentName, string>;
  /** Why it does not have the others, and how to change that. */
  readonly notes: readonly string[];
}

export interface BinarySource {
  /** Its name in messages. */
  readonly title: string;
  /** Tries to provide the binaries. Rejects only on faults of the machine, such as a full disk; a missing binary is a note. */
  provide(request: BinaryRequest): Promise<BinaryAnswer>;
}

/** @returns whether `file` is a regular file that this user may run */
export function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Looks for the programs as files of one folder. */
export function findInFolder(components: readonly Component[], folder: string): BinaryAnswer {
  const found = new Map<ComponentName, string>();
  const missing: string[] = [];
  for (const { name } of components) {
    const file = path.join(folder, name);
    if (isExecutable(file)) {
      found.set(name, file);
    } else {
      missing.push(name);
    }
  }
  return { found, notes: missing.length > 0 ? [`no ${missing.join(', ')} in ${folder}`] : [] };
}

/**
 * Moves a complete file to the cache. The rename is atomic, so another process never sees an incomplete binary.
 * @returns the binary's path
 */
export function putInPlace(finished: string, binFolder: string, name: ComponentName): string {
  fs.mkdirSync(binFolder, { recursive: true });
  fs.chmodSync(finished, 0o755);
  const target = path.join(binFolder, name);
  fs.renameSync(finished, target);
  return target;
}
