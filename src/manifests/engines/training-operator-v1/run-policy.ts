/** `spec.runPolicy` of training-operator v1, which all its kinds have in common. */
import { plainObject } from '../../plain-object';
import { OPERATOR_NAME } from '../../../model/labels';
import { INT32_MAX } from '../../../model/shapes';
import { gangMinimum } from '../../../model/training-job/gang';
import type { ResolvedTrainingJob } from '../../../model/training-job/resolve';

/** The run policy of a job. */
export function v1RunPolicy(job: ResolvedTrainingJob): object {
  const { runPolicy, spec } = job;
  return plainObject({
    cleanPodPolicy: runPolicy.cleanPodPolicy,
    backoffLimit: restarts(job) ? v1BackoffLimit(runPolicy.backoffLimit) : undefined,
    activeDeadlineSeconds: runPolicy.activeDeadlineSeconds,
    ttlSecondsAfterFinished: runPolicy.ttlSecondsAfterFinished,
    schedulingPolicy: schedulingPolicy(job),
    // A queued job is Kueue's to suspend and to resume.
    suspend: spec.scheduling?.queueName === undefined ? spec.suspend : undefined,
    managedBy: spec.managedBy === OPERATOR_NAME ? undefined : spec.managedBy,
  });
}

/** v1 fails a job when its containers have restarted that often, we when they would have to restart once more. */
function v1BackoffLimit(limit: number): number {
  return limit === 0 ? 0 : Math.min(limit + 1, INT32_MAX);
}

function restarts({ roles }: ResolvedTrainingJob): boolean {
  return roles.some(({ restartPolicy }) => restartPolicy !== 'Never');
}

function schedulingPolicy(job: ResolvedTrainingJob): object | undefined {
  const { gang, priorityClassName } = job.spec.scheduling ?? {};
  return gang && {
    minAvailable: gangMinimum(job),
    queue: gang.queue,
    priorityClass: priorityClassName,
    scheduleTimeoutSeconds: gang.scheduleTimeoutSeconds,
  };
}
