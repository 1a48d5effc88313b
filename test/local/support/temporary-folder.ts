import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder for the tests of one file, removed after them. */
export function temporaryFolder(): string {
  // The real path: on macOS the temporary folder is a link, and processes report where it leads.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-test-')));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
