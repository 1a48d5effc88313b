/**
 * What the planner reads and what it answers. Plain data on both sides, so that the Kubernetes executor, the local runner and the
 * simulations of the tests all drive the same function.
 */
import type { CopyAction, ObservedCopy } from './array/types';
import type { ObservedQueue } from './observe/observed-queue';
import type { ObservedTrial, TrialAction } from './tuning/types';
import type { HookName } from '../../../model/training-job/hooks';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import type { Replica } from '../../../model/frameworks/contract';
import type { WorkloadStep } from '../../kueue/protocol';

/** The job as it was read. */
export interface ObservedJob {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly spec: TrainingJobSpec;
  readonly status: TrainingJobStatus;
  /** Value of the annotation with which users resume a job that was suspended for idleness. @default - it has none */
  readonly resume?: string;
}

/** State of a replica's process. */
export type PodState = 'Waiting' | 'Running' | 'Succeeded' | 'Failed';

/** A pod (or a local process) that the job controls. */
export interface ObservedPod {
  readonly name: string;
  readonly uid: string;
  /** Of the job. Infinite where its label is not the number of an attempt. */
  readonly attempt: number;
  /** Whether the job was read after this pod, and had not come to its attempt: the operator did not make it, whatever it says. @default false */
  readonly forged?: boolean;
  readonly state: PodState;
  /** Whether its deletion has begun. It still holds its name, and may still run. */
  readonly deleting: boolean;
  /** Whether containers of it are alive although its replica has finished: sidecars. */
  readonly lingering: boolean;
  readonly node?: string;
  /** Why a pod that is `Waiting` does not get on, when something is wrong. */
  readonly waitingFor?: string;
  /** When its grace period is over, milliseconds since the epoch; present while it is `deleting`. */
  readonly deletionDeadline?: number;
  /** What its node is like. @default - unknown: it has none, or the operator sees no nodes */
  readonly nodeState?: NodeState;
  /** Why it cannot start, where that is not for the scheduler or for its program to mend. */
  readonly startError?: StartError;
  /** Failures of its containers, of which each is followed by a restart in this pod. @default 0 */
  readonly containerRestarts?: number;
  /** The last of them. */
  readonly lastContainerFailure?: PodFailure;
  /** Since when the scheduler finds no node for it. */
  readonly unschedulableSince?: string;
  /** Whether it has a node whose kubelet has not told of it yet. @default false */
  readonly unseen?: boolean;
  /** Nodes that it was created to keep away from. */
  readonly avoidedNodes?: readonly string[];
  /** What those are like now, as far as it is known. */
  readonly avoidedStates?: { readonly [node: string]: NodeState };
  /** Present when `state` is `Failed`. */
  readonly failure?: PodFailure;
  /** How far its checks before training are. @default - it has none, or they have not begun */
  readonly preflight?: PreflightState;
  /** Stacks of its processes, which a debugged pod leaves behind when it is deleted. */
  readonly stacks?: string;
}

/** A pod of a hook (`spec.hooks`), which is not a replica. */
export interface ObservedHookPod extends ObservedPod {
  readonly hook: HookName;
}

/** How far the checks of a pod are (`spec.preflight`). */
export interface PreflightState {
  /** When they began, milliseconds since the epoch. */
  readonly startedAt?: number;
  /** Present when they have ended. */
  readonly exitCode?: number;
  /** What they found. */
  readonly message?: string;
  /** Ranks on whose nodes the fault lies; present when the checks themselves said so. */
  readonly blames?: readonly number[];
}

/** What is known of the node that a pod is on. */
export interface NodeState {
  readonly health: 'Ready' | 'NotReady' | 'Gone';
  /** Since when it is not ready, or gone; milliseconds since the epoch. */
  readonly since?: number;
  /** Why it is about to go: its deletion, or a taint that announces a shutdown. */
  readonly leaving?: string;
  /** Whether an administrator vouches that it is off (taint `node.kubernetes.io/out-of-service`). @default false */
  readonly outOfService?: boolean;
  /** What its Lease has shown. @default - nobody has looked */
  readonly lease?: LeaseState;
  /** Whether so many nodes are not ready that this one does not count as lost for it (`nodes/node-outage.ts`). @default false */
  readonly inOutage?: boolean;
}

