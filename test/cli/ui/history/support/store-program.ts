/** A store in a process of its own, which a test can kill: requests and answers are lines of JSON. */
import readline from 'node:readline';
import type { Database } from '../../../../../src/cli/ui/history/database';
import { openPostgresql } from '../../../../../src/cli/ui/history/postgresql';
import { openSqlite } from '../../../../../src/cli/ui/history/sqlite';
import { HistoryStore } from '../../../../../src/cli/ui/history/store';

async function serve(): Promise<void> {
  const [place] = process.argv.slice(2);
  const database: Database = place.startsWith('postgres:') ? openPostgresql(place) : openSqlite(place);
  const store = await HistoryStore.open(database);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { id, method, args } = JSON.parse(line) as { readonly id: number; readonly method: string; readonly args: unknown[] };
    const target = (method === 'sql' ? { sql: database.run } : store) as unknown as { readonly [name: string]: (...args: unknown[]) => Promise<unknown> };
    // Not awaited: requests may overlap, as those of workers do.
    target[method](...args).then(
      (result) => process.stdout.write(`${JSON.stringify({ id, result })}\n`),
      (error: Error) => process.stdout.write(`${JSON.stringify({ id, error: error.message })}\n`),
    );
  }
}

serve().catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
});
