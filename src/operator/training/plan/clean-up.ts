/** What the run policy says of pods whose job has come to its end, or whose replicas have. */
import { resolveOnce } from './resolve-once';
import type { Action, Observation, ObservedPod } from './types';
import { isHelper } from '../../../model/training-job/replicas/helpers';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';

/** Pods that help. */
function helperPodNames({ job: { name, spec } }: Observation): string[] {
  const resolved = (spec.helpers ?? []).length > 0 ? resolveOnce(name, spec).resolved : undefined;
  return resolved?.replicas.filter((replica) => isHelper(resolved, replica)).map(({ podName }) => podName) ?? [];
}

/**
 * Deletions of replicas' pods.
 * @param others further pods that have nothing to do any more @default - none
 */
export function cleanUp(observation: Observation, others: readonly ObservedPod[] = []): Action[] {
  const { cleanPodPolicy } = resolveRunPolicy(observation.job.spec.runPolicy ?? {});
  // A helper would run for ever: nobody tells it that the others have come to their end.
  const helpers = new Set(helperPodNames(observation));
  return [...observation.pods, ...others]
    .filter((pod) => !pod.deleting)
    .filter((pod) => cleanPodPolicy === 'All'
      || ((cleanPodPolicy === 'Running' || helpers.has(pod.name)) && (pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering)))
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: `the job has finished (cleanPodPolicy ${cleanPodPolicy})` }));
}
