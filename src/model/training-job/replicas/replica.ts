/** One replica of a resolved job. */
export interface Replica {
  readonly role: string;
  /** Index in the role, from 0. */
  readonly index: number;
  /** Position among all replicas of the job, from 0, roles in their order. */
  readonly ordinal: number;
  /** Global rank; undefined on roles without one. */
  readonly rank?: number;
  readonly podName: string;
}
