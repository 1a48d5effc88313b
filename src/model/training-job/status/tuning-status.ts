/**
 * `status.tuning`: how a search stands. Bounded, whatever the number of trials: counts, the best one, those under way (64 at most) and what the
 * next choice needs to know of earlier ones (110 at most). A point is a short text from which the values of all parameters follow.
 */

/** A trial under way. Its number and point are written before its job is created. */
export interface ActiveTrial {
  readonly trial: number;
  /** Its values, as the search space counts them. */
  readonly point: string;
  /** With hyperband. */
  readonly budget?: number;
  /** With hyperband: the first trial of this point. */
  readonly continues?: number;
  /** Whether its job was seen; from then on a missing job is a deleted one. */
  readonly seen?: boolean;
}

/** A trial that has ended, as far as the search has to remember it. */
export interface RememberedTrial {
  readonly trial: number;
  readonly point: string;
  /** Absent when it failed. */
  readonly value?: number;
  readonly budget?: number;
  readonly continues?: number;
}

/** The best trial so far. */
export interface BestTrial {
  readonly trial: number;
  readonly value: number;
  readonly parameters: { readonly [name: string]: string };
}

/** Why a trial failed. */
export interface FailedTrial {
  readonly trial: number;
  readonly reason: string;
  readonly message: string;
  readonly time: string;
}

/** `status.tuning`. */
export interface TuningStatus {
  /** Trials that were begun. */
  readonly trials: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Ended early by the median rule. */
  readonly stopped: number;
  readonly best?: BestTrial;
  readonly lastFailedTrial?: FailedTrial;
  readonly active?: readonly ActiveTrial[];
  readonly remembered?: readonly RememberedTrial[];
  /** For the median rule: averages of the objective at 10, 20 ... 90 % of the latest trials, joined by commas. */
  readonly curves?: readonly string[];
}
