/**
 * Programs in other languages that go into manifests. Each is a file below this folder, is linted and tested as what it is, and is asked for by its
 * path. Sources and compiled files read it from here; bundles and the published library have the text in them (`scripts/inline-programs.mjs`), so
 * that they need no file.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** From `src/programs`, and from `lib/programs`, where jsii writes the compiled module. */
const FOLDER = path.join(__dirname, '..', '..', 'src', 'programs');

/**
 * The text of a program.
 * @param file path below this folder. Always a literal, in single quotes: the bundler replaces the whole call
 */
export function programText(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}
