/** What the planner of searches reads and asks for, in addition to what it shares with the planner of jobs. */
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import type { ObjectiveReading } from '../../../../model/tuning/objective';
import type { Trial } from '../../../../model/tuning/search';

/** The job of a trial, as it was read. */
export interface ObservedTrial {
  /** Number of the trial, from 1. */
  readonly number: number;
  /** Name and uid of its job. */
  readonly name: string;
  readonly uid: string;
  /** Whether its deletion has begun. */
  readonly deleting: boolean;
  /** `spec.suspend` of its job. */
  readonly suspended: boolean;
  readonly status: TrainingJobStatus;
  /** Until when a report of its script may still be on its way, milliseconds since the epoch. @default - none is */
  readonly reportsUntil?: number;
  /** What its log says of the objective, once it was read. */
  readonly logged?: ObjectiveReading;
}

/** What to do about trials. */
export type TrialAction =
  /** Creates the job of a trial; one that is there already is right as it is. */
  | { readonly type: 'createTrial'; readonly trial: Trial }
  | { readonly type: 'deleteTrial'; readonly name: string; readonly uid: string; readonly reason: string }
  | { readonly type: 'suspendTrial'; readonly name: string; readonly uid: string; readonly suspend: boolean }
  /** Looks for the objective in the log of a trial that has succeeded; the answer comes with the next observation. */
  | { readonly type: 'readObjective'; readonly trial: number; readonly name: string; readonly uid: string };
