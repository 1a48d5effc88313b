/** The database of the history. Its statements work in SQLite and PostgreSQL, with `?` for values. */

/** A value of a column. Large numbers are safe integers, such as times in milliseconds. */
export type SqlValue = string | number | Uint8Array | null;

/** A row, by the names of its columns. PostgreSQL returns large numbers as strings. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Runs one statement. */
export type RunSql = (sql: string, ...values: SqlValue[]) => Promise<readonly SqlRow[]>;

export interface Database {
  /** Type of a column of bytes. */
  readonly bytesType: 'BLOB' | 'BYTEA';
  /** Whether an index can have strings of any length. @default false */
  readonly hasLongKeys?: boolean;
  /** Statement that makes other transactions with it wait for the end of this one. @default - transactions are serialized anyway */
  readonly lock?: string;
  /** Runs a statement outside a transaction. */
  readonly run: RunSql;
  /** Runs all statements of `work`, or none of them. When it returns, they are on disk. */
  transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
