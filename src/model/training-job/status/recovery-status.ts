/** The parts of a job's status that its recovery from failures needs. Each is bounded, whatever the number of replicas. */

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
