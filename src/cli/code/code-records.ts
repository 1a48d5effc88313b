/** What a program says of its bundles while a command runs it: folders and archives, which manifests do not name. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CodeRecord } from '../../manifests/code/code-record';

/**
 * Runs something with a folder for records, and removes the folder afterwards.
 * @param synthesize runs the program with the folder in CODE_RECORD_VARIABLE
 * @param use gets the result, and the records of bundles in the order of their digests, whose archives are still there
 */
export function withCodeRecords<S, T>(synthesize: (folder: string) => S, use: (synthesized: S, records: readonly CodeRecord[]) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-code-'));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  try {
    const result = use(synthesize(folder), readRecords(folder));
    if (result instanceof Promise) {
      return result.finally(remove) as T;
    }
    remove();
    return result;
  } catch (error) {
    remove();
    throw error;
  }
}

function readRecords(folder: string): CodeRecord[] {
  return fs.readdirSync(folder).filter((name) => name.endsWith('.json')).sort()
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as CodeRecord);
}
