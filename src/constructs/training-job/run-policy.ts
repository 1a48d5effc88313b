import type { Duration } from 'cdk8s';

/**
 * When a replica that has ended is started again.
 */
export enum RestartPolicy {
  /** Never: a failed replica fails the job. */
  NEVER = 'Never',

  /** After a failure. */
  ON_FAILURE = 'OnFailure',

  /** After a failure and after a success: for parameter servers and other roles that do not decide how the job ends. */
  ALWAYS = 'Always',

  /** After an exit code from 128 on, which is a signal; 1 to 127 are permanent errors. */
  EXIT_CODE = 'ExitCode',
}

/**
 * Which pods are deleted when the job has ended.
 */
export enum CleanPodPolicy {
  /** None: all pods stay until the job is deleted. */
  NONE = 'None',

  /** Those that still run or wait. */
  RUNNING = 'Running',

  /** All of them, with their logs. */
  ALL = 'All',
}

/**
 * What makes a job succeed.
 */
export enum SuccessPolicy {
  /** The coordinator (rank 0, or the launcher) has succeeded. */
  COORDINATOR = 'Coordinator',

  /** All replicas with a rank have succeeded. */
  ALL_WORKERS = 'AllWorkers',

  /** Every replica of every role has succeeded. */
  ALL_REPLICAS = 'AllReplicas',
}

/**
 * Waiting time before a restart: `initial`, doubled for each further one, at most `max`.
 */
export interface RestartBackoff {
  /**
   * Before the first restart.
   *
   * @default Duration.seconds(10)
   */
  readonly initial?: Duration;

  /**
   * Longest waiting time.
   *
   * @default Duration.minutes(6)
   */
  readonly max?: Duration;

  /**
   * Healthy time after which the next failure waits `initial` again.
   *
   * @default Duration.minutes(10)
   */
  readonly resetAfter?: Duration;
}

/**
 * Exit codes with a meaning of their own, whatever the restart policy says. A code stands in one list only.
 */
export interface ExitCodes {
  /**
   * Always restarted and never counted.
   *
   * @default - none
   */
  readonly recover?: number[];

  /**
   * Restarted and counted.
   *
   * @default - none
   */
  readonly retry?: number[];

  /**
   * Never restarted.
   *
   * @default - none
   */
  readonly fail?: number[];
}

/**
 * Restarts, deadlines and clean-up.
 */
export interface RunPolicy {
  /**
   * For every role that names none.
   *
   * @default RestartPolicy.NEVER
   */
  readonly restartPolicy?: RestartPolicy;

  /**
   * How many counted failures are followed by a restart before the job fails. Lost nodes and evictions are not counted.
   *
   * @default 6
   */
  readonly backoffLimit?: number;

  /**
   * Waiting time between restarts.
   *
   * @default - 10 seconds, doubled up to 6 minutes
   */
  readonly backoff?: RestartBackoff;

  /**
   * Exit codes that overrule the restart policy.
   *
   * @default - none
   */
  readonly exitCodes?: ExitCodes;

  /**
   * Most disruptions (evictions, preemptions, lost nodes) before the job fails.
   *
   * @default - unlimited
   */
  readonly disruptionLimit?: number;

  /**
   * Time after its start at which a running job fails.
   *
   * @default - never
   */
  readonly activeDeadline?: Duration;

  /**
   * Time after its end at which the job is deleted with all that it owns.
   *
   * @default - never
   */
  readonly ttlAfterFinished?: Duration;

  /**
   * Which pods are deleted when the job has ended.
   *
   * @default CleanPodPolicy.RUNNING
   */
  readonly cleanPodPolicy?: CleanPodPolicy;

  /**
   * What makes the job succeed.
   *
   * @default - the framework's, see docs/frameworks.md
   */
  readonly successPolicy?: SuccessPolicy;
}
