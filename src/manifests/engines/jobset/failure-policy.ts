/**
 * The failure policy of a JobSet, equivalent to the operator's. Replicas that depend on each other restart together: a child Job fails with its first
 * pod, and the JobSet reads the number of the matching rule in the Job's message. Disruptions and `recover` exit codes are not counted. Independent
 * replicas are replaced one by one by their child Job, and the JobSet fails with it.
 * @see https://jobset.sigs.k8s.io/docs/tasks/failure_policy/
 */
import { podFailureRules, replacingPodFailurePolicy, retryLimit, type PodVerdict } from '../indexed/outcome';
import { HOOK_JOBS, jobSetHooks } from './hooks';
import type { Layout } from './layout';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Fields of a child Job that define when it fails. */
export function childFailurePolicy(job: ResolvedTrainingJob, { restartPolicy, helper }: ResolvedRole): object {
  if (restartScopeOf(job) !== 'gang' || helper !== undefined) {
    return { backoffLimit: retryLimit(job, restartPolicy), podFailurePolicy: replacingPodFailurePolicy(job, restartPolicy) };
  }
  return {
    backoffLimit: 0,
    podFailurePolicy: { rules: podFailureRules(job, restartPolicy).map(({ match }) => ({ action: 'FailJob', ...match })) },
  };
}

/** `failurePolicy` of the JobSet; undefined if it fails with a child Job. */
export function failurePolicy(job: ResolvedTrainingJob, layout: Layout): object | undefined {
  return restartScopeOf(job) !== 'gang' ? undefined : {
    maxRestarts: Math.max(...primaryOf(job).roles.map(({ restartPolicy }) => retryLimit(job, restartPolicy))),
    // A restarted worker must not connect to the master of the previous attempt.
    restartStrategy: 'BlockingRecreate',
    rules: rulesOf(job, layout),
  };
}

/** Whether the failure policy ever restarts a JobSet. */
export function canRestart(job: ResolvedTrainingJob, layout: Layout): boolean {
  return restartScopeOf(job) === 'gang' && rulesOf(job, layout).some(({ action }) => action !== 'FailJobSet');
}

interface Rule {
  readonly name: string;
  readonly action: 'FailJobSet' | 'RestartJobSet' | 'RestartJobSetAndIgnoreMaxRestarts';
  readonly onJobFailureReasons: readonly string[];
  readonly onJobFailureMessagePatterns?: readonly string[];
  readonly targetReplicatedJobs?: readonly string[];
}

/**
 * The rules in the operator's order. JobSet applies each rule to all failed Jobs before the next one, so a disruption of a pod also explains the
 * failures of its peers.
 */
function rulesOf(job: ResolvedTrainingJob, layout: Layout): Rule[] {
  const { disruptionLimit, activeDeadlineSeconds } = job.runPolicy;
  const byVerdict = (verdict: PodVerdict, name: string, action: Rule['action']) => verdictRules(job, layout, verdict, name, action);
  const byPolicy = (name: string, action: Rule['action'], applies: (role: ResolvedRole) => boolean) => policyRules(layout, name, action, applies);
  const helpers = layout.filter(({ role }) => role.helper !== undefined);
  const hooks = jobSetHooks(job);
  return [
    // First, because the Job of a hook has used all its retries.
    ...(hooks.length === 0 ? [] : [{
      name: 'hooks', action: 'FailJobSet' as const, onJobFailureReasons: [], targetReplicatedJobs: hooks.map((hook) => HOOK_JOBS[hook]),
    }]),
    // Their child Job has used all its retries.
    ...(helpers.length === 0 ? [] : [{ name: 'helpers', action: 'FailJobSet' as const, onJobFailureReasons: [], ...targets(layout, helpers) }]),
    ...byVerdict('disruption', 'disruption', disruptionLimit === 0 ? 'FailJobSet' : 'RestartJobSetAndIgnoreMaxRestarts'),
    ...(activeDeadlineSeconds === undefined ? [] : [{ name: 'deadline', action: 'FailJobSet' as const, onJobFailureReasons: ['DeadlineExceeded'] }]),
    ...byVerdict('fail', 'exitCodesFail', 'FailJobSet'),
    ...byVerdict('permanent', 'permanent', 'FailJobSet'),
    ...byPolicy('never', 'FailJobSet', ({ restartPolicy }) => restartPolicy === 'Never'),
    ...byVerdict('retry', 'exitCodesRetry', 'RestartJobSet'),
    ...byPolicy('retry', 'RestartJobSet', ({ restartPolicy }) => restartPolicy !== 'Never'),
    ...byVerdict('recover', 'exitCodesRecover', 'RestartJobSetAndIgnoreMaxRestarts'),
  ];
}

/** A rule for pods with a verdict. The number of the child Job's rule is the same in all roles that have it. */
function verdictRules(job: ResolvedTrainingJob, layout: Layout, verdict: PodVerdict, name: string, action: Rule['action']): Rule[] {
  const number = (role: ResolvedRole) => podFailureRules(job, role.restartPolicy).findIndex((rule) => rule.verdict === verdict);
  const parts = layout.filter(({ role }) => role.helper === undefined && number(role) >= 0);
  return parts.length === 0 ? [] : [{
    name,
    action,
    onJobFailureReasons: ['PodFailurePolicy'],
    onJobFailureMessagePatterns: [`matching FailJob rule at index ${number(parts[0].role)}$`],
    ...targets(layout, parts),
  }];
}

/** A rule for pods that match no rule of their child Job. */
function policyRules(layout: Layout, name: string, action: Rule['action'], applies: (role: ResolvedRole) => boolean): Rule[] {
  const parts = layout.filter(({ role }) => role.helper === undefined && applies(role));
  return parts.length === 0 ? [] : [{ name, action, onJobFailureReasons: ['BackoffLimitExceeded'], ...targets(layout, parts) }];
}

function targets(layout: Layout, parts: Layout): { targetReplicatedJobs?: readonly string[] } {
  return parts.length === layout.length ? {} : { targetReplicatedJobs: parts.map(({ name }) => name) };
}
