/** Which faults there are, and how often each has happened. */

/** Everything that goes wrong in histories. */
export const FAULT_KINDS = [
  '409 AlreadyExists', '409 Conflict', '403 Forbidden', '429 TooManyRequests', '500 not carried out', '500 carried out',
  'time-out, not carried out', 'time-out, carried out', 'time-out, carried out later', 'crash',
  'watch broken', 'watch event lost', 'list answered late', 'clock forward', 'clock back',
] as const;

/** One of {@link FAULT_KINDS}. */
export type FaultKind = typeof FAULT_KINDS[number];

/** Counts by kind. */
export type FaultCounts = Map<FaultKind, number>;

/** Counts one more. */
export function count(counts: FaultCounts, kind: FaultKind, times = 1): void {
  counts.set(kind, (counts.get(kind) ?? 0) + times);
}
