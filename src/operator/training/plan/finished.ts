/** A finished job: what is cleaned up, and when the job itself goes. Nothing in here ever starts a pod. */
import { planFinishedCopies } from './array/plan-array';
import { finishQueue } from './rules/queue';
import { resolveOnce } from './resolve-once';
import { withStackDumps } from './rules/stack-dumps';
import { planFinishedTrials } from './tuning/plan-search';
import type { Action, Observation, Plan } from './types';
import { isArray } from '../../../model/training-job/array';
import { isHelper } from '../../../model/training-job/replicas/helpers';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
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

/** Pods that help. */
function helperPodNames({ job: { name, spec } }: Observation): string[] {
  const resolved = (spec.helpers ?? []).length > 0 ? resolveOnce(name, spec).resolved : undefined;
  return resolved?.replicas.filter((replica) => isHelper(resolved, replica)).map(({ podName }) => podName) ?? [];
}

/** Plans the clean-up. */
export function planFinished(observation: Observation): Plan {
  const { job, pods, now } = observation;
  const policy = resolveRunPolicy(job.spec.runPolicy ?? {});
  // A helper would run for ever: nobody tells it that the others have come to their end.
  const helpers = new Set(helperPodNames(observation));
  const cleanUp: Action[] = pods
    .filter((pod) => !pod.deleting)
    .filter((pod) => policy.cleanPodPolicy === 'All'
      || ((policy.cleanPodPolicy === 'Running' || helpers.has(pod.name)) && (pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering)))
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: `the job has finished (cleanPodPolicy ${policy.cleanPodPolicy})` }));
  const actions = isSearch(job.spec) ? planFinishedTrials(observation)
    : isArray(job.spec) ? planFinishedCopies(observation) : [...finishQueue(observation), ...cleanUp];
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
