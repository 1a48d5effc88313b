/**
 * What the planner reads and what it answers. Plain data on both sides, so that the Kubernetes executor, the local runner and the
 * simulations of the tests all drive the same function.
 */
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { TrainingJobStatus } from '../../../model/training-job/status';
import type { Replica } from '../../../model/frameworks/contract';

/** The job as it was read. */
export interface ObservedJob {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly spec: TrainingJobSpec;
  readonly status: TrainingJobStatus;
}

/** State of a replica's process. */
export type PodState = 'Waiting' | 'Running' | 'Succeeded' | 'Failed';

/** A pod (or a local process) that the job controls. */
export interface ObservedPod {
  readonly name: string;
  readonly uid: string;
  readonly attempt: number;
  readonly state: PodState;
  /** Whether its deletion has begun. It still holds its name, and may still run. */
  readonly deleting: boolean;
  /** Whether containers of it are alive although its replica has finished: sidecars. */
  readonly lingering: boolean;
  readonly node?: string;
  /** Why a pod that is `Waiting` does not get on, when something is wrong. */
  readonly waitingFor?: string;
  /** Present when `state` is `Failed`. */
  readonly failure?: PodFailure;
}

/** Why a pod failed, as far as the pod itself says. */
export interface PodFailure {
  /** Whether the cluster took the pod away: eviction, preemption, lost node, a drained or spot node. */
  readonly disruption: boolean;
  readonly container?: string;
  readonly exitCode?: number;
  readonly reason: string;
  readonly message?: string;
  /** Last lines of the container's log. */
  readonly logTail?: string;
  readonly time?: string;
}

/** Something that the executor could not do and that the status has to tell. */
export interface Problem {
  /** CamelCase reason of the condition. */
  readonly reason: string;
  readonly message: string;
  /** Whether trying again cannot help, because the API server refuses the object as such. */
  readonly permanent: boolean;
}

/** Everything that one decision rests on. */
export interface Observation {
  readonly job: ObservedJob;
  /** Pods that this job controls; pods of others are not among them. */
  readonly pods: readonly ObservedPod[];
  /** Names of the services that this job controls. */
  readonly services: readonly string[];
  /** Problems of the executor since the last status was written. */
  readonly problems: readonly Problem[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What to do. Actions of one plan are independent of each other, but objects come before the pods that mount them. */
export type Action =
  | { readonly type: 'ensureObjects' }
  | { readonly type: 'createPod'; readonly replica: Replica; readonly attempt: number }
  | { readonly type: 'deletePod'; readonly name: string; readonly uid: string; readonly reason: string }
  | { readonly type: 'deleteJob' };

/** A Kubernetes event that is worth a user's attention. */
export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The answer. */
export interface Plan {
  /** The status that should stand. */
  readonly status: TrainingJobStatus;

  /**
   * Whether `status` holds a decision (a new attempt, a replacement, an end) that has to be durable before anything is done about it.
   * The executor then writes the status first and plans again; a crash in between repeats the effects, never the decision.
   */
  readonly decided: boolean;

  /** To be done now. Empty when `decided`. */
  readonly actions: readonly Action[];

  /** To be published once `status` is written. */
  readonly events: readonly PlannedEvent[];

  /** When to plan again although nothing may happen until then; milliseconds from `now`. */
  readonly requeueAfterMs?: number;
}
