/**
 * What Volcano does when pods fail, vanish or end well. The first policy of a task that matches decides, then the job's; an exit code has to stand
 * before the event of its failure.
 * @see https://volcano.sh/en/docs/v1-12-0/vcjob/
 */
import { retryLimit } from '../indexed/pod-failure-policy';
import type { SuccessForm } from './success';
import type { ResolvedRole } from '../../../model/frameworks/contract';
import { INT32_MAX } from '../../../model/shapes';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** One entry of `policies`. */
export interface Policy {
  readonly event?: string;
  readonly exitCode?: number;
  readonly action: string;
}

/** Policies of the task of a role. */
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
