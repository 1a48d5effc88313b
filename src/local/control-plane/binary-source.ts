import fs from 'node:fs';
import path from 'node:path';
import { Component, ComponentName, Platform } from './components';

/** What a source needs to know to fetch or make binaries. */
export interface BinaryRequest {
  /** The programs that no earlier source had. */
  readonly components: readonly Component[];
  readonly platform: Platform;
  /** The folder of our cache in which a source puts what it makes, each binary under its program's name. */
  readonly binFolder: string;
  /** An empty folder on the file system of `binFolder` for files in the making; the caller removes it. */
  readonly scratchFolder: string;
  /** Environment of this process: settings and `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  /** Takes a line of progress for a person. */
  readonly log: (line: string) => void;
}

/** What a source came up with. */
export interface BinaryAnswer {
  /** Paths of the binaries that it has. */
  readonly found: ReadonlyMap<ComponentName, string>;
  /** For a person: why it does not have the others, and how to change that. */
  readonly notes: readonly string[];
}

/** A place that binaries can come from. */
export interface BinarySource {
  /** How messages call it. */
  readonly title: string;
  /** Tries to provide what is asked for. Rejects only on faults of the machine (a full disk); a binary that cannot be had is a note. */
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
 * Makes a finished file the cached binary of a program. The rename is atomic, so that another process sees either nothing or a whole binary.
 * @returns the binary's path
 */
export function putInPlace(finished: string, binFolder: string, name: ComponentName): string {
  fs.mkdirSync(binFolder, { recursive: true });
  fs.chmodSync(finished, 0o755);
  const target = path.join(binFolder, name);
  fs.renameSync(finished, target);
  return target;
}
