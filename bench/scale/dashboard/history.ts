/** The history of many jobs that are gone: how soon a page of it is there, and how soon what is searched. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import type { HistoryTimes } from './history-program';
import { nodeWithSqlite } from '../../../test/support/history-stores';

/** How often each question is asked. */
const TIMES = 15;

/** What was found. */
export interface HistoryResult {
  readonly jobs: number;
  readonly answers: readonly HistoryTimes[];
}

/** Measures it. @throws Error without a Node.js that has SQLite */
export async function measureHistory(jobs: number): Promise<HistoryResult> {
  const node = nodeWithSqlite();
  if (node === undefined) {
    throw new Error('The history is measured in SQLite. Install a Node.js that has it: npm run history-stores:install');
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-history-'));
  try {
    const program = path.join(folder, 'program.mjs');
    buildSync({
      entryPoints: [path.join(__dirname, 'history-program.ts')], outfile: program, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const { stdout } = await promisify(execFile)(node, ['--no-warnings', program, path.join(folder, 'history.db'), String(jobs), String(TIMES)]);
    return { jobs, answers: JSON.parse(stdout) as HistoryTimes[] };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
