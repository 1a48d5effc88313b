/**
 * `MLTrainingJob.status`. Bounded by design: counts per role, sets of indexes as intervals, one failure; never a list that grows with the replicas,
 * so that a job of 10,000 of them fits into etcd as easily as a job of one.
 *
 * `status.array`: how the copies of an array stand. Counts and sets of indexes as intervals, the way an Indexed Job writes `completedIndexes`, so
 * that 10,000 copies have room. Copies start in the order of their indexes: those that are in no set wait.
 */
import type { HooksStatus } from './hook-status';
import type { IdleStatus, PreflightStatus, ProvisionalFailure, RestartRecord, StackDump, StuckStart, SuspectNode } from './recovery-status';
import type { TuningStatus } from './tuning-status';

/** The blog's phases. `Completed` and `Failed` are final. */
export type Phase = 'Pending' | 'Running' | 'Restarting' | 'Suspended' | 'Completed' | 'Failed';

/** Types of the conditions that the operator sets, in the order in which they are written. */
export const CONDITION_TYPES = ['Created', 'Admitted', 'Running', 'Restarting', 'Suspended', 'Idle', 'Succeeded', 'Failed', 'HookFailed'] as const;

/** One of {@link CONDITION_TYPES}. */
export type ConditionType = (typeof CONDITION_TYPES)[number];

/** A Kubernetes condition. */
export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** `status.workerStatuses[]`: the replicas of one role. */
export interface RoleStatus {
  readonly role: string;
  /** How many there should be. */
  readonly replicas: number;
  /** Pods that exist and have not started. */
  readonly pending: number;
  /** Pods whose containers run. */
  readonly running: number;
  /** Replicas that have succeeded, also those whose pod is gone. */
  readonly succeeded: number;
  /** Pods that have failed and were not replaced. */
  readonly failed: number;
  /** Indexes that have succeeded as intervals (`0-3,7`), the way an Indexed Job writes `completedIndexes`. */
  readonly succeededIndexes?: string;
}

/** `status.lastFailure`: why a replica, and with it perhaps the job, failed. */
export interface FailureCause {
  readonly role: string;
  readonly index: number;
  /** Global rank; absent on roles that have none. */
  readonly rank?: number;
  readonly pod: string;
  readonly node?: string;
  readonly container?: string;
  readonly exitCode?: number;
  /** Name of the signal that an exit code above 128 stands for. */
  readonly signal?: string;
  /** Kubernetes' reason: `Error`, `OOMKilled`, `Evicted`, `ImagePullBackOff` ... */
  readonly reason: string;
  readonly message?: string;
  /** The last lines that the container wrote. */
  readonly logTail?: string;
  readonly attempt: number;
  readonly time: string;
  /** Where replicas were when their pods were taken away for it (`spec.debug`). */
  readonly stackDumps?: readonly StackDump[];
}

/** `status.replacing[]`: a pod that is being replaced; gone from the list when its successor is seen. */
export interface ReplacedPod {
  readonly pod: string;
  /** Uid of the pod that has to go, empty when it had vanished by itself. */
  readonly uid: string;
}

/** `status.trainerStatus`: what the training script reports, in the shape of Kubeflow Trainer v2.3, so that its clients can read it. */
export interface TrainerStatus {
  readonly progressPercentage?: number;
  readonly estimatedRemainingSeconds?: number;
  readonly metrics?: readonly { readonly name: string; readonly value: string }[];
  readonly lastUpdatedTime?: string;
}

/** `status.checkpoint`: the last checkpoint that the script reported. */
export interface CheckpointStatus {
  /** Path or URL, given to the next attempt as `RESUME_FROM`. */
  readonly path: string;
  /** Training step that it holds. */
  readonly step?: number;
  readonly time: string;
}

/** `status.progressHistory[]`: how the script stood at some time. */
export interface ProgressPoint {
  /** When the report came, by the operator's clock. */
  readonly time: string;
  readonly progressPercentage?: number;
  /** The first few metrics that are numbers, by name. */
  readonly metrics?: { readonly [name: string]: string };
}

/** `status.worldSize`: what trains at this moment. */
export interface WorldSize {
  /** Replicas with a rank that run. */
  readonly replicas: number;
  /** Processes in them; absent where only the replicas can tell. */
  readonly processes?: number;
}

