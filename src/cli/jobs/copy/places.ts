/** `JOB:PATH`, and where a copy of it goes. */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from '../../cli-error';

/** A file or folder of a replica. */
export interface RemotePath {
  readonly job: string;
  /** As it was written, without slashes at its end. */
  readonly path: string;
  /** Its last part. */
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

/** A destination that looks like `JOB:PATH`, and not like a file of this machine: `C:\x` and `./a:b` are. */
export function checkIsLocal(destination: string): void {
  if (/^[^:/\\]{2,}(?:\/[^:/\\]+)?:/.test(destination) && !fs.existsSync(destination)) {
    throw new CliError(`Destination '${destination.slice(0, 200)}': trainyard cp copies out of a replica, not into one. To send files, use trainyard exec JOB -i -- tar xf - -C DIR < FILE.tar. For a file of this machine with a colon in its name, write ./${destination.slice(0, 200)}.`);
  }
}

/** Where the copy goes: into a folder that exists or is written with a slash at its end, else under the name that is given. */
export function targetOf(destination: string, name: string): string {
  const isFolder = /[/\\]$/.test(destination) || fs.statSync(destination, { throwIfNoEntry: false })?.isDirectory() === true;
  return path.resolve(isFolder ? path.join(destination, name) : destination);
}

/** Nothing is overwritten unless it is asked for. @throws CliError */
export function checkIsFree(target: string, force: boolean): void {
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  if (there === undefined || force) {
    return;
  }
  throw new CliError(`Destination ${target} exists. Nothing was copied. Choose another destination, or use --force to overwrite files of the same names.`);
}
