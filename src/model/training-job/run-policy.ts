/** Restarts, deadlines and clean-up: the wire types and their defaults. */
import { NODE_POLICY_DEFAULTS, type NodeAvoidanceSpec, type NodeLossSpec, resolveNodePolicy } from './node-policy';

/**
 * When a failed replica is started again by the operator. `ExitCode`: exit codes 1 to 127 are permanent, from 128 on (signals) they
 * are retried, as in training-operator v1.
 */
export type RestartPolicy = 'Never' | 'OnFailure' | 'Always' | 'ExitCode';

/** All values of {@link RestartPolicy}. */
export const RESTART_POLICIES: readonly RestartPolicy[] = ['Never', 'OnFailure', 'Always', 'ExitCode'];

/** Which pods are deleted when the job is finished: none, those that still run or wait, or all. */
export type CleanPodPolicy = 'None' | 'Running' | 'All';

/** All values of {@link CleanPodPolicy}. */
export const CLEAN_POD_POLICIES: readonly CleanPodPolicy[] = ['None', 'Running', 'All'];

/**
 * What makes a job succeed: its coordinator (rank 0) alone, all replicas that have a rank, every replica of every role, or any one replica that
 * has a rank.
 */
export type SuccessPolicy = 'Coordinator' | 'AllWorkers' | 'AllReplicas' | 'AnyWorker';

/** All values of {@link SuccessPolicy}. */
export const SUCCESS_POLICIES: readonly SuccessPolicy[] = ['Coordinator', 'AllWorkers', 'AllReplicas', 'AnyWorker'];

/** `spec.runPolicy`. */
export interface RunPolicySpec {
  /** For every role that names none. @default Never */
  readonly restartPolicy?: RestartPolicy;

  /** How many counted failures are followed by a restart before the job fails. Disruptions are not counted. @default 6 */
  readonly backoffLimit?: number;

  /** Waiting time between restarts. */
  readonly backoff?: BackoffSpec;

  /** Exit codes that overrule the restart policy. */
  readonly exitCodes?: ExitCodesSpec;

  /**
   * Whether the kubelet starts a failed container again in its pod, where framework and policy allow it (`restart-in-place.ts`). True is refused
   * where they do not.
   * @default - true where it is possible, but not with `checkpointPath`: the container would get an old RESUME_FROM
   */
  readonly restartInPlace?: boolean;

  /** Seconds that a pod may fail to start for its image, command or configuration before the job fails. @default 300 */
  readonly startTimeoutSeconds?: number;

  /** What happens to pods on nodes that die. */
  readonly nodeLoss?: NodeLossSpec;

  /** When new pods avoid a node on which the job failed. */
  readonly nodeAvoidance?: NodeAvoidanceSpec;

  /** Most disruptions (evictions, lost nodes) before the job fails. @default - unlimited */
  readonly disruptionLimit?: number;

  /** Seconds after its start at which a running job fails with `DeadlineExceeded`. @default - never */
  readonly activeDeadlineSeconds?: number;

  /** Seconds after its end at which the job is deleted with all that it owns. @default - never */
  readonly ttlSecondsAfterFinished?: number;

  /** @default Running */
  readonly cleanPodPolicy?: CleanPodPolicy;

  /** @default - the framework's: see docs/training-job.md */
  readonly successPolicy?: SuccessPolicy;

  /** Seconds without progress after which a job counts as stalled. @default - never */
  readonly stall?: StallSpec;
}

/** Exponential waiting time: `initialSeconds`, doubled for each restart, at most `maxSeconds`. */
export interface BackoffSpec {
  /** @default 10 */
  readonly initialSeconds?: number;
  /** @default 360 */
  readonly maxSeconds?: number;
  /** Healthy seconds after which the next failure waits `initialSeconds` again. @default 600 */
  readonly resetAfterSeconds?: number;
}

/** Exit codes with a meaning of their own. A code stands in one list only. */
export interface ExitCodesSpec {
  /** Always restarted and never counted. */
  readonly recover?: readonly number[];
  /** Restarted and counted, whatever the restart policy says. */
  readonly retry?: readonly number[];
  /** Never restarted. */
  readonly fail?: readonly number[];
}

/** What counts as a stall, and what follows. */
export interface StallSpec {
  readonly timeoutSeconds: number;
  /** @default Restart */
  readonly action?: 'Restart' | 'Fail';
}

/** The run policy with its defaults, where a default does not depend on the framework. */
export interface ResolvedRunPolicy extends RunPolicySpec {
  readonly restartPolicy: RestartPolicy;
  readonly backoffLimit: number;
  readonly backoff: Required<BackoffSpec>;
  readonly startTimeoutSeconds: number;
  readonly nodeLoss: Required<NodeLossSpec>;
  readonly nodeAvoidance: Required<NodeAvoidanceSpec>;
  readonly cleanPodPolicy: CleanPodPolicy;
}

/** Defaults of the run policy, also written into the CRD's schema and the docs. */
export const RUN_POLICY_DEFAULTS = {
  restartPolicy: 'Never',
  backoffLimit: 6,
  backoff: { initialSeconds: 10, maxSeconds: 360, resetAfterSeconds: 600 },
  startTimeoutSeconds: 300,
  ...NODE_POLICY_DEFAULTS,
  cleanPodPolicy: 'Running',
} as const;

/** Fills the defaults in. */
export function resolveRunPolicy(spec: RunPolicySpec = {}): ResolvedRunPolicy {
  // No `...spec`: V8 sets fields one by one behind a spread, which takes it twenty times as long, in the check of every job.
  return Object.assign({}, spec, {
    restartPolicy: spec.restartPolicy ?? RUN_POLICY_DEFAULTS.restartPolicy,
    backoffLimit: spec.backoffLimit ?? RUN_POLICY_DEFAULTS.backoffLimit,
    backoff: {
      initialSeconds: spec.backoff?.initialSeconds ?? RUN_POLICY_DEFAULTS.backoff.initialSeconds,
      maxSeconds: spec.backoff?.maxSeconds ?? RUN_POLICY_DEFAULTS.backoff.maxSeconds,
      resetAfterSeconds: spec.backoff?.resetAfterSeconds ?? RUN_POLICY_DEFAULTS.backoff.resetAfterSeconds,
    },
    startTimeoutSeconds: spec.startTimeoutSeconds ?? RUN_POLICY_DEFAULTS.startTimeoutSeconds,
    cleanPodPolicy: spec.cleanPodPolicy ?? RUN_POLICY_DEFAULTS.cleanPodPolicy,
  }, resolveNodePolicy(spec));
}
