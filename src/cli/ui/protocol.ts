/** What the pages and their server tell each other, as JSON. */
import type { StatusReport } from '../jobs/commands/status';
import type { JobRow } from '../jobs/job-row';

/** What a page gets first. */
export interface UiSession {
  /** Address of the API server. */
  readonly cluster: string;
  /** Where that was read from. */
  readonly origin: string;
  /** Namespace that is shown first. */
  readonly namespace: string;
  /** Whether jobs can be changed from the page. */
  readonly canChange: boolean;
  /** How an administrator allows changes of jobs. */
  readonly howToChange: string;
  /** Who is signed in. @default - the pages are of one person */
  readonly user?: string;
  /** Whether that user can sign out here. @default false */
  readonly canSignOut?: boolean;
  /**
   * Origins of pages that may show these in a frame, and tell them the namespace that was chosen there; `'self'` is the server's own.
   * @default - none
   */
  readonly frameAncestors?: readonly string[];
  readonly version: string;
  /** Whether jobs that are gone can be looked at. @default false */
  readonly hasHistory?: boolean;
}

/** Jobs and services. */
export interface UiJobs {
  readonly rows: readonly JobRow[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** One of them. */
export interface UiJob {
  readonly report: StatusReport;
  /** Its object, without secrets and without what only machines read. */
  readonly yaml: string;
  /** Whether the kind can be suspended, and the user may. */
  readonly canSuspend: boolean;
  readonly canRerun: boolean;
  readonly canDelete: boolean;
}

/** What a flavor has of a resource, and what of it is taken. Amounts are as people write them: `8`, `64Gi`. */
export interface UiQuota {
  readonly flavor: string;
  readonly resource: string;
  readonly nominal: string;
  readonly used: string;
  /** Of what is used, what belongs to other queues of the cohort. @default - nothing */
  readonly borrowed?: string;
  /** What can be borrowed. @default - whatever others leave; nothing without a cohort */
  readonly borrowingLimit?: string;
  /** Part of the nominal quota that is used, 0 and more. */
  readonly percentage: number;
}

/** A ClusterQueue, or a LocalQueue, which has no quota of its own. */
export interface UiQueue {
  readonly name: string;
  readonly namespace?: string;
  /** ClusterQueue of a LocalQueue, cohort of a ClusterQueue. */
  readonly parent?: string;
  readonly waiting: number;
  readonly admitted: number;
  /** Why it admits nothing. @default - it does */
  readonly problem?: string;
  readonly quotas: readonly UiQuota[];
}

/** A workload that waits. */
export interface UiWaiting {
  readonly namespace: string;
  /** The job, as `MLTrainingJob digits`. */
  readonly job: string;
  readonly queue: string;
  readonly since?: string;
  readonly why: string;
}

/** Queues, and what waits in them. */
export interface UiQueues {
  readonly clusterQueues: readonly UiQueue[];
  readonly localQueues: readonly UiQueue[];
  /** Who has waited longest comes first. */
  readonly waiting: readonly UiWaiting[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** A line of a log. */
export interface UiLogLine {
  readonly time: string;
  readonly replica: string;
  readonly rank?: number;
  readonly text: string;
}

/** What a page asks to be done. */
export interface UiAction {
  readonly action: 'suspend' | 'resume' | 'rerun' | 'delete';
  /** `mltrainingjobs.ml.collabnix.io/digits`. */
  readonly job: string;
  readonly namespace: string;
  /** Uid of a job of the history, which only `rerun` takes. @default - the job exists */
  readonly run?: string;
}

/** What was done, or why not. */
export interface UiAnswer {
  readonly message: string;
  /** That the user has to sign in with a token. @default false */
  readonly signIn?: boolean;
}

/** How a user signs in, and out with a token that is empty. */
export interface UiSignIn {
  /** Bearer token of the Kubernetes API. */
  readonly token: string;
}

/** Place of that. */
export const SIGN_IN_PLACE = '/api/sign-in';

/** Header that a page puts on what changes something: no other site can. */
export const ACTION_HEADER = 'x-trainyard-action';
