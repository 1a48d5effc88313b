import type { Duration } from 'cdk8s';

/**
 * What follows when a job stalls.
 */
export enum StallAction {
  /** All replicas start again; counted like a failure. */
  RESTART = 'Restart',

  /** The job fails. */
  FAIL = 'Fail',
}

/**
 * When a job counts as stalled. Progress is what the script reports, see docs/hung-and-sick-jobs.md.
 */
export interface StallPolicy {
  /** Time without progress while all replicas run. */
  readonly timeout: Duration;

  /**
   * What follows.
   *
   * @default StallAction.RESTART
   */
  readonly action?: StallAction;
}

/**
 * Checks before training: devices of each node, and an all-reduce between nodes.
 */
export interface Preflight {
  /**
   * Image that the checks run on; it needs `python3`.
   *
   * @default - the training image
   */
  readonly image?: string;

  /**
   * How long the checks may take once those of all replicas have begun.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration;
}

/**
 * What happens to a job that leaves its accelerators unused.
 */
export enum IdleAction {
  /** The condition `Idle` and an event. */
  WARN = 'Warn',

  /** The job is suspended until its spec or its annotation `ml.collabnix.io/resume` changes. */
  SUSPEND = 'Suspend',
}

/**
 * When a job counts as idle.
 */
export interface IdlePolicy {
  /** Use in percent below which accelerators are idle, 0 to 100. */
  readonly belowPercent: number;

  /** How long that has to last. */
  readonly duration: Duration;

  /**
   * What happens then.
   *
   * @default IdleAction.WARN
   */
  readonly action?: IdleAction;
}
