/** The SQLite of Node.js 22.13 and newer, in a file that only one process opens. */
import type { Database, RunSql, SqlRow, SqlValue } from './database';
import { CliError } from '../../cli-error';

/** The used part of `node:sqlite`, which is missing in the types of Node.js 20. @see https://nodejs.org/docs/latest-v22.x/api/sqlite.html */
interface SqliteModule {
  readonly DatabaseSync: new (path: string) => {
    exec(sql: string): void;
    prepare(sql: string): { all(...values: SqlValue[]): SqlRow[] };
    close(): void;
  };
}

/**
 * A committed transaction is on disk (`synchronous=FULL`). The lock is exclusive, so that a second recorder cannot write to the file,
 * and the write-ahead log needs no shared memory, which some volumes lack.
 */
const SETTINGS = 'PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000;';

/** Opens a file, or creates it. @throws CliError on an older Node.js, and if the file cannot be opened */
export function openSqlite(file: string): Database {
  const sqlite = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
  if (sqlite === undefined) {
    throw new CliError(`Opening the history ${file}: Node.js ${process.versions.node} has no SQLite. Use Node.js 22.13 or newer, or PostgreSQL.`);
  }
  let database: InstanceType<SqliteModule['DatabaseSync']>;
  try {
    database = new sqlite.DatabaseSync(file);
    database.exec(SETTINGS);
    // Takes the lock, so that a conflict is found now.
    database.exec('BEGIN IMMEDIATE; COMMIT;');
  } catch (error) {
    throw new CliError(`Opening the history ${file}: ${(error as Error).message}. The folder must be writable, and no other recorder may have the file open.`, { cause: error });
  }
  const run: RunSql = async (sql, ...values) => database.prepare(sql).all(...values);
  // Transactions are serialized: a connection can have only one at a time.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    bytesType: 'BLOB',
    hasLongKeys: true,
    run: async (sql, ...values) => inTurn(async () => run(sql, ...values)),
    transaction: async (work) => inTurn(async () => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(run);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        try {
          database.exec('ROLLBACK');
        } catch {
          // A full disk has already ended the transaction.
        }
        throw error;
      }
    }),
    close: async () => inTurn(async () => database.close()),
  };
}
