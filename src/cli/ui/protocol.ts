/** Messages between the pages and their server, as JSON. */
import type { StatusReport } from '../jobs/status/report';
import type { JobRow } from '../jobs/job-row';

/** The first message to a page. */
export interface UiSession {
  /** Address of the API server. */
  readonly cluster: string;
  /** Where the address was read from. */
  readonly origin: string;
  /** Initial namespace. */
  readonly namespace: string;
  /** Whether jobs can be changed from the page. */
  readonly canChange: boolean;
  /** How an administrator allows changes of jobs. */
  readonly howToChange: string;
  /** The user who is signed in. @default - there is only one user */
  readonly user?: string;
  /** Whether the user can sign out. @default false */
  readonly canSignOut?: boolean;
  /**
   * Origins of pages that may show these in a frame, and send them the selected namespace; `'self'` is the server's own.
   * @default - none
   */
  readonly frameAncestors?: readonly string[];
  readonly version: string;
  /** Whether deleted jobs are recorded. @default false */
  readonly hasHistory?: boolean;
}

/** Jobs and services. */
export interface UiJobs {
  readonly rows: readonly JobRow[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** A job or service. */
export interface UiJob {
  readonly report: StatusReport;
  /** Its object, without secrets and managed fields. */
  readonly yaml: string;
  /** Whether the kind can be suspended, and the user has permission. */
  readonly canSuspend: boolean;
  readonly canRerun: boolean;
  readonly canDelete: boolean;
}

/** Quota of a flavor for a resource, and its use. Amounts such as `8` or `64Gi`. */
export interface UiQuota {
  readonly flavor: string;
  readonly resource: string;
  readonly nominal: string;
  readonly used: string;
  /** Used quota of other queues of the cohort. @default - none */
  readonly borrowed?: string;
  /** @default - all unused quota of the cohort; none without a cohort */
  readonly borrowingLimit?: string;
  /** Used part of the nominal quota, 0 and more. */
  readonly percentage: number;
}

/** A ClusterQueue, or a LocalQueue, which has no quota. */
export interface UiQueue {
  readonly name: string;
  readonly namespace?: string;
  /** ClusterQueue of a LocalQueue, cohort of a ClusterQueue. */
  readonly parent?: string;
  readonly waiting: number;
  readonly admitted: number;
  /** Why it admits no workloads. @default - it does */
  readonly problem?: string;
  readonly quotas: readonly UiQuota[];
}

/** A waiting workload. */
export interface UiWaiting {
  readonly namespace: string;
  /** The job, as `MLTrainingJob digits`. */
  readonly job: string;
  readonly queue: string;
  readonly since?: string;
  readonly why: string;
}

/** Queues, and their waiting workloads. */
export interface UiQueues {
  readonly clusterQueues: readonly UiQueue[];
  readonly localQueues: readonly UiQueue[];
  /** The oldest first. */
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

/** An action that a page requests. */
export interface UiAction {
  readonly action: 'suspend' | 'resume' | 'rerun' | 'delete';
  /** `mltrainingjobs.ml.collabnix.io/digits`. */
  readonly job: string;
  readonly namespace: string;
  /** Uid of a job of the history, only for `rerun`. @default - the job exists */
  readonly run?: string;
}

/** The result, or an error. */
export interface UiAnswer {
  readonly message: string;
  /** Whether the user must sign in with a token. @default false */
  readonly signIn?: boolean;
}

/** Signs the user in, or out if the token is empty. */
export interface UiSignIn {
  /** Bearer token of the Kubernetes API. */
  readonly token: string;
}

/** Path for a {@link UiSignIn}. */
export const SIGN_IN_PLACE = '/api/sign-in';

/** Header of requests that change something. Other sites cannot send it. */
export const ACTION_HEADER = 'x-trainyard-action';
