/** A finished job: what is cleaned up, and when the job itself goes. Nothing in here ever starts a pod. */
import { finishQueue } from './rules/queue';
import { resolveOnce } from './resolve-once';
import { withStackDumps } from './stack-dumps';
import { planFinishedTrials } from './tuning/plan-search';
import type { Action, Observation, Plan } from './types';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';
import type { TrainingJobStatus } from '../../../model/training-job/status';
import { isSearch } from '../../../model/tuning/trial-spec';

/** Whether the job has come to its end. A finished job is never started again. */
export function isFinished(status: TrainingJobStatus): boolean {
  return status.phase === 'Completed' || status.phase === 'Failed';
}

/** The status as it stands, and the stacks of pods that were taken away when the job failed: they come when it has ended. */
function lastWords(observation: Observation): TrainingJobStatus {
  const { name, spec, status } = observation.job;
  const resolved = status.phase === 'Failed' && spec.debug !== undefined ? resolveOnce(name, spec).resolved : undefined;
  return resolved === undefined ? status : withStackDumps(resolved, observation, status);
}

/** Plans the clean-up. */
export function planFinished(observation: Observation): Plan {
  const { job, pods, now } = observation;
  const policy = resolveRunPolicy(job.spec.runPolicy ?? {});
  const cleanUp: Action[] = pods
    .filter((pod) => !pod.deleting)
    .filter((pod) => policy.cleanPodPolicy === 'All'
      || (policy.cleanPodPolicy === 'Running' && (pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering)))
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: `the job has finished (cleanPodPolicy ${policy.cleanPodPolicy})` }));
  const actions = isSearch(job.spec) ? planFinishedTrials(observation) : [...finishQueue(observation), ...cleanUp];
  const plan = { status: lastWords(observation), decided: false, events: [] };
  const left = Date.parse(job.status.completionTime ?? '') + Number(policy.ttlSecondsAfterFinished) * 1000 - now;
  if (Number.isNaN(left)) {
    // No TTL; or the spec is invalid, which is why the job is here.
    return { ...plan, actions };
  }
  return left <= 0
    ? { ...plan, actions: [...actions, { type: 'deleteJob' }] }
    : { ...plan, actions, requeueAfterMs: left };
}
