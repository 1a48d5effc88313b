/** Schema of `spec.runPolicy`. Its defaults are the API server's to fill in, so that a later operator's other defaults change no old job. */
import { runPolicyImmutabilityRules, withFixedRunPolicyFields } from './immutability-rules';
import { boolean, integer, list, object, word, type JsonSchema, type ValidationRule } from './json-schema';
import { NODE_POLICY_DEFAULTS, type NodeAvoidanceSpec, type NodeLossSpec, STUCK_POD_POLICIES } from '../node-policy';
import {
  type BackoffSpec, CLEAN_POD_POLICIES, type ExitCodesSpec, RESTART_POLICIES, RUN_POLICY_DEFAULTS, type RunPolicySpec, type StallSpec,
  SUCCESS_POLICIES,
} from '../run-policy';

/** Most seconds that a field may say: 68 years. */
const MAX_SECONDS = 2 ** 31 - 1;

/** Schema of restartPolicy, of the run policy and of a role. */
export function restartPolicySchema(description: string, defaultPolicy?: string): JsonSchema {
  return word(description, RESTART_POLICIES, { ...(defaultPolicy !== undefined && { default: defaultPolicy }) });
}

/** Schema of RunPolicySpec. */
export function runPolicySchema(): JsonSchema {
  const { backoff } = RUN_POLICY_DEFAULTS;
  return object<RunPolicySpec>('Restarts, deadlines and clean-up.', withFixedRunPolicyFields({
    restartPolicy: restartPolicySchema(
      'When a replica that ended is started again. ExitCode: exit codes 1 to 127 are final, from 128 on (signals) it is restarted.',
      RUN_POLICY_DEFAULTS.restartPolicy,
    ),
    backoffLimit: integer('How many counted failures are followed by a restart before the job fails. Disruptions are not counted.', {
      minimum: 0, maximum: MAX_SECONDS, default: RUN_POLICY_DEFAULTS.backoffLimit,
    }),
    backoff: object<BackoffSpec>('Waiting time between restarts: initialSeconds, doubled for each restart, at most maxSeconds.', {
      initialSeconds: integer('Seconds before the first restart.', { minimum: 0, maximum: MAX_SECONDS, default: backoff.initialSeconds }),
      maxSeconds: integer('Maximum seconds before a restart.', { minimum: 0, maximum: MAX_SECONDS, default: backoff.maxSeconds }),
      resetAfterSeconds: integer('Healthy seconds after which the next failure waits initialSeconds again.', {
        minimum: 0, maximum: MAX_SECONDS, default: backoff.resetAfterSeconds,
      }),
    }, {
      // Written out: the API server checks the rule on the default itself, before it fills in defaults below.
      default: backoff,
      rules: [{
        rule: 'self.maxSeconds >= self.initialSeconds',
        message: 'must be at least initialSeconds. Raise it or lower initialSeconds',
        fieldPath: '.maxSeconds',
      }],
    }),
    exitCodes: object<ExitCodesSpec>('Exit codes that override the restart policy. A code is in one list only.', {
      recover: exitCodes('Always restarted and never counted.'),
      retry: exitCodes('Restarted and counted, whatever the restart policy says.'),
      fail: exitCodes('Never restarted.'),
    }, { rules: [disjoint('recover', 'retry'), disjoint('recover', 'fail'), disjoint('retry', 'fail')] }),
    restartInPlace: boolean('Whether the kubelet starts a failed container again in its pod. By default where it is possible and the job has no checkpointPath.'),
    startTimeoutSeconds: integer('Seconds that a pod may fail to start for its image, command or configuration before the job fails.', {
      minimum: 1, maximum: MAX_SECONDS, default: RUN_POLICY_DEFAULTS.startTimeoutSeconds,
    }),
    nodeLoss: nodeLossSchema(),
    nodeAvoidance: nodeAvoidanceSchema(),
    disruptionLimit: integer('Maximum number of disruptions (evictions, lost nodes) before the job fails. Unlimited by default.', { minimum: 0, maximum: MAX_SECONDS }),
    activeDeadlineSeconds: integer('Seconds after its start at which a running job fails with DeadlineExceeded. Never by default.', {
      minimum: 1, maximum: MAX_SECONDS,
    }),
    ttlSecondsAfterFinished: integer('Seconds after its end at which the job and everything that it owns are deleted. Never by default.', {
      minimum: 0, maximum: MAX_SECONDS,
    }),
    cleanPodPolicy: word('Which pods are deleted when the job is finished: none, running and pending ones, or all.', CLEAN_POD_POLICIES, {
      default: RUN_POLICY_DEFAULTS.cleanPodPolicy,
    }),
    successPolicy: word('What makes the job succeed: its coordinator alone, all replicas with a rank, or every replica. The framework\'s by default.',
      SUCCESS_POLICIES),
    stall: object<StallSpec>('What counts as a stall, and what happens then.', {
      timeoutSeconds: integer('Seconds without progress after which the job counts as stalled.', { minimum: 1, maximum: MAX_SECONDS }),
      action: word('What follows.', ['Restart', 'Fail'], { default: 'Restart' }),
    }, { required: ['timeoutSeconds'] }),
  }), { default: {}, rules: runPolicyImmutabilityRules() });
}

function nodeLossSchema(): JsonSchema {
  const defaults = NODE_POLICY_DEFAULTS.nodeLoss;
  return object<NodeLossSpec>('What happens to pods on nodes that die.', {
    graceSeconds: integer('Seconds that a node may be not ready before the pods on it count as lost.', {
      minimum: 0, maximum: MAX_SECONDS, default: defaults.graceSeconds,
    }),
    leaseGraceSeconds: integer('Seconds that a node may go without renewing its Lease before the pods on it count as lost, if Leases are checked.', {
      minimum: 1, maximum: MAX_SECONDS, default: defaults.leaseGraceSeconds,
    }),
    stuckPods: word('Whether a pod that hangs on a lost node is force-deleted or waited for.', STUCK_POD_POLICIES, { default: defaults.stuckPods }),
    forceDeleteAfterSeconds: integer('Seconds after the pod\'s grace period before it is force-deleted, if the node has no readable Lease.', {
      minimum: 0, maximum: MAX_SECONDS, default: defaults.forceDeleteAfterSeconds,
    }),
  }, { default: defaults });
}

function nodeAvoidanceSchema(): JsonSchema {
  const defaults = NODE_POLICY_DEFAULTS.nodeAvoidance;
  return object<NodeAvoidanceSpec>('When new pods avoid a node on which the job failed.', {
    afterFailures: integer('Counted failures on one node after which new pods avoid it. 0 avoids none.', {
      minimum: 0, maximum: MAX_SECONDS, default: defaults.afterFailures,
    }),
    forSeconds: integer('Seconds after its last failure for which a node is avoided.', { minimum: 1, maximum: MAX_SECONDS, default: defaults.forSeconds }),
  }, { default: defaults });
}

function exitCodes(description: string): JsonSchema {
  return list(description, integer('An exit code; 0 is success.', { minimum: 1, maximum: 255 }), 255, { 'x-kubernetes-list-type': 'set' });
}

function disjoint(a: string, b: string): ValidationRule {
  return {
    rule: `!has(self.${a}) || !has(self.${b}) || self.${b}.all(code, !(code in self.${a}))`,
    message: `contains a code that is also in ${a}; a code has one meaning. Remove it from one list`,
    fieldPath: `.${b}`,
  };
}
