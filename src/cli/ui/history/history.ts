/** What the recorder keeps and sends, as JSON. */
import type { StatusReport } from '../../jobs/commands/status';
import type { TimelineEntry } from '../../jobs/status/timeline';
import type { UiLogLine } from '../protocol';
import type { JsonRecord } from '../../../model/json-parts';

/** A job in a line. Times are milliseconds since 1970. */
export interface HistoryRow {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly framework: string;
  /** `Deleted` for a job that was deleted before its end, or while no recorder ran and before its end was recorded. */
  readonly state: string;
  readonly reason?: string;
  readonly accelerators?: number;
  readonly restarts?: number;
  readonly createdAt: number;
  /** @default - it has not ended */
  readonly endedAt?: number;
  /** When it was seen to be gone from the cluster. @default - it was not */
  readonly deletedAt?: number;
  /** When the recorder looked at it. */
  readonly seenAt: number;
  /** `resourceVersion` of the job. */
  readonly version: string;
}

/** What its page shows. */
export interface HistoryDetail {
  readonly report: StatusReport;
  /** The job without secrets, state and what only machines read. */
  readonly object: JsonRecord;
  /** Fields of it whose value looked like a secret, and was not kept. */
  readonly redacted: readonly string[];
  readonly logs: readonly UiLogLine[];
}

/** Metrics at a time. */
export interface HistoryPoint {
  /** RFC 3339. */
  readonly time: string;
  readonly metrics: { readonly [name: string]: string };
}

/** A time in which the recorder was away. Milliseconds since 1970. */
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
  /** Why nothing is recorded at the moment. @default - it is */
  readonly problem?: string;
}

/** A job with all that is known. */
export interface HistoryRun {
  readonly row: HistoryRow;
  readonly detail: HistoryDetail;
  readonly points: readonly HistoryPoint[];
  readonly events: readonly TimelineEntry[];
  readonly gaps: readonly HistoryGap[];
}

/** Which jobs. Times are milliseconds since 1970. */
export interface HistoryQuery {
  /** @default - all */
  readonly namespace?: string;
  /** Part of namespace, name, framework, reason or labels, in any case. */
  readonly text?: string;
  readonly state?: string;
  readonly framework?: string;
  readonly since?: number;
  readonly until?: number;
  /** `next` of the page before. */
  readonly before?: string;
  /** @default 100 */
  readonly limit?: number;
}

/** Names of the fields of a {@link HistoryQuery}, in addresses of the pages and of the recorder. */
const TEXTS = ['namespace', 'text', 'state', 'framework', 'before'] as const;
const NUMBERS = ['since', 'until', 'limit'] as const;

/** A query as it is in an address. Numbers that are none are left out. */
export function queryIn(parameters: URLSearchParams): HistoryQuery {
  const entries = [
    ...TEXTS.map((name) => [name, parameters.get(name) ?? ''] as const),
    ...NUMBERS.map((name) => [name, Number(parameters.get(name) ?? NaN)] as const),
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && !Number.isNaN(value)));
}
