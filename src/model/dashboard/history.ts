/** The history of a dashboard: what it is kept in and for how long, and the rules on that. */
import { checkSecretName } from './dashboard';
import { ViolationCollector, type Violation } from '../violations';

/** How long deleted jobs are kept by default. */
export const HISTORY_RETENTION = { days: 180, jobs: 100_000, mebibytes: 4_096 } as const;

export interface HistorySpec {
  readonly store: { readonly kind: 'sqlite'; readonly mebibytes: number; readonly storageClassName?: string } | { readonly kind: 'postgres'; readonly secretName: string; readonly replicas: number };
  readonly days: number;
  readonly jobs: number;
  readonly mebibytes: number;
}

/** Part of a volume that details may take: rows, indexes and the write-ahead log need the rest. */
const USABLE = 0.6;

export function validateHistory({ store, days, jobs, mebibytes }: HistorySpec): readonly Violation[] {
  const violations = new ViolationCollector();
  for (const [field, value, unit] of [['history.maxAge', days, 'days'], ['history.maxJobs', jobs, 'jobs'], ['history.maxSize', mebibytes, 'MiB']] as const) {
    violations.whole(field, value, 1, Infinity, ` (${unit}).`);
  }
  if (store.kind === 'sqlite') {
    if (mebibytes > store.mebibytes * USABLE) {
      violations.add('history.maxSize', mebibytes, `MiB of jobs do not fit into a volume of ${store.mebibytes} MiB, which needs room for indexes and a log. Set maxSize to at most ${Math.floor(store.mebibytes * USABLE)} MiB, or a larger size.`);
    }
  } else {
    checkSecretName(violations, 'history.secretName', store.secretName);
    violations.whole('history.replicas', store.replicas, 1);
  }
  return violations.violations;
}
