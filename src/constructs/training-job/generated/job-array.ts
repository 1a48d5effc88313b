// Generated from the tables of src/model/training-job: run `npm run props` after a change there.

/** Copies of the job that differ in their index alone, which each finds in TRAINYARD_ARRAY_INDEX. */
export interface JobArray {
  /** How many copies there are; their indexes are 0 to `count - 1`. From 1 to 10,000. */
  readonly count: number;

  /**
   * Maximum number of copies at a time. From 1 to 10,000.
   * @default - all of them: a queue or the cluster determines how many run
   */
  readonly parallelism?: number;

  /**
   * If more copies fail, the array fails and its running copies are stopped. From 0 to 10,000.
   * @default - all copies run to completion
   */
  readonly maxFailedIndexes?: number;

  /**
   * Jobs of ended copies that are kept: failed ones first, then those with the highest indexes. For the Trainyard operator. From 0 to 10,000.
   * @default 100
   */
  readonly keepJobs?: number;
}
