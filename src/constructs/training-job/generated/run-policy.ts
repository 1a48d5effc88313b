// Generated from the tables of src/model/training-job: run `npm run props` after a change there.
import type { Duration } from 'cdk8s';

/** When a replica that has ended is started again. */
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

/** Waiting time before a restart, doubled for each further one. */
export interface RestartBackoff {
  /** Before the first restart. @default Duration.seconds(10) */
  readonly initial?: Duration;
  /** Longest waiting time. @default Duration.minutes(6) */
  readonly max?: Duration;
  /** Healthy time after which the next failure has the first waiting time again. @default Duration.minutes(10) */
  readonly resetAfter?: Duration;
}

/** Exit codes with a meaning of their own, whatever the restart policy says. A code is in one list only. */
export interface ExitCodes {
  /** Always restarted and never counted. @default - none */
  readonly recover?: number[];
  /** Restarted and counted. @default - none */
  readonly retry?: number[];
  /** Never restarted. @default - none */
  readonly fail?: number[];
}

/** What happens to a pod that cannot be confirmed to have ended, because its node does not answer. */
export enum StuckPodPolicy {
  /** It is force-deleted after a while, so that its successor can start. A node that is only disconnected may still run its process. */
  FORCE_DELETE = 'ForceDelete',
  /** It is left to the node, to Kubernetes or to an administrator, and the job waits. */
  WAIT = 'Wait',
}

/** What happens to pods on nodes that die. Needs an operator that watches all namespaces. */
export interface NodeLoss {
  /**
   * How long a node may be not ready before the pods on it count as lost. A node that is gone counts at once.
   * @default Duration.seconds(30)
   */
  readonly grace?: Duration;

  /**
   * How long a node may go without renewing its Lease, which it does every 10 seconds, before the pods on it count as lost. Leases are checked while
   * a failure of another pod of the job may be caused by the node, and while a pod that is being terminated does not stop.
   * @default Duration.seconds(20)
   */
  readonly leaseGrace?: Duration;

  /** What happens to a pod that hangs on a lost node. @default StuckPodPolicy.FORCE_DELETE */
  readonly stuckPods?: StuckPodPolicy;

  /**
   * Time after the pod's own grace period before it is force-deleted, if the node is not ready and has no readable Lease.
   * @default Duration.seconds(30)
   */
  readonly forceDeleteAfter?: Duration;
}

/** When new pods avoid a node on which the job failed. */
export interface NodeAvoidance {
  /** Counted failures on one node after which new pods avoid it. 0 avoids none. @default 2 */
  readonly afterFailures?: number;
  /** Time after its last failure for which a node is avoided. @default Duration.hours(1) */
  readonly avoidFor?: Duration;
}

/** Which pods are deleted when the job has ended. */
export enum CleanPodPolicy {
  /** None: all pods stay until the job is deleted. */
  NONE = 'None',
  /** Those that still run or wait. */
  RUNNING = 'Running',
  /** All of them, with their logs. */
  ALL = 'All',
}

/** What makes a job succeed. */
export enum SuccessPolicy {
  /** The coordinator (rank 0, or the launcher) has succeeded. */
  COORDINATOR = 'Coordinator',
  /** All replicas with a rank have succeeded. */
  ALL_WORKERS = 'AllWorkers',
  /** Every replica of every role has succeeded. */
  ALL_REPLICAS = 'AllReplicas',
  /** Any replica with a rank has succeeded. */
  ANY_WORKER = 'AnyWorker',
}

/** What happens when a job stalls. */
export enum StallAction {
  /** All replicas start again; counted like a failure. */
  RESTART = 'Restart',
  /** The job fails. */
  FAIL = 'Fail',
}

/** When the job counts as stalled, and what happens then. Progress is what the script reports. */
export interface StallPolicy {
  /** Time without progress while all replicas run. */
  readonly timeout: Duration;
  /** What happens then. @default StallAction.RESTART */
  readonly action?: StallAction;
}

/** Restarts, deadlines and clean-up. */
export interface RunPolicy {
  /** For every role that names none: when a replica that has ended is started again. @default RestartPolicy.NEVER */
  readonly restartPolicy?: RestartPolicy;

  /**
   * How many counted failures are followed by a restart before the job fails. Lost nodes and evictions are not counted.
   * @default 6
   */
  readonly backoffLimit?: number;

  /** Waiting time before a restart, doubled for each further one. @default - 10 seconds, doubled up to 6 minutes */
  readonly backoff?: RestartBackoff;

  /**
   * Exit codes with a meaning of their own, whatever the restart policy says. A code is in one list only.
   * @default - none
   */
  readonly exitCodes?: ExitCodes;

  /**
   * Whether the kubelet starts a failed container again in its pod. Possible for independent replicas that are restarted on failure, without exit
   * codes and backoff of their own; true is refused elsewhere.
   * @default - true where it is possible and the job has no checkpoints, because a restarted container would not resume from the newest one
   */
  readonly restartInPlace?: boolean;

  /**
   * How long a pod may fail to start for its image, command or configuration before the job fails.
   * @default Duration.minutes(5)
   */
  readonly startTimeout?: Duration;

  /**
   * What happens to pods on nodes that die. Needs an operator that watches all namespaces.
   * @default - lost after 20 seconds without a renewed Lease, or 30 seconds of not being ready; then force-deleted
   */
  readonly nodeLoss?: NodeLoss;

  /** When new pods avoid a node on which the job failed. @default - after two counted failures, for an hour */
  readonly nodeAvoidance?: NodeAvoidance;

  /** Maximum number of disruptions (evictions, preemptions, lost nodes) before the job fails. @default - unlimited */
  readonly disruptionLimit?: number;

  /**
   * Time within which all replicas have to run for the first time, from the creation of the job or from when it was resumed. A job that still waits
   * for them then, in a queue or for nodes, fails with PreRunningDeadlineExceeded.
   * @default - never
   */
  readonly preRunningDeadline?: Duration;

  /** Time after its start at which a running job fails with DeadlineExceeded. @default - never */
  readonly activeDeadline?: Duration;

  /** Time after its end at which the job and everything that it owns are deleted. @default - never */
  readonly ttlAfterFinished?: Duration;

  /** Which pods are deleted when the job has ended. @default CleanPodPolicy.RUNNING */
  readonly cleanPodPolicy?: CleanPodPolicy;

  /** What makes the job succeed. @default - the framework's, see docs/jobs/frameworks.md */
  readonly successPolicy?: SuccessPolicy;

  /** When the job counts as stalled, and what happens then. Progress is what the script reports. @default - never */
  readonly stall?: StallPolicy;
}
