import { Duration, Size } from 'cdk8s';
import { HISTORY_RETENTION, type HistorySpec } from '../../model/dashboard/history';
import { checkTypes } from '../props/check-props';

/** How long the history keeps jobs that were deleted from the cluster. Existing jobs are always kept. */
export interface DashboardRetention {
  /** Maximum time since the job was deleted, in whole days. @default Duration.days(180) */
  readonly maxAge?: Duration;
  /** Maximum number of deleted jobs; the oldest are removed first. @default 100000 */
  readonly maxJobs?: number;
  /** Maximum compressed size of deleted jobs; the oldest are removed first. @default Size.gibibytes(4) */
  readonly maxSize?: Size;
}

/** Options of `DashboardHistory.sqlite`. */
export interface DashboardSqliteOptions extends DashboardRetention {
  /** Size of the volume. @default Size.gibibytes(10) */
  readonly size?: Size;

  /**
   * Storage class of the volume. It must be a block device of one node: SQLite's locks do not work on network file systems.
   * @default - the cluster's default class
   */
  readonly storageClassName?: string;
}

/** Options of `DashboardHistory.postgres`. */
export interface DashboardPostgresOptions extends DashboardRetention {
  /**
   * Secret in the dashboard's namespace with `url`, such as `postgres://recorder:password@host:5432/history?sslmode=require`, and with `ca.crt` for a
   * private certificate authority. The role needs permission to create tables in its schema.
   */
  readonly secretName: string;

  /** Number of recorders. Each records everything; the first record wins. @default 1 */
  readonly replicas?: number;
}

/** Where the history of jobs is kept. */
export class DashboardHistory {
  /** An SQLite file on a PersistentVolumeClaim, written by one recorder. It is not deleted with the jobs. */
  public static sqlite(options: DashboardSqliteOptions = {}): DashboardHistory {
    checkTypes('DashboardHistory.sqlite', 'DashboardSqliteOptions', options);
    const { size = Size.gibibytes(10), storageClassName } = options;
    return new DashboardHistory({ store: { kind: 'sqlite', mebibytes: size.toMebibytes(), storageClassName }, ...retention(options) });
  }

  /** A PostgreSQL database, 13 or newer, which several recorders can share. */
  public static postgres(options: DashboardPostgresOptions): DashboardHistory {
    checkTypes('DashboardHistory.postgres', 'DashboardPostgresOptions', options);
    const { secretName, replicas = 1 } = options;
    return new DashboardHistory({ store: { kind: 'postgres', secretName, replicas }, ...retention(options) });
  }

  private constructor(
    /** As the rules and the manifests read it. @internal */
    public readonly _spec: HistorySpec,
  ) {}
}

function retention({ maxAge, maxJobs, maxSize }: DashboardRetention): { readonly days: number; readonly jobs: number; readonly mebibytes: number } {
  return {
    days: maxAge?.toDays({ integral: false }) ?? HISTORY_RETENTION.days, jobs: maxJobs ?? HISTORY_RETENTION.jobs,
    mebibytes: maxSize?.toMebibytes() ?? HISTORY_RETENTION.mebibytes,
  };
}
