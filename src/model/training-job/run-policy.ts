/**
 * Restarts, deadlines, clean-up, and what a job does about nodes that die or on which it keeps failing.
 *
 * What exit codes say: a code above 128 is a signal's.
 */
import * as field from './schema/field';

/** When a failed replica is started again by the operator. */
export const RESTART_POLICY = field.words('RestartPolicy', 'When a replica that has ended is started again.', {
  Never: 'Never: a failed replica fails the job.',
  OnFailure: 'After a failure.',
  Always: 'After a failure and after a success: for parameter servers and other roles that do not decide how the job ends.',
  ExitCode: 'After an exit code from 128 on, which is a signal; 1 to 127 are permanent errors.',
});

export type RestartPolicy = (typeof RESTART_POLICY.list)[number];

const CLEAN_POD_POLICY = field.words('CleanPodPolicy', 'Which pods are deleted when the job has ended.', {
  None: 'None: all pods stay until the job is deleted.',
  Running: 'Those that still run or wait.',
  All: 'All of them, with their logs.',
});

export type CleanPodPolicy = (typeof CLEAN_POD_POLICY.list)[number];

const SUCCESS_POLICY = field.words('SuccessPolicy', 'What makes a job succeed.', {
  Coordinator: 'The coordinator (rank 0, or the launcher) has succeeded.',
  AllWorkers: 'All replicas with a rank have succeeded.',
  AllReplicas: 'Every replica of every role has succeeded.',
  AnyWorker: 'Any replica with a rank has succeeded.',
});

export type SuccessPolicy = (typeof SUCCESS_POLICY.list)[number];

const STUCK_POD_POLICY = field.words('StuckPodPolicy', 'What happens to a pod that cannot be confirmed to have ended, because its node does not answer.', {
  ForceDelete: 'It is force-deleted after a while, so that its successor can start. A node that is only disconnected may still run its process.',
  Wait: 'It is left to the node, to Kubernetes or to an administrator, and the job waits.',
});

/** All values of the enumerations. */
export const RESTART_POLICIES = RESTART_POLICY.list;
export const CLEAN_POD_POLICIES = CLEAN_POD_POLICY.list;
export const SUCCESS_POLICIES = SUCCESS_POLICY.list;
export const STUCK_POD_POLICIES = STUCK_POD_POLICY.list;

const BACKOFF = field.block('the backoff', 'Waiting time before a restart, doubled for each further one.', {
  initialSeconds: field.seconds('Before the first restart.', { default: 10 }),
  maxSeconds: field.seconds('Longest waiting time.', { default: 360 }),
  resetAfterSeconds: field.seconds('Healthy time after which the next failure has the first waiting time again.', { default: 600 }),
}, {
  struct: 'RestartBackoff',
  fixed: true,
  otherwise: '10 seconds, doubled up to 6 minutes',
  // Written out: the API server checks the rule on the default itself, before it fills in defaults below.
  default: { initialSeconds: 10, maxSeconds: 360, resetAfterSeconds: 600 },
  rules: [{
    rule: 'self.maxSeconds >= self.initialSeconds',
    message: 'must be at least initialSeconds. Raise it or lower initialSeconds',
    fieldPath: '.maxSeconds',
  }],
});

const exitCodes = (sentence: string) => field.list(sentence, field.integer('An exit code; 0 is success.', {
  minimum: 1, maximum: 255, says: 'must be an exit code from 1 to 255; 0 is success.',
}), { maxItems: 255, set: true, otherwise: 'none' });

const disjoint = (a: string, b: string) => ({
  rule: `!has(self.${a}) || !has(self.${b}) || self.${b}.all(code, !(code in self.${a}))`,
  message: `contains a code that is also in ${a}; a code has one meaning. Remove it from one list`,
  fieldPath: `.${b}`,
});

const EXIT_CODES = field.block('exitCodes', 'Exit codes with a meaning of their own, whatever the restart policy says. A code is in one list only.', {
  recover: exitCodes('Always restarted and never counted.'),
  retry: exitCodes('Restarted and counted.'),
  fail: exitCodes('Never restarted.'),
}, { struct: 'ExitCodes', fixed: true, otherwise: 'none', rules: [disjoint('recover', 'retry'), disjoint('recover', 'fail'), disjoint('retry', 'fail')] });

const NODE_LOSS = field.block('nodeLoss', 'What happens to pods on nodes that die. Needs an operator that watches all namespaces.', {
  graceSeconds: field.seconds('How long a node may be not ready before the pods on it count as lost. A node that is gone counts at once.', { default: 30 }),
  leaseGraceSeconds: field.seconds('How long a node may go without renewing its Lease, which it does every 10 seconds, before the pods on it count as lost. '
    + 'Leases are checked while a failure of another pod of the job may be caused by the node, and while a pod that is being terminated does not stop.', {
    minimum: 1, default: 20,
  }),
  stuckPods: field.word('What happens to a pod that hangs on a lost node.', STUCK_POD_POLICY, { default: 'ForceDelete' }),
  forceDeleteAfterSeconds: field.seconds('Time after the pod\'s own grace period before it is force-deleted, if the node is not ready and has no readable Lease.', {
    default: 30,
  }),
}, {
  struct: 'NodeLoss',
  otherwise: 'lost after 20 seconds without a renewed Lease, or 30 seconds of not being ready; then force-deleted',
  default: { graceSeconds: 30, leaseGraceSeconds: 20, stuckPods: 'ForceDelete', forceDeleteAfterSeconds: 30 },
});

