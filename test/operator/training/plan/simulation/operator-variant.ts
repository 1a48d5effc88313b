/** What a process of the operator is to a history, and which of its precautions the mutation tests leave out. */
import type { RefusalReason } from './api-server';
import type { Caches } from './caches';
import { plan } from '../../../../../src/operator/training/plan/plan';
import type { Observation, Plan } from '../../../../../src/operator/training/plan/types';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';

/** Precautions that can be left out. */
export interface OperatorVariant {
  /** The planner. */
  readonly plan: (observation: Observation) => Plan;
  /** Writes a decision before anything is done about it. */
  readonly writesFirst: boolean;
  /** Deletes a pod only under the uid that the plan names. */
  readonly checksUid: boolean;
  /** Refuses to overwrite a status that has changed since it was read. */
  readonly locksStatus: boolean;
  /** Reads the job and its pods again after a write whose outcome is unknown. */
  readonly readsAfterDoubt: boolean;
  /** Lists everything when it becomes the leader; else it starts from caches that may be old: all of them, or that of the jobs. */
  readonly listsAtStart: boolean | 'all but jobs';
  /** Lets a pod end before its name is free. */
  readonly deletesGracefully: boolean;
  /** Looks at a node again before it deletes a pod there by force. */
  readonly readsNodes: boolean;
  /** Looks whether its job is admitted when it creates a pod. */
  readonly asksQueue: boolean;
  /** Removes what a vanished job has left behind. */
  readonly deletesOrphans: boolean;
  /** Lists everything anew after a watch has broken, because what it would have told is lost. */
  readonly listsAfterBreak: boolean;
  /** Lets no list undo what was written while the list was under way. */
  readonly keepsOwnWrites: boolean;
  /** Goes by the wall clock, as everybody else does who reads the times in a status. */
  readonly readsWallClock: boolean;
  /** What it does not try again when a request was refused for it. @default - it tries everything again */
  readonly givesUpAfter?: RefusalReason;
}

/** The operator as it is. */
export const REAL_OPERATOR: OperatorVariant = {
  plan,
  writesFirst: true,
  checksUid: true,
  locksStatus: true,
  readsAfterDoubt: true,
  listsAtStart: true,
  deletesGracefully: true,
  readsNodes: true,
  asksQueue: true,
  deletesOrphans: true,
  listsAfterBreak: true,
  keepsOwnWrites: true,
  readsWallClock: true,
};

/** Time as a process sees it: the wall clock, which may jump, and one that only goes on. Milliseconds. */
export interface Clock {
  readonly now: number;
  readonly monotonic: number;
}

/** Listens to what the operator does. */
export interface OperatorObserver {
  /** Called before a pod is asked for. */
  onCreatePod(pod: PodObject, caches: Caches): void;
  /** Called when a deletion is about to hit a pod. */
  onDeletePod(pod: PodObject, byForce: boolean): void;
  /** Called when a deletion is about to hit a job. */
  onDeleteJob(job: TrainingJobObject): void;
}

/** A process of the operator, as histories see it. */
export interface OperatorProcess {
  readonly caches: Caches;
  /** Whether its queue would hand out the job's key now. */
  readonly isDue: boolean;
  /** When the key comes back by itself, if nothing happens; of the monotonic clock. */
  readonly nextTimer?: number;
  /** One turn of the queue. Answers (or promises) false, or throws a Crash, when the process died in it. */
  reconcile(): void | Promise<boolean>;
}
