/**
 * Pods that may be why others of the job failed. Peers of a rank on a lost node fail within seconds, and their nodes are well; that the lost node
 * is not ready is known 40 to 50 seconds later, and that its Lease is not renewed after 20. So a failure is provisional while a pod of the attempt
 * has not told how it ended, and its node has not been heard from since.
 */
import { elapsedSince } from './elapsed';
import type { Observation, ObservedPod } from './types';

/** How long a failure is provisional at most, milliseconds: Kubernetes has found by then that a node is not ready. */
export const VERDICT_LIMIT_MS = 90_000;

/** How often nodes are looked at whose answer is waited for, milliseconds. */
export const LOOK_MS = 3_000;

/** Most nodes that are looked at in one pass. */
const MAX_LOOKS = 128;

/**
 * Pods that have not ended, and whose nodes have not been heard from since a failure.
 * @param since when the failure was noted, milliseconds since the epoch
 * @param isHeard whether a node without a Lease that can be read counts as heard from
 */
export function silentPods(
  pods: readonly ObservedPod[], since: number, observation: Pick<Observation, 'now' | 'clockSteadySince'>, isHeard = false,
): ObservedPod[] {
  // A kubelet that has told of a failure was there.
  const heard = new Set(pods.filter(({ state }) => state === 'Failed').map(({ node }) => node));
  const elapsed = elapsedSince(observation, since);
  return pods.filter(({ state, node, nodeState }) => (state === 'Running' || state === 'Waiting') && node !== undefined && nodeState !== undefined
    && !heard.has(node) && !(nodeState.lease?.renewedAgoMs !== undefined && nodeState.lease.renewedAgoMs < elapsed)
    && !(isHeard && nodeState.lease?.exists === false));
}

/** Nodes of pods, each once. */
export function nodesOf(pods: readonly ObservedPod[]): string[] {
  return [...new Set(pods.flatMap(({ node }) => node ?? []))].slice(0, MAX_LOOKS);
}
