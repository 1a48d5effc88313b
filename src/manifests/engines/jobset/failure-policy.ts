/**
 * What a JobSet makes of failures, so that it is what the operator makes of them. Replicas that depend on each other start again together: a child
 * Job fails with its first pod, and says by which of its rules; the JobSet reads that rule's number in the Job's message. Disruptions and codes that
 * recover are not counted. Independent replicas are replaced one by one by their child Job, and the JobSet fails with it.
 * @see https://jobset.sigs.k8s.io/docs/tasks/failure_policy/
 */
import { podFailureRules, replacingPodFailurePolicy, retryLimit, type PodVerdict } from '../indexed/outcome';
import { HOOK_JOBS, jobSetHooks } from './hooks';
import type { Layout } from './layout';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Fields of a child Job that decide on its failure. */
export function childFailurePolicy(job: ResolvedTrainingJob, { restartPolicy, helper }: ResolvedRole): object {
  if (restartScopeOf(job) !== 'gang' || helper !== undefined) {
    return { backoffLimit: retryLimit(job, restartPolicy), podFailurePolicy: replacingPodFailurePolicy(job, restartPolicy) };
  }
  return {
    backoffLimit: 0,
    podFailurePolicy: { rules: podFailureRules(job, restartPolicy).map(({ match }) => ({ action: 'FailJob', ...match })) },
  };
}

/** `failurePolicy` of the JobSet; undefined where the failure of a child Job is the end. */
export function failurePolicy(job: ResolvedTrainingJob, layout: Layout): object | undefined {
  return restartScopeOf(job) !== 'gang' ? undefined : {
    maxRestarts: Math.max(...primaryOf(job).roles.map(({ restartPolicy }) => retryLimit(job, restartPolicy))),
    // A worker that starts again must not find the master of the attempt before.
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
 * The rules in the order in which the operator asks: JobSet holds each rule against all Jobs that have failed before it takes the next one. So where
 * a pod was taken away, that is why its peers failed.
 */
function rulesOf(job: ResolvedTrainingJob, layout: Layout): Rule[] {
  const { disruptionLimit, activeDeadlineSeconds } = job.runPolicy;
  const byVerdict = (verdict: PodVerdict, name: string, action: Rule['action']) => verdictRules(job, layout, verdict, name, action);
  const byPolicy = (name: string, action: Rule['action'], isMeant: (role: ResolvedRole) => boolean) => policyRules(layout, name, action, isMeant);
  const helpers = layout.filter(({ role }) => role.helper !== undefined);
  const hooks = jobSetHooks(job);
  return [
    // Before all others: the Job of a hook has tried it as often as it may.
    ...(hooks.length === 0 ? [] : [{
      name: 'hooks', action: 'FailJobSet' as const, onJobFailureReasons: [], targetReplicatedJobs: hooks.map((hook) => HOOK_JOBS[hook]),
    }]),
    // Their child Job has replaced them as often as it may.
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

/** A rule for pods that ended with a verdict: the number of the child Job's rule is the same in all roles that have it. */
function verdictRules(job: ResolvedTrainingJob, layout: Layout, verdict: PodVerdict, name: string, action: Rule['action']): Rule[] {
  const number = (role: ResolvedRole) => podFailureRules(job, role.restartPolicy).findIndex((rule) => rule.verdict === verdict);
  const meant = layout.filter(({ role }) => role.helper === undefined && number(role) >= 0);
  return meant.length === 0 ? [] : [{
    name,
    action,
    onJobFailureReasons: ['PodFailurePolicy'],
    onJobFailureMessagePatterns: [`matching FailJob rule at index ${number(meant[0].role)}$`],
    ...targets(layout, meant),
  }];
}

/** A rule for pods that no rule of their child Job is about. */
function policyRules(layout: Layout, name: string, action: Rule['action'], isMeant: (role: ResolvedRole) => boolean): Rule[] {
  const meant = layout.filter(({ role }) => role.helper === undefined && isMeant(role));
  return meant.length === 0 ? [] : [{ name, action, onJobFailureReasons: ['BackoffLimitExceeded'], ...targets(layout, meant) }];
}

function targets(layout: Layout, meant: Layout): { targetReplicatedJobs?: readonly string[] } {
  return meant.length === layout.length ? {} : { targetReplicatedJobs: meant.map(({ name }) => name) };
}
