/** The recorder's data, as JSON. */
import type { StatusReport } from '../../jobs/status/report';
import type { TimelineEntry } from '../../jobs/status/timeline';
import type { UiLogLine } from '../protocol';
import type { JsonRecord } from '../../../model/json-parts';

/** A job in the list. Times are milliseconds since 1970. */
export interface HistoryRow {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly framework: string;
  /** `Deleted` for a job that was deleted before its end was recorded. */
  readonly state: string;
  readonly reason?: string;
  readonly accelerators?: number;
  readonly restarts?: number;
  readonly createdAt: number;
  /** @default - it has not ended */
  readonly endedAt?: number;
  /** When its deletion was noticed. @default - it exists */
  readonly deletedAt?: number;
  /** When the recorder last read it. */
  readonly seenAt: number;
  /** `resourceVersion` of the job. */
  readonly version: string;
}

/** Data of the page of a job. */
export interface HistoryDetail {
  readonly report: StatusReport;
  /** The job without secrets, status and managed fields. */
  readonly object: JsonRecord;
  /** Its fields whose value looked like a secret, and was not stored. */
  readonly redacted: readonly string[];
  readonly logs: readonly UiLogLine[];
}

/** Metrics at a time. */
export interface HistoryPoint {
  /** RFC 3339. */
  readonly time: string;
  readonly metrics: { readonly [name: string]: string };
}

/** A period without a recorder. Milliseconds since 1970. */
export interface HistoryGap {
  readonly since: number;
  readonly until: number;
}

/** A page of jobs. */
export interface HistoryList {
  readonly runs: readonly HistoryRow[];
  readonly gaps: readonly HistoryGap[];
  /** `before` of the next page. @default - this is the last one */
  readonly next?: string;
  /** Why the recorder does not record now. @default - it does */
  readonly problem?: string;
}

/** A job, as the recorder stores it. */
export interface HistoryEntry {
  readonly row: HistoryRow;
  readonly detail: HistoryDetail;
  readonly points: readonly HistoryPoint[];
  readonly events: readonly TimelineEntry[];
}

/** A job, and the periods in its lifetime without a recorder. */
export interface HistoryRun extends HistoryEntry {
  readonly gaps: readonly HistoryGap[];
}

/** Selects jobs. Times are milliseconds since 1970. */
export interface HistoryQuery {
  /** @default - all */
  readonly namespace?: string;
  /** Part of the namespace, name, framework, reason or labels, in upper or lower case. */
  readonly text?: string;
  readonly state?: string;
  readonly framework?: string;
  readonly since?: number;
  readonly until?: number;
  /** `next` of the previous page. */
  readonly before?: string;
  /** @default 100 */
  readonly limit?: number;
}

/** Fields of a {@link HistoryQuery} in addresses of the pages and of the recorder. */
const TEXTS = ['namespace', 'text', 'state', 'framework', 'before'] as const;
const NUMBERS = ['since', 'until', 'limit'] as const;

/** The query of an address. Invalid numbers are left out. */
export function queryIn(parameters: URLSearchParams): HistoryQuery {
  const entries = [
    ...TEXTS.map((name) => [name, parameters.get(name) ?? ''] as const),
    ...NUMBERS.map((name) => [name, Number(parameters.get(name) ?? NaN)] as const),
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && !Number.isNaN(value)));
}
