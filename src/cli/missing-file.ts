/** A file that a command was given and that is not there: one message for all of them. */
import fs from 'node:fs';
import path from 'node:path';
import { CliError } from './cli-error';
import { didYouMean } from '../model/violations';

/** @throws CliError with what may be meant, unless the file or folder is there */
export function requireFile(file: string): void {
  if (!fs.existsSync(file)) {
    const folder = path.dirname(file);
    const neighbours = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    throw new CliError(`${file}: no such file.${didYouMean(path.basename(file), neighbours)}`);
  }
}
