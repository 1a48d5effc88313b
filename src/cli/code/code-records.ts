/** Records of code bundles: the source folders and archives, which manifests do not contain. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CodeRecord } from '../../manifests/code/code-record';
import { synthesize, type SynthesizedApp } from '../synth-app';

/**
 * Synthesizes an app with a folder for records, and removes the folder afterwards.
 * @param use gets the app and the records of its bundles by digest; the archives exist until it ends
 */
export function withCodeRecords<T>(app: string, use: (synthesized: SynthesizedApp, records: readonly CodeRecord[]) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-code-'));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  try {
    const result = use(synthesize(app, false, folder), readRecords(folder));
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
