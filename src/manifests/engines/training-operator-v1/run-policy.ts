/** `spec.runPolicy` of training-operator v1, which all its kinds have in common. */
import type { PodSpec } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { OPERATOR_NAME } from '../../../model/labels';
import { INT32_MAX } from '../../../model/shapes';
import { gangMinimum } from '../../../model/training-job/gang';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

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

/**
 * The deadline for a pod. The controller looks at a job's deadline only when something happens to the job: its timer for the deadline does nothing.
 * The kubelet keeps a pod's deadline by itself, and the pod that fails makes the controller look. A template's own deadline stays where it is
 * shorter.
 * @see https://github.com/kubeflow/trainer/blob/v1.9.4/pkg/common/util/fake_workqueue.go
 */
export function podDeadline({ runPolicy }: ResolvedTrainingJob, { activeDeadlineSeconds: own }: PodSpec): Partial<PodSpec> {
  const deadline = runPolicy.activeDeadlineSeconds;
  return deadline === undefined ? {} : { activeDeadlineSeconds: Math.min(deadline, typeof own === 'number' ? own : deadline) };
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
