/** Tests that a page names, as `` `FILE.test.ts` *title* ``. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(__dirname, '..', '..', '..');

/** A test by its file, as the page writes it, and its title. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** The tests that a text names. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`([\w./-]+\.test\.ts)` \*([^*]+)\*/g)].map(([, file, title]) => ({ file, title }));
}

/** File of a name on a page: without a folder it is one of the operator's on a real API server, `plan/` is that of the planner. */
export function fileOf(name: string): string {
  const shortened = name.replace(/^plan\//, 'test/operator/training/plan/');
  return path.join(ROOT, shortened.includes('/') ? shortened : `test/cluster/operator/${shortened}`);
}

/** Whether the file has a test, or a group of tests, of this title. */
export function isThere({ file, title }: NamedTest): boolean {
  if (!existsSync(fileOf(file))) {
    return false;
  }
  const text = readFileSync(fileOf(file), 'utf8');
  return [`'${title.replaceAll('\'', '\\\'')}'`, `\`${title}\``, `"${title}"`].some((literal) => text.includes(literal));
}
