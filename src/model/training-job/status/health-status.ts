/** The parts of a job's status that speak of hung and sick jobs. Each is bounded, whatever the number of replicas. */

/** `status.lastFailure.stackDumps[]`: where replicas were when their pods were taken away. Replicas of a role with the same stacks are one entry. */
export interface StackDump {
  readonly role: string;
  /** Indexes in the role as intervals (`0-3,7`); ends with `...` where there are more than it can hold. */
  readonly indexes: string;
  /** Pod that the stacks are taken from. */
  readonly pod: string;
  /** Python stacks of the pod's processes, the main thread of each first. */
  readonly stacks: string;
}

/** Most entries of `stackDumps`. */
export const MAX_STACK_DUMPS = 4;

/** Most characters of one entry's stacks. */
export const STACKS_MAX_LENGTH = 2048;

/** `status.preflight`: checks before training that failed, in a row. Absent when they passed. */
export interface PreflightStatus {
  readonly failures: number;
  /** Whether the check of the network was ended because it took too long, and rank 0 has yet to say who did not come. @default false */
  readonly unexplained?: boolean;
}

/** `status.idle`: accelerators that are hardly used. Absent while they are. */
export interface IdleStatus {
  /** Since when. */
  readonly since: string;
  /** Use in percent when it was last measured. */
  readonly percent: number;
  /** Present when the job was suspended for it. */
  readonly suspended?: IdleSuspension;
}

/** What stood when a job was suspended for idleness. It is resumed when one of the two is another. */
export interface IdleSuspension {
  /** Generation of the job: a number that every change of the spec raises. */
  readonly generation: number;
  /** Value of the annotation `ml.collabnix.io/resume`. @default - there was none */
  readonly resume?: string;
}
