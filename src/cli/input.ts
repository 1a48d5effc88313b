/** The files of a command line, and standard input for the file "-". */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from './cli-error';
import { didYouMean } from '../model/violations';

/** @throws CliError with similar names if the file or folder does not exist */
export function requireFile(file: string): void {
  if (!fs.existsSync(file)) {
    const folder = path.dirname(file);
    const neighbours = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    throw new CliError(`${file}: no such file.${didYouMean(path.basename(file), neighbours)}`);
  }
}

/** Milliseconds before an empty pipe is read again. */
const PAUSE_MS = 10;

/**
 * Reads everything. For an empty pipe whose other end does not block, Node.js returns the error EAGAIN; it is read again.
 * @throws CliError when there is no standard input
 */
export function readStandardInput(): string {
  const chunks: Buffer[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  for (;;) {
    try {
      const length = fs.readSync(0, buffer);
      if (length === 0) {
        return Buffer.concat(chunks).toString('utf8');
      }
      chunks.push(Buffer.from(buffer.subarray(0, length)));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN') {
        throw new CliError(`Standard input cannot be read: ${message}`);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