/** What looks at a node's Lease have shown, by the operator's own clock. */
export interface LeaseState {
  /** Whether the node has one that may be read; else its conditions alone say how it is. */
  readonly exists: boolean;
  /** Milliseconds within which it was renewed. @default - it was not seen to be renewed */
  readonly renewedAgoMs?: number;
  /** Since when each look has found it unchanged, milliseconds since the epoch. */
  readonly silentSince: number;
  /** When it was last looked at, milliseconds since the epoch. */
  readonly lookedAt: number;
}

/** Why the containers of a pod cannot start. */
export interface StartError {
  /** `ImagePullFailed`, `InvalidImageName`, `ContainerConfigError` or `ContainerStartFailed`. */
  readonly reason: string;
  /** The kubelet's own words. */
  readonly message: string;
  /** Whether no waiting can mend it. */
  readonly permanent: boolean;
}

/** Why a pod failed, as far as the pod itself says. */
export interface PodFailure {
  /** Whether the cluster took the pod away: eviction, preemption, lost node, a drained or spot node. */
  readonly disruption: boolean;
  /** Whether its program could not be started at all, and never will be: the command is not there. @default false */
  readonly permanent?: boolean;
  readonly container?: string;
  readonly exitCode?: number;
  readonly reason: string;
  readonly message?: string;
  /** Last lines of the container's log. */
  readonly logTail?: string;
  readonly time?: string;
  /** Whether the container had ended before the deletion of its pod was asked for. @default false */
  readonly beforeDeletion?: boolean;
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
  /** Pods of replicas that this job controls; pods of others are not among them. */
  readonly pods: readonly ObservedPod[];
  /** Pods of hooks that it controls. @default - none */
  readonly hookPods?: readonly ObservedHookPod[];
  /** Names of the services that this job controls. */
  readonly services: readonly string[];
  /** Of a job that is queued by a Workload of Kueue. @default - it is in no queue, or nobody here asks queues */
  readonly queue?: ObservedQueue;
  /** Pods that are gone, and whose last status had something to tell: stacks, or what their checks found. @default - none */
  readonly departed?: readonly ObservedPod[];
  /** Use of the job's accelerators as a monitoring system has it. @default - nobody was asked, or nothing is known */
  readonly utilization?: Utilization;
  /** When the wall clock last jumped, milliseconds since the epoch. @default - not since this process began */
  readonly clockSteadySince?: number;
  /**
   * Since when reports of scripts can have arrived, milliseconds since the epoch: before, no operator led, or the API server took no status.
   * @default - always
   */
  readonly heardSince?: number;
  /** Of jobs with `autoTuning`: the jobs of its trials. @default - none */
  readonly trials?: readonly ObservedTrial[];
  /** Of jobs with `array`: the jobs of its copies. @default - none */
  readonly copies?: readonly ObservedCopy[];
  /** Problems of the executor since the last status was written. */
  readonly problems: readonly Problem[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Use of accelerators. */
export interface Utilization {
  /** Of all accelerators of the job together, 0 to 100. */
  readonly percent: number;
  /** When it was measured, milliseconds since the epoch. */
  readonly time: number;
}

/** What to do. Actions of one plan are independent of each other, but objects come before the pods that mount them. */
export type Action =
  /** Creates what pods of the job mount and are found by. `gang`: also the objects of its gang scheduler, which hooks do not need. @default true */
  | { readonly type: 'ensureObjects'; readonly gang?: boolean }
  | { readonly type: 'createPod'; readonly replica: Replica; readonly attempt: number }
  /** Creates the pod of a hook; `tries` of it have failed before. */
  | { readonly type: 'createHookPod'; readonly hook: HookName; readonly tries: number }
  | {
    readonly type: 'deletePod';
    readonly name: string;
    readonly uid: string;
    readonly reason: string;
    /** Whether it is removed without waiting for its node. @default false */
    readonly force?: boolean;
  }
  /** Looks at the Lease of a node. */
  | { readonly type: 'lookAtNode'; readonly node: string }
  /** A step of Kueue's protocol. */
  | { readonly type: 'queue'; readonly step: WorkloadStep }
  | TrialAction
  | CopyAction
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

  /**
   * Uids of pods of a later attempt than the status has come to. Either the status is old, or these pods are forged; who reads the job again knows
   * which, and nothing is planned before. @default - none
   */
  readonly laterPods?: readonly string[];
}
