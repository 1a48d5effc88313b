/**
 * Traces without a word about how they are sent. A job is one trace from its creation to its end; its ids follow from the job's uid, so that a
 * trace goes on when another process becomes the leader, and a span that is written twice is the same span.
 */
import { createHash } from 'node:crypto';

/** A finished span. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** Absent values are left out. */
  readonly attributes: { readonly [name: string]: string | number | undefined };
  /** What went wrong; absent when nothing did. */
  readonly error?: string;
}

/** Takes spans; never waits and never fails. */
export interface SpanSink {
  emit(span: SpanRecord): void;
}

/** Id of the trace of a job. */
export function traceIdOf(uid: string): string {
  return hash(uid, 32);
}

/** Id of a span of a job: the same for the same part of the same job. */
export function spanIdOf(uid: string, part: string): string {
  return hash(`${uid} ${part}`, 16);
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
