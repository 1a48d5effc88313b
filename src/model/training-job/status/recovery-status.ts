/**
 * The parts of a job's status that its recovery from failures needs. Each is bounded, whatever the number of replicas.
 *
 * The parts of a job's status that speak of hung and sick jobs. Each is bounded, whatever the number of replicas.
 */

/** `status.stuckStart`: the pod that has been unable to start for longest, as far as it was watched. */
export interface StuckStart {
  readonly pod: string;
  readonly uid: string;
  /** `ImagePullFailed`, `ContainerConfigError` or `ContainerStartFailed`. */
  readonly reason: string;
  readonly since: string;
}

/** `status.suspectNodes[]`: a node on which this job has failed. */
export interface SuspectNode {
  readonly node: string;
  /** Counted failures that began there. */
  readonly failures: number;
  /** Of the last of them. */
  readonly time: string;
  /** Of the last of them: `Error`, `OOMKilled`, `PreflightFailed` ... */
  readonly reason: string;
  /** Whether new pods avoid the node. */
  readonly avoided: boolean;
}

/**
 * `status.provisionalFailure`: a failure that is not counted yet, because the node of another rank may be lost and the cause of it. The job is
 * started again at once; where it would end, the end is put off.
 */
export interface ProvisionalFailure {
  /** The attempt that failed. */
  readonly attempt: number;
  /** When it was noted. */
  readonly time: string;
  readonly pod: string;
  readonly node?: string;
  readonly reason: string;
  /** What is put off until the verdict: the count of the restart, or the end of the job. */
  readonly puts: ProvisionalOutcome;
  /** Whether it makes its own node suspect if it counts. @default false */
  readonly speaksOfNode?: boolean;
  /** How many failures wait for this verdict, of replicas that are replaced one by one. @default 1 */
  readonly count?: number;
  /** When the last of them was noted. @default - `time` */
  readonly lastTime?: string;
}

/** What waits for the verdict on a provisional failure. */
export type ProvisionalOutcome = 'Restart' | 'End';

/** Most entries of `status.suspectNodes`; the one that failed longest ago gives way. */
export const MAX_SUSPECT_NODES = 10;

/** Why a job was started again: by a failure of its own, by the cluster, or by a rule of the operator. */
export type RestartCause = 'Failure' | 'Disruption' | 'Stall' | 'Preflight' | 'Scaling' | 'Other';

/** All values of {@link RestartCause}. */
export const RESTART_CAUSES: readonly RestartCause[] = ['Failure', 'Disruption', 'Stall', 'Preflight', 'Scaling', 'Other'];

/** `status.lastRestart`: the last restart and what it has cost. */
export interface RestartRecord {
  readonly time: string;
  readonly cause: RestartCause;
  /** Reason of the failure behind it, when there was one. */
  readonly reason?: string;
  /** Seconds from the last checkpoint to the moment at which all replicas ran again; absent until they do. */
  readonly lostSeconds?: number;
}

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
