/**
 * Unpacks an archive that a replica sends. The container may be hostile: paths and links in the archive could lead out of the destination.
 *
 * All entries are first written to a new private folder next to the destination, in which no links are created. When the archive is complete, they
 * are moved to the destination. An interrupted copy leaves nothing behind.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { CliError } from '../../cli-error';

export interface CopyTotals {
  files: number;
  bytes: number;
  /** The first skipped entries: links and devices. */
  readonly skipped: string[];
  skippedCount: number;
}

/** Skipped entries that are listed by name. */
const MAX_SKIPPED = 5;

/** Types of entries with content, as the package `tar` names them. */
const FILES = ['File', 'OldFile', 'ContiguousFile'];

/** Permission bits that are kept, without setuid and setgid; the owner can always read and write. */
const PERMISSIONS = 0o777;
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

export class Staging {
  public readonly totals: CopyTotals = { files: 0, bytes: 0, skipped: [], skippedCount: 0 };
  /** Takes the bytes of the archive. */
  public readonly parser: Parser;
  private readonly folder: string;
  private problem?: Error;

  /** @param target path of the finished copy */
  public constructor(private readonly target: string) {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    this.folder = fs.mkdtempSync(path.join(path.dirname(target), '.trainyard-cp-'));
    this.parser = new Parser({ strict: true, onReadEntry: (entry) => this.take(entry) });
    this.parser.on('error', (error: Error) => this.fail(error));
  }

  /** Whether no entry has arrived. */
  public get isEmpty(): boolean {
    return this.totals.files === 0 && fs.readdirSync(this.folder).length === 0;
  }

  /** Why unpacking failed. */
  public get failure(): CliError | undefined {
    const { problem } = this;
    return problem === undefined || problem instanceof CliError ? problem : new CliError(`Unpacking what the replica sent: ${problem.message}.`);
  }

  /** Completes the archive. @throws CliError when it is incomplete, damaged or not allowed */
  public finish(): void {
    this.parser.end();
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  /** Moves the copy to its destination. @param name the single entry to move. @default - all entries, as a folder */
  public move(name?: string): void {
    if (name !== undefined) {
      return merge(path.join(this.folder, name), this.target);
    }
    fs.chmodSync(this.folder, 0o777 & ~process.umask());
    merge(this.folder, this.target);
  }

  /** Removes the private folder. */
  public discard(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  private fail(error: Error): void {
    this.problem ??= error;
  }

  private take(entry: ReadEntry): void {
    try {
      this.write(entry);
    } catch (error) {
      this.fail(error as Error);
    }
    // The parser waits until the content of each entry is read.
    entry.resume();
  }

  private write(entry: ReadEntry): void {
    const { type, mode = 0o644, mtime } = entry;
    const place = this.placeOf(entry.path);
    if (this.problem !== undefined) {
      return;
    }
    if (type === 'Directory') {
      fs.mkdirSync(place, { recursive: true });
      if (place !== this.folder) {
        fs.chmodSync(place, (mode & PERMISSIONS) | OWNER_FOLDER);
      }
    } else if (FILES.includes(type)) {
      fs.mkdirSync(path.dirname(place), { recursive: true });
      this.writeFile(entry, place, (mode & PERMISSIONS) | OWNER_FILE, mtime);
    } else if (type === 'Link') {
      // A hard link to an earlier file. Its content is copied.
      fs.mkdirSync(path.dirname(place), { recursive: true });
      fs.copyFileSync(this.placeOf(entry.linkpath ?? ''), place, fs.constants.COPYFILE_EXCL);
      this.totals.files += 1;
    } else {
      this.totals.skippedCount += 1;
      if (this.totals.skipped.length < MAX_SKIPPED) {
        this.totals.skipped.push(entry.linkpath ? `${entry.path} -> ${entry.linkpath}` : entry.path);
      }
    }
  }

  private writeFile(entry: ReadEntry, place: string, mode: number, mtime: Date | undefined): void {
    // Fails if the archive has the name twice, or two names that are the same on this file system.
    const file = fs.openSync(place, 'wx', mode);
    entry.on('data', (chunk: Buffer) => {
      try {
        fs.writeSync(file, chunk);
        this.totals.bytes += chunk.length;
      } catch (error) {
        this.fail(error as Error);
      }
    });
    entry.on('end', () => {
      fs.fchmodSync(file, mode);
      if (mtime !== undefined) {
        fs.futimesSync(file, mtime, mtime);
      }
      fs.closeSync(file);
    });
    this.totals.files += 1;
  }

  /** Path of an entry in the private folder. @throws CliError when it would be outside */
  private placeOf(written: string): string {
    return path.join(this.folder, ...safeParts(written));
  }
}

/** Parts of an entry's path. @throws CliError when the path leads out of the folder */
export function safeParts(written: string): readonly string[] {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  const isForeign = process.platform === 'win32' && parts.some((part) => /[\\:*?"<>|]|[. ]$/.test(part));
  if (written.startsWith('/') || parts.includes('..') || written.includes('\0') || isForeign) {
    throw new CliError(`Unpacking what the replica sent: the entry '${written.slice(0, 200)}' would be written outside of the destination. Nothing was copied.`);
  }
  return parts;
}

/** Moves a file or folder over an existing one: folders are merged, files are replaced, and links at the destination are not followed. */
function merge(from: string, to: string): void {
  const there = fs.lstatSync(to, { throwIfNoEntry: false });
  const isFolder = fs.lstatSync(from).isDirectory();
  if (there?.isDirectory() && isFolder) {
    fs.readdirSync(from).forEach((name) => merge(path.join(from, name), path.join(to, name)));
    return;
  }
  if (there?.isDirectory()) {
    throw new CliError(`Destination ${to} is a folder, and the copy has a file of this name. Remove the folder, or choose another destination.`);
  }
  if (there !== undefined && isFolder) {
    fs.unlinkSync(to);
  }
  fs.renameSync(from, to);
}
