/** Parses `JOB:PATH`, and finds the local destination of a copy. */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from '../../cli-error';

/** A file or folder of a replica. */
export interface RemotePath {
  readonly job: string;
  /** Normalized, without a slash at the end. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
}

/** Reads `JOB:PATH`. @throws CliError */
export function parseRemotePath(text: string): RemotePath {
  const [, job, written] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (job === undefined || job === '') {
    throw new CliError(`Source '${text.slice(0, 200)}': trainyard cp copies out of a replica, so the source must be JOB:PATH, such as digits:/checkpoints/latest.`);
  }
  const normal = path.posix.normalize(written);
  const trimmed = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
  const name = path.posix.basename(trimmed);
  if (written === '' || written.includes('\0') || name === '' || name === '.' || name === '..') {
    throw new CliError(`Source '${text.slice(0, 200)}': the path must name a file or folder of the replica, not '${written.slice(0, 200)}'. Use a path such as /checkpoints/latest.`);
  }
  return { job, path: trimmed, name };
}

/** Refuses a destination that looks like `JOB:PATH`. Paths such as `C:\x` and `./a:b` are local. @throws CliError */
export function checkIsLocal(destination: string): void {
  if (/^[^:/\\]{2,}(?:\/[^:/\\]+)?:/.test(destination) && !fs.existsSync(destination)) {
    throw new CliError(`Destination '${destination.slice(0, 200)}': trainyard cp copies out of a replica, not into one. To send files, use trainyard exec JOB -i -- tar xf - -C DIR < FILE.tar. For a local file with a colon in its name, use ./${destination.slice(0, 200)}.`);
  }
}

/** Absolute path of the copy: inside the destination if that is an existing folder or ends with a slash, otherwise the destination itself. */
export function targetOf(destination: string, name: string): string {
  const isFolder = /[/\\]$/.test(destination) || fs.statSync(destination, { throwIfNoEntry: false })?.isDirectory() === true;
  return path.resolve(isFolder ? path.join(destination, name) : destination);
}

/** Checks that the copy overwrites nothing, unless `force` is set. @throws CliError */
export function checkIsFree(target: string, force: boolean): void {
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (there === undefined || force) {
    return;
  }
  throw new CliError(`Destination ${target} exists. Nothing was copied. Choose another destination, or use --force to overwrite files of the same names.`);
}
