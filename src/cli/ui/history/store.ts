/** The stored history of jobs. Everything is keyed by the job's uid and upserted, so that repeated writes, and several recorders, change nothing. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Database, RunSql, SqlRow, SqlValue } from './database';
import type { HistoryDetail, HistoryEntry, HistoryGap, HistoryList, HistoryPoint, HistoryQuery, HistoryRow, HistoryRun } from './history';
import type { TimelineEntry } from '../../jobs/status/timeline';
import { CliError } from '../../cli-error';
import { record } from '../../../model/json-parts';

/** Version of the tables. A program rejects tables of a newer version. */
const SCHEMA_VERSION = 1;

/** Maximum number of points and events of a job; older ones are removed. */
const MAX_POINTS = 5_000;
const MAX_EVENTS = 500;

/** Rows of a page: default and maximum. */
const PAGE = 100;
const MAX_PAGE = 1_000;

/** How often a recorder reports that it is up to date; milliseconds. */
export const BEAT_MS = 30_000;

/** After this time without a report, the history may be incomplete; milliseconds. */
const GAP_MS = 4 * BEAT_MS;

/** Limits on deleted jobs. */
export interface Retention {
  /** Milliseconds since a job was deleted. */
  readonly maxAgeMs: number;
  /** Deleted jobs. */
  readonly maxRuns: number;
  /** Bytes of the compressed details of deleted jobs. */
  readonly maxBytes: number;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export class HistoryStore {
  private constructor(private readonly database: Database) {}

  /** Creates missing tables. @throws CliError if the tables have a newer version */
  public static async open(database: Database): Promise<HistoryStore> {
    try {
      await prepareTables(database);
    } catch (error) {
      // Open connections would keep the process alive.
      await database.close();
      throw error;
    }
    return new HistoryStore(database);
  }

  /** Writes a job, unless a newer state is stored. Points and events are added. */
  public async write({ row, detail, points, events }: HistoryEntry): Promise<void> {
    const packed = await compress(JSON.stringify(detail));
    const labels = Object.values(record(record(detail.object.metadata).labels));
    const words = [row.namespace, row.name, row.framework, row.reason, ...labels].join(' ').toLowerCase();
    await this.database.transaction(async (run) => {
      await run(
        `INSERT INTO history_runs (uid, namespace, name, framework, state, created_at, ended_at, deleted_at, seen_at, version, words, summary, detail, bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (uid) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at, deleted_at = COALESCE(history_runs.deleted_at, excluded.deleted_at),
           seen_at = excluded.seen_at, version = excluded.version, words = excluded.words, summary = excluded.summary, detail = excluded.detail, bytes = excluded.bytes
         WHERE excluded.seen_at >= history_runs.seen_at`,
        row.uid, row.namespace, row.name, row.framework, row.state, row.createdAt, row.endedAt ?? null, row.deletedAt ?? null, row.seenAt,
        row.version, words, JSON.stringify(row), packed, packed.length,
      );
      await addPoints(run, row.uid, points);
      await addEvents(run, row.uid, events);
    });
  }

  /** Adds points to a job, which may not be stored yet. */
  public async addPoints(uid: string, points: readonly HistoryPoint[]): Promise<void> {
    await this.database.transaction(async (run) => addPoints(run, uid, points));
  }

  /** Marks a job as deleted. @param at milliseconds since 1970 */
  public async markDeleted(uid: string, at: number): Promise<void> {
    await this.database.run(
      "UPDATE history_runs SET deleted_at = ?, state = CASE WHEN ended_at IS NULL THEN 'Deleted' ELSE state END WHERE uid = ? AND deleted_at IS NULL", at, uid,
    );
  }

  /** Uids of jobs that are not marked as deleted. */
  public async openRuns(): Promise<readonly string[]> {
    const rows = await this.database.run('SELECT uid FROM history_runs WHERE deleted_at IS NULL');
    return rows.map(({ uid }) => String(uid));
  }

  /** A page of jobs, the newest first. */
  public async list({ namespace, text, state, framework, since, until, before, limit = PAGE }: HistoryQuery): Promise<HistoryList> {
    const [conditions, values]: [string[], SqlValue[]] = [[], []];
    const where = (condition: string, ...some: readonly (SqlValue | undefined)[]) => {
      if (some[0] !== undefined) {
        conditions.push(condition);
        values.push(...some as SqlValue[]);
      }
    };
    where('namespace = ?', namespace);
    where('state = ?', state);
    where('framework = ?', framework);
    where('created_at >= ?', since);
    where('created_at <= ?', until);
    where("words LIKE ? ESCAPE '!'", text === undefined ? undefined : `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`);
    const [beforeTime, beforeUid] = before?.split(' ') ?? [];
    if (beforeTime !== undefined) {
      where('(created_at < ? OR (created_at = ? AND uid < ?))', Number(beforeTime), Number(beforeTime), beforeUid ?? '');
    }
    const most = Math.min(limit, MAX_PAGE);
    const rows = await this.database.run(
      `SELECT summary, state, created_at, deleted_at, uid FROM history_runs ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
       ORDER BY created_at DESC, uid DESC LIMIT ?`, ...values, most + 1,
    );
    const last = rows.length > most ? rows[most - 1] : undefined;
    return { runs: rows.slice(0, most).map(rowIn), gaps: await this.gaps(), ...(last && { next: `${last.created_at} ${last.uid}` }) };
  }

  /** A job; undefined if it is not stored. */
  public async run(namespace: string, uid: string): Promise<HistoryRun | undefined> {
    const [found] = await this.database.run('SELECT summary, state, deleted_at, detail FROM history_runs WHERE uid = ? AND namespace = ?', uid, namespace);
    if (found === undefined) {
      return undefined;
    }
    const points = await this.database.run('SELECT metrics, at FROM history_points WHERE uid = ? ORDER BY at', uid);
    const events = await this.database.run('SELECT entry FROM history_events WHERE uid = ? ORDER BY at', uid);
    const row = rowIn(found);
    const end = row.endedAt ?? row.deletedAt ?? Infinity;
    return {
      row,
      detail: JSON.parse((await decompress(found.detail as Uint8Array)).toString('utf8')) as HistoryDetail,
      points: points.map(({ metrics, at }) => ({ time: new Date(Number(at)).toISOString(), metrics: JSON.parse(String(metrics)) as HistoryPoint['metrics'] })),
      events: events.map(({ entry }) => JSON.parse(String(entry)) as TimelineEntry),
      gaps: (await this.gaps()).filter((gap) => gap.until >= row.createdAt && gap.since <= end),
    };
  }

  /** Periods without a recorder, the newest first. */
  public async gaps(): Promise<readonly HistoryGap[]> {
    const rows = await this.database.run('SELECT since, until FROM history_gaps ORDER BY since DESC LIMIT 100');
    return rows.map(({ since, until }) => ({ since: Number(since), until: Number(until) }));
  }

  /** Reports that everything until now is stored. If the last report is too old, the time since then is marked as a gap. */
  public async beat(now: number): Promise<HistoryGap | undefined> {
    return this.database.transaction(async (run) => {
      const [found] = await run("SELECT value FROM history_meta WHERE name = 'beat'");
      const last = Number(found?.value ?? now);
      const gap = now - last > GAP_MS ? { since: last, until: now } : undefined;
      if (gap) {
        await run('INSERT INTO history_gaps VALUES (?, ?) ON CONFLICT (since) DO NOTHING', gap.since, gap.until);
      }
      await run(
        'INSERT INTO history_meta VALUES (\'beat\', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value', String(Math.max(now, last)),
      );
      return gap;
    });
  }

  /** Removes deleted jobs that exceed the limits, the oldest first. Jobs that exist in the cluster stay. @returns the number of removed jobs */
  public async prune({ maxAgeMs, maxRuns, maxBytes }: Retention, now: number): Promise<number> {
    const rows = await this.database.run('SELECT uid, deleted_at, bytes FROM history_runs WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, uid');
    let sum = 0;
    const old = rows.filter(({ deleted_at: deletedAt, bytes }, index) => {
      sum += Number(bytes);
      return index >= maxRuns || sum > maxBytes || now - Number(deletedAt) > maxAgeMs;
    });
    for (const { uid } of old) {
      await this.database.transaction(async (run) => {
        for (const table of ['history_points', 'history_events', 'history_runs']) {
          await run(`DELETE FROM ${table} WHERE uid = ?`, uid);
        }
      });
    }
    return old.length;
  }

  public async close(): Promise<void> {
    await this.database.close();
  }
}

async function prepareTables(database: Database): Promise<void> {
  await database.transaction(async (run) => {
    if (database.lock !== undefined) {
      await run(database.lock);
    }
    await run('CREATE TABLE IF NOT EXISTS history_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)');
    const [found] = await run("SELECT value FROM history_meta WHERE name = 'schema'");
    const version = Number(found?.value ?? 0);
    if (version > SCHEMA_VERSION) {
      throw new CliError(`The history has tables of version ${version}; this program supports versions up to ${SCHEMA_VERSION}. Use the newer version of Trainyard that wrote them, or another database.`);
    }
    if (version < SCHEMA_VERSION) {
      await createTables(run, database.bytesType);
      await run("INSERT INTO history_meta VALUES ('schema', ?) ON CONFLICT (name) DO NOTHING", String(SCHEMA_VERSION));
    }
    if (database.hasLongKeys === true) {
      // A search reads all jobs, and the index has a tenth of the table's size.
      await run('CREATE INDEX IF NOT EXISTS history_runs_to_search ON history_runs (created_at, uid, namespace, state, framework, words)');
    }
  });
}

async function createTables(run: RunSql, bytesType: string): Promise<void> {
  await run(`CREATE TABLE IF NOT EXISTS history_runs (uid TEXT PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL, framework TEXT NOT NULL,
    state TEXT NOT NULL, created_at BIGINT NOT NULL, ended_at BIGINT, deleted_at BIGINT, seen_at BIGINT NOT NULL, version TEXT NOT NULL,
    words TEXT NOT NULL, summary TEXT NOT NULL, detail ${bytesType} NOT NULL, bytes BIGINT NOT NULL)`);
  await run('CREATE INDEX IF NOT EXISTS history_runs_of_namespace ON history_runs (namespace, created_at)');
  await run('CREATE INDEX IF NOT EXISTS history_runs_by_time ON history_runs (created_at)');
  await run('CREATE TABLE IF NOT EXISTS history_points (uid TEXT NOT NULL, at BIGINT NOT NULL, metrics TEXT NOT NULL, PRIMARY KEY (uid, at))');
  await run('CREATE TABLE IF NOT EXISTS history_events (uid TEXT NOT NULL, at BIGINT NOT NULL, id TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (uid, id))');
  await run('CREATE TABLE IF NOT EXISTS history_gaps (since BIGINT PRIMARY KEY, until BIGINT NOT NULL)');
}

async function addPoints(run: RunSql, uid: string, points: readonly HistoryPoint[]): Promise<void> {
  for (const { time, metrics } of points) {
    await run('INSERT INTO history_points VALUES (?, ?, ?) ON CONFLICT (uid, at) DO NOTHING', uid, Date.parse(time), JSON.stringify(metrics));
  }
  if (points.length > 0) {
    await keepLast(run, 'history_points', uid, MAX_POINTS);
  }
}

async function addEvents(run: RunSql, uid: string, events: readonly TimelineEntry[]): Promise<void> {
  for (const entry of events) {
    // A repeated event is a new entry only if its time differs.
    const id = createHash('sha256').update(`${entry.time} ${entry.subject ?? ''} ${entry.what}`).digest('hex').slice(0, 32);
    await run('INSERT INTO history_events VALUES (?, ?, ?, ?) ON CONFLICT (uid, id) DO NOTHING', uid, Date.parse(entry.time), id, JSON.stringify(entry));
  }
  if (events.length > 0) {
    await keepLast(run, 'history_events', uid, MAX_EVENTS);
  }
}

async function keepLast(run: RunSql, table: string, uid: string, most: number): Promise<void> {
  await run(`DELETE FROM ${table} WHERE uid = ? AND at < (SELECT at FROM ${table} WHERE uid = ? ORDER BY at DESC LIMIT 1 OFFSET ?)`, uid, uid, most - 1);
}

/** The state and the deletion in the columns may be newer than those in the summary. */
function rowIn({ summary, state, deleted_at: deletedAt }: SqlRow): HistoryRow {
  return { ...JSON.parse(String(summary)) as HistoryRow, state: String(state), ...(deletedAt !== null && { deletedAt: Number(deletedAt) }) };
}