const NODE_AVOIDANCE = field.block('nodeAvoidance', 'When new pods avoid a node on which the job failed.', {
  afterFailures: field.integer('Counted failures on one node after which new pods avoid it. 0 avoids none.', { default: 2 }),
  forSeconds: field.seconds('Time after its last failure for which a node is avoided.', { minimum: 1, default: 3600, property: 'avoidFor' }),
}, { struct: 'NodeAvoidance', otherwise: 'after two counted failures, for an hour', default: { afterFailures: 2, forSeconds: 3600 } });

const STALL = field.block('the stall policy', 'When the job counts as stalled, and what happens then. Progress is what the script reports.', {
  timeoutSeconds: field.seconds('Time without progress while all replicas run.', { minimum: 1, required: true }),
  action: field.word('What happens then.', field.words('StallAction', 'What happens when a job stalls.', {
    Restart: 'All replicas start again; counted like a failure.',
    Fail: 'The job fails.',
  }), { default: 'Restart' }),
}, { struct: 'StallPolicy', fixed: true, otherwise: 'never' });

/** `spec.runPolicy`. */
export const RUN_POLICY = field.block('the run policy', 'Restarts, deadlines and clean-up.', {
  restartPolicy: field.word('For every role that names none: when a replica that has ended is started again.', RESTART_POLICY, { default: 'Never', fixed: true }),
  backoffLimit: field.integer('How many counted failures are followed by a restart before the job fails. Lost nodes and evictions are not counted.', {
    default: 6, says: 'must be a whole number of restarts, 0 or more.',
  }),
  backoff: BACKOFF,
  exitCodes: EXIT_CODES,
  restartInPlace: field.boolean('Whether the kubelet starts a failed container again in its pod. Possible for independent replicas that are restarted on failure, '
    + 'without exit codes and backoff of their own; true is refused elsewhere.', {
    fixed: true, otherwise: 'true where it is possible and the job has no checkpoints, because a restarted container would not resume from the newest one',
  }),
  startTimeoutSeconds: field.seconds('How long a pod may fail to start for its image, command or configuration before the job fails.', { minimum: 1, default: 300 }),
  nodeLoss: NODE_LOSS,
  nodeAvoidance: NODE_AVOIDANCE,
  disruptionLimit: field.integer('Maximum number of disruptions (evictions, preemptions, lost nodes) before the job fails.', { fixed: true, otherwise: 'unlimited' }),
  preRunningDeadlineSeconds: field.seconds('Time within which all replicas have to run for the first time, from the creation of the job or from when it was resumed. '
    + 'A job that still waits for them then, in a queue or for nodes, fails with PreRunningDeadlineExceeded.', { minimum: 1, otherwise: 'never' }),
  activeDeadlineSeconds: field.seconds('Time after its start at which a running job fails with DeadlineExceeded.', { minimum: 1, otherwise: 'never' }),
  ttlSecondsAfterFinished: field.seconds('Time after its end at which the job and everything that it owns are deleted.', {
    otherwise: 'never', property: 'ttlAfterFinished',
  }),
  cleanPodPolicy: field.word('Which pods are deleted when the job has ended.', CLEAN_POD_POLICY, { default: 'Running' }),
  successPolicy: field.word('What makes the job succeed.', SUCCESS_POLICY, { fixed: true, otherwise: 'the framework\'s, see docs/jobs/frameworks.md' }),
  stall: STALL,
}, { struct: 'RunPolicy', default: {}, at: 'spec.runPolicy' });

/** `spec.runPolicy` and its parts, as users write them. */
export type RunPolicySpec = field.ValueOf<typeof RUN_POLICY>;
export type ExitCodesSpec = field.ValueOf<typeof EXIT_CODES>;

/** The run policy with its defaults, where a default does not depend on the framework. */
export type ResolvedRunPolicy = field.ResolvedOf<typeof RUN_POLICY.fields>;

export const RUN_POLICY_DEFAULTS = field.defaultsOf(RUN_POLICY);

export function resolveRunPolicy(spec: RunPolicySpec = {}): ResolvedRunPolicy {
  return field.resolve(RUN_POLICY, spec);
}

const SIGNALS: { readonly [number: number]: string } = {
  1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE', 9: 'SIGKILL',
  10: 'SIGUSR1', 11: 'SIGSEGV', 12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM',
};

/**
 * Whether the code is one of those from 128 on, which training-operator v1's `ExitCode` policy retries: the program was ended from outside
 * (137 out of memory or killed, 143 asked to stop), or chose such a code to say so.
 */
export function didExitBySignal(exitCode: number): boolean {
  return exitCode >= 128;
}

/** Name of the signal behind an exit code; undefined when there is none. */
export function signalName(exitCode: number | undefined): string | undefined {
  return exitCode === undefined ? undefined : SIGNALS[exitCode - 128];
}
