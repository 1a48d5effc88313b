/** What the planner of arrays reads and asks for, in addition to what it shares with the planner of jobs. */
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';

/** The job of a copy, as it was read. */
export interface ObservedCopy {
  /** Index of the copy, from 0. */
  readonly index: number;
  /** Name and uid of its job. */
  readonly name: string;
  readonly uid: string;
  /** Whether its deletion has begun. */
  readonly deleting: boolean;
  /** `spec.suspend` of its job. */
  readonly suspended: boolean;
  readonly status: TrainingJobStatus;
}

/** What to do about copies. */
export type CopyAction =
  /** Creates the job of a copy; one that is there already is right as it is. */
  | { readonly type: 'createCopy'; readonly index: number }
  | { readonly type: 'deleteCopy'; readonly name: string; readonly uid: string; readonly reason: string }
  | { readonly type: 'suspendCopy'; readonly name: string; readonly uid: string; readonly suspend: boolean };
