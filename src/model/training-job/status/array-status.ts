/**
 * `status.array`: how the copies of an array stand. Counts and sets of indexes as intervals, the way an Indexed Job writes `completedIndexes`, so
 * that 10,000 copies have room. Copies start in the order of their indexes: those that are in no set wait.
 */

/** Why a copy failed. */
export interface FailedIndex {
  readonly index: number;
  readonly reason: string;
  readonly message: string;
  readonly time: string;
}

/** `status.array`. */
export interface ArrayStatus {
  /** Copies under way: their jobs exist, or are about to. */
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes under way, as intervals: `4-7`. Written before their jobs are created. */
  readonly activeIndexes?: string;
  /** Those of {@link activeIndexes} whose job was not seen yet; of all others a missing job is a deleted one. */
  readonly unseenIndexes?: string;
  /** Indexes that have succeeded, as intervals: `0-3,7`. */
  readonly completedIndexes?: string;
  /** Indexes that have failed, as intervals. */
  readonly failedIndexes?: string;
  readonly lastFailedIndex?: FailedIndex;
}
