/** The store of the history, the same suite on SQLite and on PostgreSQL, in a process that can be killed. */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { bundleStoreProgram, entryOf, Postgresql, StoreProcess } from './support/store-process';
import type { HistoryList, HistoryRun } from '../../../../src/cli/ui/history/history';
import { openSqlite } from '../../../../src/cli/ui/history/sqlite';
import { temporaryFolder } from '../../../local/support/temporary-folder';
import { nodeWithSqlite, postgresqlFolder } from '../../../support/history-stores';

/** Kills of each store. */
const KILLS = 100;

const node = nodeWithSqlite();
const postgresql = postgresqlFolder();
const folder = temporaryFolder();
const WITHOUT_SQLITE = process.getBuiltinModule('node:sqlite') === undefined;
let program: string;

beforeAll(() => {
  program = bundleStoreProgram(folder);
});

(WITHOUT_SQLITE ? test : test.skip)('a Node.js without SQLite says which one has it', () => {
  expect(() => openSqlite('/data/history.db')).toThrow(/Opening the history \/data\/history\.db: Node\.js .* has no SQLite\. Use Node\.js 22\.13 or newer, or PostgreSQL\./);
});

const SUITES = [
  ['SQLite', node !== undefined, async () => path.join(folder, 'history.db')] as const,
  ['PostgreSQL', postgresql !== undefined, async () => {
    const own = path.join(folder, 'postgresql');
    fs.mkdirSync(own);
    fs.chmodSync(folder, 0o755);
    server = await Postgresql.start(postgresql!, own);
    return server.url;
  }] as const,
];
let server: Postgresql | undefined;

