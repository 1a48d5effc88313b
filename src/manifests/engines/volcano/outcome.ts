/**
 * What Volcano does when pods fail, vanish or end well. The first policy of a task that matches decides, then the job's; an exit code has to stand
 * before the event of its failure.
 *
 * When a Volcano Job has succeeded. Volcano can wait until all pods have ended well, until a number of them has (`minSuccess`), or until all pods of
 * one task have (a policy of the task).
 * @see https://volcano.sh/en/docs/v1-12-0/vcjob/
 */
import { retryLimit, successRule } from '../indexed/outcome';
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
  // A helper is replaced by itself, whatever those that train do.
  const isGang = restartScopeOf(job) === 'gang' && role.helper === undefined;
  const restart = isGang ? 'RestartJob' : 'RestartPod';
  return [
    ...inOrder(fail).map((exitCode) => ({ exitCode, action: 'TerminateJob' })),
    ...inOrder(retry).map((exitCode) => ({ exitCode, action: restart })),
    { event: 'PodFailed', action: role.restartPolicy === 'Never' ? 'TerminateJob' : restart },
    // Of independent replicas the one that is gone is made again without being told to.
    ...(isGang ? [{ event: 'PodEvicted', action: 'RestartJob' }] : []),
    ...(success.form === 'task' && success.task === role.name ? [{ event: 'TaskCompleted', action: 'CompleteJob' }] : []),
  ];
}

/**
 * `maxRetry`: Volcano fails a job at the restart with this number, so it is one more than what is allowed. Where failures are not retried, it is the
 * disruptions that are counted, as many as the job allows.
 */
export function maxRetry(job: ResolvedTrainingJob): number | undefined {
  const limit = Math.max(...job.roles.map(({ restartPolicy }) => retryLimit(job, restartPolicy)));
  const isRetried = job.roles.some(({ restartPolicy }) => restartPolicy !== 'Never') || (job.runPolicy.exitCodes?.retry ?? []).length > 0;
  if (isRetried) {
    return limit + 1;
  }
  return restartScopeOf(job) === 'gang' ? Math.min(INT32_MAX, (job.runPolicy.disruptionLimit ?? INT32_MAX) + 1) : undefined;
}

function inOrder(codes: readonly number[]): number[] {
  return [...new Set(codes)].sort((one, other) => one - other);
}

/** How Volcano is told. */
type SuccessForm =
  | { readonly form: 'all' }
  | { readonly form: 'count'; readonly minSuccess: number }
  | { readonly form: 'task'; readonly task: string }
  | { readonly form: 'none' };

/** The form in which the job's success policy can be told. */
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

/** Why a success policy cannot be told, as the rest of a sentence; undefined when it can. */
export function successProblem(job: ResolvedTrainingJob): string | undefined {
  return successForm(job).form !== 'none' ? undefined
    : `waits for all pods, for a number of them or for all pods of one task, but ${job.successPolicy} means different pods here`;
}
