/** How training-operator v1 is installed, as far as a job has to know. */

/** See the top of this file. */
export interface TrainingOperatorV1Options {
  /**
   * Value of the operator's flag `--gang-scheduler-name`: `volcano`, or the name of a scheduler with the Coscheduling plugin of scheduler-plugins.
   * With the flag every job of the operator is a gang, and without it none.
   * @default - the flag is not set
   */
  readonly gangScheduler?: string;
}

/** The flag's word for Volcano; any other value is the name of a scheduler. */
export const VOLCANO_FLAG = 'volcano';
