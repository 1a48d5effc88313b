/**
 * Identity of a run.
 */
export interface RunOptions {
  /**
   * Id of the run. A job that is changed and goes on with the same run keeps it.
   *
   * @default - the job's name and the beginning of the digest of what the job says: another job is another run
   */
  readonly id?: string;

  /**
   * Id of the run that this one goes on from, such as the one that trained the model which is tuned now.
   *
   * @default - none
   */
  readonly parent?: string;
}
