/**
 * An archive of a replica, unpacked. What is in it comes from a container that may be hostile: its paths could lead out of the folder, its links too.
 *
 * So everything goes first into a new folder beside the destination that nobody else may enter, in which no link is ever made; and when all of it has
 * come, it is moved to the destination. A copy that breaks off leaves nothing.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { CliError } from '../../cli-error';

/** What was copied. */
export interface CopyTotals {
  files: number;
  bytes: number;
  /** Links and devices, which are left out: the first few. */
  readonly skipped: string[];
  skippedCount: number;
}

/** Most names that are told of what is left out. */
const MAX_SKIPPED = 5;

/** Types of entries with content, as `tar` has them. */
const FILES = ['File', 'OldFile', 'ContiguousFile'];

/** Permissions that a file here keeps: none that make a program run as somebody else, and its owner can change it. */
const PERMISSIONS = 0o777;
const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** See the top of this file. */
export class Staging {
  public readonly totals: CopyTotals = { files: 0, bytes: 0, skipped: [], skippedCount: 0 };
  /** Takes the bytes of the archive. */
  public readonly parser: Parser;
  private readonly folder: string;
  private problem?: Error;

  /** @param target where the copy goes in the end */
  public constructor(private readonly target: string) {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    this.folder = fs.mkdtempSync(path.join(path.dirname(target), '.trainyard-cp-'));
    this.parser = new Parser({ strict: true, onReadEntry: (entry) => this.take(entry) });
    this.parser.on('error', (error: Error) => this.fail(error));
  }

  /** Whether nothing has come. */
  public get isEmpty(): boolean {
    return this.totals.files === 0 && fs.readdirSync(this.folder).length === 0;
  }

  /** Why it was given up, while it is still being sent. */
  public get failure(): CliError | undefined {
    const { problem } = this;
    return problem === undefined || problem instanceof CliError ? problem : new CliError(`Unpacking what the replica sent: ${problem.message}.`);
  }

  /** Ends the archive. @throws CliError where it was not whole, or holds what is not taken */
  public finish(): void {
    this.parser.end();
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  /** Moves what came to its destination. @param name of the entry that is moved; undefined for all of them, as a folder */
  public move(name?: string): void {
    if (name !== undefined) {
      return merge(path.join(this.folder, name), this.target);
    }
    fs.chmodSync(this.folder, 0o777 & ~process.umask());
    merge(this.folder, this.target);
  }

  /** Removes what is left. */
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
    // Content that nobody reads would hold up the rest.
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
      // The second name of a file that has come before: its content, and no link.
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
    // Fails when the archive has the name twice, or names that this machine does not tell apart.
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

  /** Where an entry goes. @throws CliError for what would be elsewhere than in the folder */
  private placeOf(written: string): string {
    return path.join(this.folder, ...safeParts(written));
  }
}

/** The parts of an entry's path. @throws CliError for one that leads out of its folder */
export function safeParts(written: string): readonly string[] {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  const isForeign = process.platform === 'win32' && parts.some((part) => /[\\:*?"<>|]|[. ]$/.test(part));
  if (written.startsWith('/') || parts.includes('..') || written.includes('\0') || isForeign) {
    throw new CliError(`Unpacking what the replica sent: the entry '${written.slice(0, 200)}' would be written outside of the destination. Nothing was copied.`);
  }
  return parts;
}

/** Moves a file or folder to where there may be another: folders are joined, files replaced, and links at the destination never followed. */
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
