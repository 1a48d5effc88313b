import type { Duration } from 'cdk8s';

/**
 * What goes when a RayJob has ended.
 */
export enum RayDeletionPolicy {
  /** The workers; head and logs stay. Not with an autoscaler. */
  WORKERS = 'DeleteWorkers',

  /** The cluster. */
  CLUSTER = 'DeleteCluster',

  /** The RayJob, and with it everything. */
  JOB = 'DeleteSelf',

  /** Nothing. */
  NONE = 'DeleteNone',
}

/**
 * How a RayJob can end.
 */
export enum RayJobEnd {
  /** The program succeeded. */
  SUCCEEDED = 'SUCCEEDED',

  /** The program failed. */
  FAILED = 'FAILED',

  /** KubeRay has given the job up, whether or not the program ever ran: a deadline, a cluster that did not come. */
  GIVEN_UP = 'DeploymentFailed',
}

/**
 * One rule of what goes, at which end, and when.
 */
export interface RayDeletionRule {
  /**
   * What goes.
   */
  readonly policy: RayDeletionPolicy;

  /**
   * At which end.
   */
  readonly end: RayJobEnd;

  /**
   * How long after it.
   *
   * @default - at once
   */
  readonly after?: Duration;
}