/** `status.elastic`: what the operator has made of the wanted number of replicas. */
export interface ElasticStatus {
  /** The `spec.replicas` that it acts on. */
  readonly replicas: number;
  /** Ordinals of replicas that were added and have not been seen yet, as intervals (`0-3,7`): their absence is no loss. */
  readonly unseen?: string;
}

/** `MLTrainingJob.status`. */
export interface TrainingJobStatus {
  readonly phase?: Phase;
  readonly observedGeneration?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly Condition[];
  /** Wanted replicas of all roles; the scale subresource reads it. */
  readonly replicas?: number;
  /** Running or succeeded of {@link replicas}, as `3/4`. */
  readonly ready?: string;
  /** Label selector of the job's pods, for the scale subresource. */
  readonly selector?: string;
  /** Number of the running attempt, from 0; a restart of the whole gang starts the next one. */
  readonly attempt?: number;
  /** Whether all pods of the attempt were seen; from then on a missing pod is a lost pod. */
  readonly attemptStarted?: boolean;
  /** Counted restarts: of the gang or of single replicas. */
  readonly restarts?: number;
  /** Pods lost to evictions, preemption and nodes. */
  readonly disruptions?: number;
  /** Earliest time of the next restart. */
  readonly nextRetryTime?: string;
  /** How many restarts the waiting time was doubled by; back to 0 after a healthy while. */
  readonly retryStep?: number;
  /**
   * Failures of containers in the pods of the attempt, which kubelets answer by restarting them in place. All of them are in {@link restarts}
   * already; only what exceeds this number is new.
   */
  readonly containerRestarts?: number;
  /** The pod that cannot start; the job fails when it lasts longer than `startTimeoutSeconds`. */
  readonly stuckStart?: StuckStart;
  /** A failure that is not counted before the nodes of all ranks have been heard from. */
  readonly provisionalFailure?: ProvisionalFailure;
  /** Nodes on which the job has failed. */
  readonly suspectNodes?: readonly SuspectNode[];
  /** Seconds that restarts have cost. */
  readonly lostSeconds?: number;
  /** While the job is not back from a restart: since when time is lost. */
  readonly lostSince?: string;
  readonly lastRestart?: RestartRecord;
  /** Set on a gang that was placed in part. */
  readonly gang?: GangStatus;
  /** Set on a job in a queue of Kueue. */
  readonly queue?: QueueStatus;
  readonly workerStatuses?: readonly RoleStatus[];
  readonly lastFailure?: FailureCause;
  readonly replacing?: readonly ReplacedPod[];
  /** Of elastic jobs: what trains at this moment. */
  readonly worldSize?: WorldSize;
  /** Of elastic jobs. */
  readonly elastic?: ElasticStatus;
  readonly preflight?: PreflightStatus;
  /** Of jobs with hooks: those that have begun. */
  readonly hooks?: HooksStatus;
  readonly idle?: IdleStatus;
  readonly trainerStatus?: TrainerStatus;
  /** When the script last reported, by the operator's clock. Read it with `lastProgressTime()`. */
  readonly lastProgressTime?: string;
  /** Earlier reports, thinned out so that a bounded number of points spans the whole run. */
  readonly progressHistory?: readonly ProgressPoint[];
  readonly checkpoint?: CheckpointStatus;
  /** Of jobs with `autoTuning`: how the search stands. */
  readonly tuning?: TuningStatus;
  /** Of jobs with `array`: how the copies stand. */
  readonly array?: ArrayStatus;
}

/** `status.gang`: a gang that was, or stays, placed in part. */
export interface GangStatus {
  /** How often the whole gang was released because it stayed below its minimum. Neither a restart nor a disruption. */
  readonly releases?: number;
  /** Since when the attempt has had some of its replicas placed, and too few. */
  readonly belowSince?: string;
  /** How many releases in a row the pause was doubled by; gone once the gang has run. */
  readonly step?: number;
}

/** `status.queue`: the job in its queue of Kueue. */
export interface QueueStatus {
  /** The LocalQueue. */
  readonly name: string;
  /** The Workload that stands for the job. Absent with queueMode PodGroup, where Kueue makes it. */
  readonly workload?: string;
  /** ClusterQueue that the quota is reserved in. */
  readonly clusterQueue?: string;
  /** Whether the job may run. */
  readonly admitted: boolean;
  /** Place in the queue, from 0; absent when the job does not wait, or where Kueue does not serve its visibility API. */
  readonly position?: number;
  /** How often Kueue has taken the quota back. These count as disruptions too. */
  readonly evictions?: number;
}

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
