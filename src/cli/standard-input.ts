/** Standard input, for the file "-". */
import fs from 'node:fs';
import { CliError } from './cli-error';

/** Pause before a pipe is read again that has nothing yet; milliseconds. */
const PAUSE_MS = 10;

/**
 * Reads everything. A pipe whose other end was opened without blocking says that it has nothing yet where others wait, and node passes that on as an
 * error; it is read again.
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
