/** A PostgreSQL database, which several recorders can share. */
import postgres from 'postgres';
import type { Database, RunSql, SqlRow } from './database';

/** Connections of a recorder. */
const CONNECTIONS = 4;

/** An arbitrary number for the advisory lock. */
const LOCK_ID = 7_206_411;

/** Timeout for connecting; seconds. */
const CONNECT_SECONDS = 15;

/**
 * Connects with the first statement.
 * @param url such as `postgres://user:password@host:5432/database?sslmode=require`
 * @param authority certificate of the authority that signs the server's certificate, as PEM
 */
export function openPostgresql(url: string, authority?: string): Database {
  const sql = postgres(url, {
    max: CONNECTIONS, connect_timeout: CONNECT_SECONDS, onnotice: () => undefined, ...(authority !== undefined && { ssl: { ca: authority } }),
  });
  const runIn = (connection: Pick<typeof sql, 'unsafe'>): RunSql => async (statement, ...values) => (
    [...await connection.unsafe(numbered(statement), values as (string | number | null)[])] as unknown as readonly SqlRow[]);
  return {
    bytesType: 'BYTEA',
    lock: `SELECT pg_advisory_xact_lock(${LOCK_ID})`,
    run: runIn(sql),
    transaction: async <T>(work: (run: RunSql) => Promise<T>) => await sql.begin(async (connection) => work(runIn(connection))) as T,
    close: async () => sql.end({ timeout: 5 }),
  };
}

/** Replaces the first `?` with `$1`, and so on. Our statements have no `?` in strings. */
function numbered(statement: string): string {
  return statement.split('?').reduce((before, after, index) => `${before}$${index}${after}`);
}
