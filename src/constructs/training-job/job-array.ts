/**
 * Copies of a job that differ in their index alone: parameter sweeps, evaluations, data preparation. Each finds its index in
 * `TRAINYARD_ARRAY_INDEX` and the number of all in `TRAINYARD_ARRAY_COUNT`.
 */
export interface JobArray {
  /** How many copies there are, 1 to 10,000; their indexes are 0 to `count - 1`. */
  readonly count: number;

  /**
   * Most copies at a time.
   *
   * @default - all of them: a queue or the cluster says how many run
   */
  readonly parallelism?: number;

  /**
   * Failed copies that end the array as failed when there is one more; those that run are then ended.
   *
   * @default - all copies run to their end
   */
  readonly maxFailedIndexes?: number;

  /**
   * Jobs of ended copies that stay: failed ones first, then those with the highest indexes. For the Trainyard operator.
   *
   * @default 100
   */
  readonly keepJobs?: number;
}
