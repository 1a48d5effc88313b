/** A finished job: what is cleaned up, and when the job itself goes. Nothing in here ever starts a pod. */
import type { Action, Observation, Plan } from './types';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';
import type { TrainingJobStatus } from '../../../model/training-job/status';

/** Whether the job has come to its end. A finished job is never started again. */
export function isFinished(status: TrainingJobStatus): boolean {
  return status.phase === 'Completed' || status.phase === 'Failed';
}

/** Plans the clean-up. */
export function planFinished({ job, pods, now }: Observation): Plan {
  const policy = resolveRunPolicy(job.spec.runPolicy ?? {});
  const actions: Action[] = pods
    .filter((pod) => !pod.deleting)
    .filter((pod) => policy.cleanPodPolicy === 'All'
      || (policy.cleanPodPolicy === 'Running' && (pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering)))
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: `the job has finished (cleanPodPolicy ${policy.cleanPodPolicy})` }));
  const plan = { status: job.status, decided: false, events: [] };
  const left = Date.parse(job.status.completionTime ?? '') + Number(policy.ttlSecondsAfterFinished) * 1000 - now;
  if (Number.isNaN(left)) {
    // No TTL; or the spec is invalid, which is why the job is here.
    return { ...plan, actions };
  }
  return left <= 0
    ? { ...plan, actions: [...actions, { type: 'deleteJob' }] }
    : { ...plan, actions, requeueAfterMs: left };
}
