/** The history of a dashboard: what it is kept in and for how long, and the rules on that. */
import { isSecretName } from './dashboard';
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
  for (const [field, value] of [['history.maxAge', days], ['history.maxJobs', jobs], ['history.maxSize', mebibytes]] as const) {
    if (!Number.isInteger(value) || value < 1) {
      violations.add(field, value, `must be a whole number of ${field === 'history.maxAge' ? 'days' : field === 'history.maxJobs' ? 'jobs' : 'MiB'}, 1 or more.`);
    }
  }
  if (store.kind === 'sqlite') {
    if (mebibytes > store.mebibytes * USABLE) {
      violations.add('history.maxSize', mebibytes, `MiB of jobs do not fit into a volume of ${store.mebibytes} MiB, which needs room for indexes and a log. Set maxSize to at most ${Math.floor(store.mebibytes * USABLE)} MiB, or a larger size.`);
    }
  } else {
    if (!isSecretName(store.secretName)) {
      violations.add('history.secretName', store.secretName, "is not the name of a Secret: lower-case letters, digits, '-' and '.'.");
    }
    violations.whole('history.replicas', store.replicas, 1);
  }
  return violations.violations;
}
