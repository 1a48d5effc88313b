/**
 * Fills a history with jobs that are gone and asks the recorder's server for pages of it. A process of its own, because SQLite is in Node.js 22:
 *
 *     node history-program.mjs FILE JOBS TIMES
 */
import { performance } from 'node:perf_hooks';
import { startRecorderServer } from '../../../src/cli/ui/history/recorder-server';
import { openSqlite } from '../../../src/cli/ui/history/sqlite';
import { HistoryStore } from '../../../src/cli/ui/history/store';
import type { HistoryEntry, HistoryList } from '../../../src/cli/ui/history/history';
import { DASHBOARD_NAME } from '../../../src/manifests/dashboard/settings';
import { Logger } from '../../../src/operator/runtime/process/logger';

/** A question of the page, and milliseconds until the whole answer is there. */
export interface HistoryTimes {
  readonly question: string;
  readonly times: readonly number[];
  readonly found: number;
}

const HOUR = 3_600_000;
const [BEGIN, TEAMS] = [Date.parse('2026-01-01T00:00:00Z'), 20];

/** Job number `index` of many: every twentieth has failed, every 5,000th is of a framework that few use. */
function entryOf(index: number): HistoryEntry {
  const number = String(index).padStart(6, '0');
  const [namespace, name, createdAt] = [`team-${index % TEAMS}`, `train-${number}`, BEGIN + index * 60_000];
  const hasFailed = index % 20 === 7;
  const framework = index % 5_000 === 11 ? 'mxnet' : 'pytorch';
  const lines = Array.from({ length: 60 }, (_, step) => ({ time: '', replica: 'worker-0', text: `step ${step} loss ${((index * 7919 + step * 104729) % 1e9) / 1e9}` }));
  return {
    row: {
      uid: `00000000-0000-4000-8000-000000${number}`, namespace, name, framework, state: hasFailed ? 'Failed' : 'Succeeded', version: number,
      createdAt, endedAt: createdAt + HOUR, deletedAt: createdAt + 2 * HOUR, seenAt: createdAt + HOUR, ...(hasFailed && { reason: 'BackoffLimitExceeded' }),
    },
    detail: {
      report: {} as HistoryEntry['detail']['report'], redacted: [], logs: lines,
      object: { metadata: { name, namespace, labels: { owner: `user-${index % 97}`, experiment: `exp-${index % 1_013}` } }, spec: { framework, replicas: 4 } },
    },
    points: [], events: [{ time: new Date(createdAt).toISOString(), what: 'Created', isWarning: false }],
  };
}

async function main(): Promise<void> {
  const [file, jobs, times] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
  const database = openSqlite(file);
  const store = await HistoryStore.open(database);
  // Nothing of it has to outlive a power failure.
  await database.run('PRAGMA synchronous=OFF');
  for (let index = 0; index < jobs; index++) {
    await store.write(entryOf(index));
  }
  const namespace = 'trainyard-system';
  const server = await startRecorderServer({
    store, namespace, port: 0, host: '127.0.0.1', logger: Logger.silent(), problem: () => undefined,
    verifier: { verify: async () => ({ namespace, serviceAccount: DASHBOARD_NAME }) as never },
  });
  const ask = async (query: string) => (
    await fetch(`${server.origin}/runs?${query}`, { headers: { authorization: 'Bearer token' } })).json() as Promise<HistoryList>;
  const last = entryOf(Math.floor(jobs / 2)).row;
  const questions: readonly (readonly [question: string, query: string])[] = [
    ['first page', ''],
    ['a page in the middle', `before=${last.createdAt}%20${last.uid}`],
    ['search: a name', `text=${entryOf(17).row.name}`],
    ['search: a label of one job in 1,013', 'text=exp-1012'],
    ['search: nothing has it', 'text=nothing-has-this'],
    ['search in a namespace: nothing has it', 'namespace=team-3&text=nothing-has-this'],
    ['filter: failed', 'state=Failed'],
    ['filter: a framework of one job in 5,000', 'framework=mxnet'],
    ['filter: nothing is like that', 'state=Suspended&framework=mxnet'],
    ['filter: a namespace and a week', `namespace=team-3&since=${BEGIN}&until=${BEGIN + 7 * 24 * HOUR}`],
  ];
  const results: HistoryTimes[] = [];
  for (const [question, query] of questions) {
    const took: number[] = [];
    let found = 0;
    for (let time = 0; time < times; time++) {
      const start = performance.now();
      found = (await ask(query)).runs.length;
      took.push(Math.round((performance.now() - start) * 10) / 10);
    }
    results.push({ question, times: took, found });
  }
  process.stdout.write(`${JSON.stringify(results)}\n`);
  server.close();
  await store.close();
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
