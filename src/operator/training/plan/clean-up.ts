/** Which pods `cleanPodPolicy` removes when a job has finished, or when its replicas have succeeded. */
import { resolveOnce } from './resolve-once';
import type { Action, Observation, ObservedPod } from './types';
import { isHelper } from '../../../model/training-job/replicas/helpers';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';

/** Names of the helpers' pods. */
function helperPodNames({ job: { name, spec } }: Observation): string[] {
  const resolved = (spec.helpers ?? []).length > 0 ? resolveOnce(name, spec).resolved : undefined;
  return resolved?.replicas.filter((replica) => isHelper(resolved, replica)).map(({ podName }) => podName) ?? [];
}

/**
 * Deletions of replicas' pods.
 * @param why what has ended, for the log
 * @param others further pods that are not needed any more @default - none
 */
export function cleanUp(observation: Observation, why: string, others: readonly ObservedPod[] = []): Action[] {
  const { cleanPodPolicy } = resolveRunPolicy(observation.job.spec.runPolicy ?? {});
  // Helpers do not end by themselves when the replicas that train have ended.
  const helpers = new Set(helperPodNames(observation));
  return [...observation.pods, ...others]
    .filter((pod) => !pod.deleting)
    .filter((pod) => cleanPodPolicy === 'All'
      || ((cleanPodPolicy === 'Running' || helpers.has(pod.name)) && (pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering)))
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: `${why} (cleanPodPolicy ${cleanPodPolicy})` }));
}
