import fs from 'node:fs';
import path from 'node:path';
import { CliError } from '../cli-error';
import { requireFile, readStandardInput } from '../input';
import { trimmed } from '../../model/text/trim';

/** A text with manifests. */
export interface MigrationInput {
  /** Its name in messages: the given file, or `standard input`. */
  readonly name: string;
  readonly text: string;
}

const STANDARD_INPUT = 'standard input';

/** Reads files; `-` is standard input. @throws CliError for a file that cannot be read */
export function readInputs(files: readonly string[]): MigrationInput[] {
  return [...new Set(files)].map((file) => (file === '-' ? { name: STANDARD_INPUT, text: readStandardInput() } : { name: file, text: readFile(file) }));
}

function readFile(file: string): string {
  requireFile(file);
  if (fs.statSync(file).isDirectory()) {
    throw new CliError(`${file} is a folder. Name its files: ${path.join(file, '*.yaml')}`);
  }
  return fs.readFileSync(file, 'utf8');
}

/** Name of the output file of an input, without extension. */
export function fileBaseName({ name }: MigrationInput): string {
  const base = name === STANDARD_INPUT ? '' : path.basename(name).replace(/\.(ya?ml|json)$/i, '');
  return wordsOf(base) || 'migrated';
}

/** A file name from any text: `my-job-2`. */
export function wordsOf(text: string): string {
  return trimmed(text.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-');
}
