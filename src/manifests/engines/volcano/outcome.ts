/**
 * What Volcano does when pods fail, disappear or succeed. The first policy of a task that matches decides, then the job's. An exit code must precede
 * the event of its failure.
 *
 * A Volcano Job succeeds when all pods have succeeded, a number of them (`minSuccess`), or all pods of one task (a policy of the task).
 * @see https://volcano.sh/en/docs/v1-12-0/vcjob/
 */
import { isRetried, retryLimit, sortedCodes, successRule } from '../indexed/outcome';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { INT32_MAX } from '../../../model/shapes';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';

/** One entry of `policies`. */
export interface Policy {
  readonly event?: string;
  readonly exitCode?: number;
  readonly action: string;
}

export function taskPolicies(job: ResolvedTrainingJob, role: ResolvedRole, success: SuccessForm): Policy[] {
  const { fail = [], retry = [] } = job.runPolicy.exitCodes ?? {};
  // A helper is always replaced alone.
  const isGang = restartScopeOf(job) === 'gang' && role.helper === undefined;
  const restart = isGang ? 'RestartJob' : 'RestartPod';
  return [
    ...sortedCodes(fail).map((exitCode) => ({ exitCode, action: 'TerminateJob' })),
    ...sortedCodes(retry).map((exitCode) => ({ exitCode, action: restart })),
    { event: 'PodFailed', action: role.restartPolicy === 'Never' ? 'TerminateJob' : restart },
    // Volcano replaces an evicted pod of independent replicas without a policy.
    ...(isGang ? [{ event: 'PodEvicted', action: 'RestartJob' }] : []),
    ...(success.form === 'task' && success.task === role.name ? [{ event: 'TaskCompleted', action: 'CompleteJob' }] : []),
  ];
}

/**
 * `maxRetry`: Volcano fails a job at the restart with this number, so it is one more than allowed. If failures are not retried, it limits disruptions
 * instead.
 */
export function maxRetry(job: ResolvedTrainingJob): number | undefined {
  if (restartsFailures(job)) {
    return Math.max(...job.roles.map(({ restartPolicy }) => retryLimit(job, restartPolicy))) + 1;
  }
  return restartScopeOf(job) === 'gang' ? Math.min(INT32_MAX, (job.runPolicy.disruptionLimit ?? INT32_MAX) + 1) : undefined;
}

/** Whether failures of any role are retried. */
export function restartsFailures(job: ResolvedTrainingJob): boolean {
  return job.roles.some(({ restartPolicy }) => isRetried(job, restartPolicy));
}

/** How Volcano expresses a success policy. */
type SuccessForm =
  | { readonly form: 'all' }
  | { readonly form: 'count'; readonly minSuccess: number }
  | { readonly form: 'task'; readonly task: string }
  | { readonly form: 'none' };

/** The form that expresses the job's success policy. */
export function successForm(job: ResolvedTrainingJob): SuccessForm {
  const { replicas, one } = successRule(job);
  if (one) {
    // Any pod counts, whatever its role.
    return replicas.length === job.replicas.length ? { form: 'count', minSuccess: 1 } : { form: 'none' };
  }
  if (replicas.length === job.replicas.length) {
    return { form: 'all' };
  }
  const [{ role }] = replicas;
  const isTask = replicas.length === replicasOfRole(job, role).length && replicas.every((replica) => replica.role === role);
  return isTask ? { form: 'task', task: role } : { form: 'none' };
}

/** Why Volcano cannot express a success policy, as the rest of a sentence; undefined if it can. */
export function successProblem(job: ResolvedTrainingJob): string | undefined {
  return successForm(job).form !== 'none' ? undefined
    : `waits for all pods, for a number of them or for all pods of one task, but ${job.successPolicy} means different pods here`;
}
