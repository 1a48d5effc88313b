/**
 * Structured logs: one line per message, JSON for machines or text for people, with fields instead of sentences built from values.
 */

import { types } from 'node:util';

/** Severities in rising order. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Values that accompany a message. An `Error` under any key is written with its stack and its causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Settings of a {@link Logger}. */
export interface LoggerOptions {
  /** Messages below this are dropped. @default - LOG_LEVEL, else info */
  readonly level?: LogLevel;
  /** @default - LOG_FORMAT, else text when the output is a terminal and json otherwise */
  readonly format?: 'json' | 'text';
  /** Receives whole lines. @default - standard error */
  readonly write?: (line: string) => void;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Environment for the defaults. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
}

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
/** How deep the causes of an error are followed. */
const MAX_CAUSES = 5;

/** Writes log lines. Children share the output and add fields. */
export class Logger {
  private constructor(
    private readonly settings: { rank: number; format: 'json' | 'text'; write: (line: string) => void; now: () => number },
    private readonly bound: LogFields,
  ) {}

  /** Makes the root logger of a process. Throws on an unknown LOG_LEVEL or LOG_FORMAT. */
  public static create(options: LoggerOptions = {}): Logger {
    const env = options.env ?? process.env;
    const level = options.level ?? oneOf('LOG_LEVEL', env.LOG_LEVEL?.toLowerCase(), ['debug', 'info', 'warn', 'error']) ?? 'info';
    const format = options.format ?? oneOf('LOG_FORMAT', env.LOG_FORMAT?.toLowerCase(), ['json', 'text']) ?? (process.stderr.isTTY ? 'text' : 'json');
    const write = options.write ?? ((line: string): void => void process.stderr.write(line));
    return new Logger({ rank: RANK[level], format, write, now: options.now ?? Date.now }, {});
  }

  /** A logger that drops everything: for tests and for libraries without a log. */
  public static silent(): Logger {
    return new Logger({ rank: Infinity, format: 'json', write: () => undefined, now: Date.now }, {});
  }

  /** A logger that adds `fields` to each of its messages. */
  public child(fields: LogFields): Logger {
    return new Logger(this.settings, { ...this.bound, ...fields });
  }

  /** Whether messages of this level are written; saves building costly fields. */
  public isEnabled(level: LogLevel): boolean {
    return RANK[level] >= this.settings.rank;
  }

  /** For developers: each step. */
  public debug(message: string, fields?: LogFields): void {
    this.log('debug', message, fields);
  }

  /** For operators: what happens in normal service. */
  public info(message: string, fields?: LogFields): void {
    this.log('info', message, fields);
  }

  /** Something failed that is tried again. */
  public warn(message: string, fields?: LogFields): void {
    this.log('warn', message, fields);
  }

  /** Something failed that somebody has to look at. */
  public error(message: string, fields?: LogFields): void {
    this.log('error', message, fields);
  }

  private log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.isEnabled(level)) {
      return;
    }
    const time = new Date(this.settings.now()).toISOString();
    const all = { ...this.bound, ...fields };
    this.settings.write(`${this.settings.format === 'json' ? toJson(level, time, message, all) : toText(level, time, message, all)}\n`);
  }
}

function toJson(level: LogLevel, ts: string, msg: string, fields: LogFields): string {
  try {
    return JSON.stringify({ level, ts, msg, ...fields }, jsonValue);
  } catch (error) {
    // A cycle in a field must not cost the message, let alone the process.
    return JSON.stringify({ level, ts, msg, logError: String(error), fields: Object.keys(fields) });
  }
}

function toText(level: LogLevel, ts: string, msg: string, fields: LogFields): string {
  const stacks: string[] = [];
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      if (isError(value)) {
        if (level === 'error') {
          stacks.push(describeError(value).stack ?? '');
        }
        return ` ${key}=${JSON.stringify(value.message)}`;
      }
      return ` ${key}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : safeStringify(value)}`;
    });
  return `${ts.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${msg}${shown.join('')}${stacks.map((stack) => `\n${stack}`).join('')}`;
}

/** Also true for errors of another realm, such as those of Node.js within a test sandbox. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

function safeStringify(value: unknown): string {
  try {
    return JSON.stringify(value, jsonValue) ?? String(value);
  } catch {
    return String(value);
  }
}

function jsonValue(_key: string, value: unknown): unknown {
  if (isError(value)) {
    return describeError(value);
  }
  return typeof value === 'bigint' ? String(value) : value;
}

interface DescribedError {
  name: string;
  message: string;
  stack?: string;
  [property: string]: unknown;
}

/** An error as data: its own properties (status, code …), its stack, and its chain of causes. */
function describeError(error: Error, depth = 0): DescribedError {
  const { name, message, stack, cause } = error;
  const described: DescribedError = { ...(error as object), name, message, stack };
  if (cause !== undefined) {
    described.cause = isError(cause) && depth < MAX_CAUSES ? describeError(cause, depth + 1) : String(cause);
  }
  if (error instanceof AggregateError) {
    described.errors = error.errors.map((each: unknown) => (isError(each) ? describeError(each, depth + 1) : String(each)));
  }
  return described;
}

function oneOf<V extends string>(name: string, value: string | undefined, allowed: readonly V[]): V | undefined {
  if (value === undefined || value === '') {
    return undefined;
  }
  if (!(allowed as readonly string[]).includes(value)) {
    throw new Error(`Reading ${name} from the environment: it is "${value}"; it must be one of ${allowed.join(', ')}.`);
  }
  return value as V;
}
