/** What the history needs of a database: a few statements that SQLite and PostgreSQL understand alike, with `?` for values. */

/** A value of a column. Large numbers are safe integers: times in milliseconds. */
export type SqlValue = string | number | Uint8Array | null;

/** A row, by the names of its columns. PostgreSQL gives large numbers as texts. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Runs one statement. */
export type RunSql = (sql: string, ...values: SqlValue[]) => Promise<readonly SqlRow[]>;

export interface Database {
  /** Type of a column of bytes. */
  readonly bytesType: 'BLOB' | 'BYTEA';
  /** Whether an index takes texts of any length. @default false */
  readonly hasLongKeys?: boolean;
  /** Statement, run in a transaction, that lets other transactions with it wait. @default - transactions follow each other anyway */
  readonly lock?: string;
  /** One statement by itself. */
  readonly run: RunSql;
  /** All statements of `work`, or none of them; what it returns is on the disk. */
  transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