describe.each(SUITES)('on %s', (name, isInstalled, begin) => {
  const inStore = isInstalled ? test : test.skip;
  let place: string;
  let store: StoreProcess;
  const start = () => {
    store = StoreProcess.start(node ?? process.execPath, program, place);
  };
  const namesIn = async (query: object) => (await store.call<HistoryList>('list', query)).runs.map(({ uid }) => uid);

  beforeAll(async () => {
    if (isInstalled) {
      place = await begin();
      start();
    }
  }, 600_000);
  afterAll(async () => {
    await store?.kill();
    if (name === 'PostgreSQL') {
      await server?.stop();
    }
  });

  inStore('a job is kept with its metrics, events and lines, and what is written again is there once', async () => {
    await store.call('write', entryOf('a'));
    await store.call('write', entryOf('a', { deletedAt: 5_000, seenAt: 5_000 }));
    // A recorder that is late knows less.
    await store.call('write', entryOf('a', { state: 'Running', seenAt: 2_500 }));
    const run = await store.call<HistoryRun>('run', 'ml', 'a');
    expect(run).toMatchObject({ row: { state: 'Failed', deletedAt: 5_000 }, detail: { logs: [{ text: 'line of a' }] } });
    expect([run.points, run.events]).toEqual([[{ time: '2026-01-01T00:00:00.000Z', metrics: { loss: '0.5' } }], [expect.objectContaining({ what: 'Created' })]]);
    expect(await store.call('run', 'other', 'a')).toBeUndefined();
  });

  inStore('lists are filtered and paged, and what a user writes is no pattern', async () => {
    await store.call('write', entryOf('b', { createdAt: 3_000, state: 'Succeeded', name: '100%_done', namespace: 'team-b' }));
    await store.call('write', entryOf('c', { createdAt: 2_000, framework: 'jax' }));
    expect(await namesIn({})).toEqual(['b', 'c', 'a']);
    expect(await namesIn({ namespace: 'ml', text: 'VISION' })).toEqual(['c', 'a']);
    expect(await namesIn({ text: '0%_d' })).toEqual(['b']);
    expect(await namesIn({ text: 'j%b' })).toEqual([]);
    expect(await namesIn({ text: "' OR 1=1 --" })).toEqual([]);
    expect(await namesIn({ state: 'Failed', framework: 'jax', since: 1_500, until: 2_000 })).toEqual(['c']);
    const { next } = await store.call<HistoryList>('list', { limit: 2 });
    expect(await namesIn({ limit: 2, before: next })).toEqual(['a']);
  });

  inStore('the time in which no recorder ran is a gap, and a restart is none', async () => {
    expect(await store.call('beat', 1_000_000)).toBeUndefined();
    expect(await store.call('beat', 1_030_000)).toBeUndefined();
    expect(await store.call('beat', 4_630_000)).toEqual({ since: 1_030_000, until: 4_630_000 });
    expect((await store.call<HistoryList>('list', {})).gaps).toEqual([{ since: 1_030_000, until: 4_630_000 }]);
  });

  inStore('what is too old, or too much, goes with all that belongs to it; what exists stays', async () => {
    await store.call('write', entryOf('d', { deletedAt: 8_000 }));
    const enough = { maxAgeMs: 1_000_000, maxRuns: 100, maxBytes: 1e9 };
    expect(await store.call('prune', enough, 10_000)).toBe(0);
    expect(await store.call('prune', { ...enough, maxAgeMs: 4_000 }, 10_000)).toBe(1);
    expect(await store.call('sql', "SELECT uid FROM history_points WHERE uid = 'a'")).toEqual([]);
    expect(await store.call('prune', { ...enough, maxBytes: 1 }, 10_000)).toBe(1);
    expect(await namesIn({})).toEqual(['b', 'c']);
    expect((await store.call<string[]>('openRuns')).sort()).toEqual(['b', 'c']);
  });

  inStore(`${KILLS} times killed while it writes, it has lost nothing that it had acknowledged`, async () => {
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writes = Array.from({ length: 12 }, async (_, index) => {
        const uid = `kill-${kill}-${index}`;
        await store.call('write', entryOf(uid, { namespace: 'killed' }));
        acknowledged.add(uid);
        return index;
      });
      // A kill follows the answer to one of the writes at once, while others are under way.
      await writes[randomInt(writes.length)];
      await store.kill();
      await Promise.allSettled(writes);
      start();
    }
    const rows = await store.call<{ readonly uid: string }[]>('sql', "SELECT uid FROM history_runs WHERE namespace = 'killed'");
    const written = rows.map(({ uid }) => uid);
    expect([...acknowledged].filter((uid) => !written.includes(uid))).toEqual([]);
    expect(new Set(written).size).toBe(written.length);
    const parts = await store.call<{ readonly uid: string }[]>('sql', "SELECT uid FROM history_points WHERE uid LIKE 'kill-%'");
    expect(parts.map(({ uid }) => uid).sort()).toEqual([...written].sort());
  }, 600_000);

  if (name === 'SQLite') {
    inStore('a full disk is an error, nothing is half written, and it goes on when there is room again', async () => {
      await store.call('sql', 'PRAGMA max_page_count = 1');
      const noise = Array.from({ length: 3_000 }, (_, time) => ({ time: String(time), replica: 'worker-0', text: String(randomInt(1e12)) }));
      const large = { ...entryOf('large'), detail: { ...entryOf('large').detail, logs: noise } };
      await expect(store.call('write', large)).rejects.toThrow('database or disk is full');
      expect(await store.call('run', 'ml', 'large')).toBeUndefined();
      await store.call('sql', 'PRAGMA max_page_count = 1000000');
      await store.call('write', large);
      expect((await store.call<HistoryRun>('run', 'ml', 'large')).detail.logs).toHaveLength(3_000);
    });

    inStore('a second recorder cannot open the file', async () => {
      const second = StoreProcess.start(node!, program, place);
      await expect(second.call('list', {})).rejects.toThrow('no other recorder may have the file open');
    }, 30_000);
  }

  inStore('a job that is seen to be gone was deleted, unless its end is known', async () => {
    await store.call('write', entryOf('open', { state: 'Running', endedAt: undefined }));
    await store.call('write', entryOf('over', { state: 'Succeeded', endedAt: 5_000 }));
    await store.call('markDeleted', 'open', 6_000);
    await store.call('markDeleted', 'over', 6_000);
    const { runs } = await store.call<HistoryList>('list', {});
    expect(Object.fromEntries(runs.filter(({ uid }) => uid.startsWith('o')).map(({ uid, state, deletedAt }) => [uid, [state, deletedAt]])))
      .toEqual({ open: ['Deleted', 6_000], over: ['Succeeded', 6_000] });
  });

  inStore('tables of a newer version are refused', async () => {
    await store.call('sql', "UPDATE history_meta SET value = '2' WHERE name = 'schema'");
    await store.kill();
    start();
    await expect(store.call('list', {})).rejects.toThrow('The history has tables of version 2; this program supports versions up to 1.');
  });
});
