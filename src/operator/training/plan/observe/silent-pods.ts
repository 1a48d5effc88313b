/**
 * Pods that may be why others of the job failed. Peers of a rank on a lost node fail within seconds, and their nodes are well; that the lost node
 * is not ready is known 40 to 50 seconds later, and that its Lease is not renewed after 20. So a failure is provisional while a pod of the attempt
 * has not told how it ended, and its node has not been heard from since.
 */
import { elapsedSince } from '../elapsed';
import type { Observation, ObservedPod, PodFailure } from '../types';

/** How long a failure is provisional at most, milliseconds: Kubernetes has found by then that a node is not ready. */
export const VERDICT_LIMIT_MS = 90_000;

/** How often nodes are looked at whose answer is waited for, milliseconds. */
export const LOOK_MS = 3_000;

/** Most nodes that are looked at in one pass. */
const MAX_LOOKS = 128;

/** Exit codes of programs that were ended from outside: SIGKILL and SIGTERM. */
const SHUTDOWN_CODES: ReadonlySet<number | undefined> = new Set([137, 143]);

/** Whether a program was ended from outside, as it is when its node goes down, and not for its own use of memory. */
export function wasKilled(failure: Pick<PodFailure, 'exitCode' | 'reason'> | undefined): boolean {
  return SHUTDOWN_CODES.has(failure?.exitCode) && failure?.reason !== 'OOMKilled';
}

/**
 * Pods that have not ended, or were killed, and whose nodes have not been heard from since a failure.
 * @param since when the failure was noted, milliseconds since the epoch
 * @param isHeard whether a node without a Lease that can be read counts as heard from
 */
export function silentPods(
  pods: readonly ObservedPod[], since: number, observation: Pick<Observation, 'now' | 'clockSteadySince'>, isHeard = false,
): ObservedPod[] {
  // A kubelet that has told of a failure was there; but not if it does not let the pod go since.
  const heard = new Set(pods.filter(({ state, deleting }) => state === 'Failed' && !deleting).map(({ node }) => node));
  const elapsed = elapsedSince(observation, since);
  return pods.filter((pod) => {
    const { node, nodeState } = pod;
    // Of a node that goes down, the kubelet may be the last to be killed.
    return (isUnended(pod) ? !heard.has(node) : pod.state === 'Failed' && wasKilled(pod.failure)) && node !== undefined && nodeState !== undefined
      && !(nodeState.lease?.renewedAgoMs !== undefined && nodeState.lease.renewedAgoMs < elapsed)
      && !(isHeard && nodeState.lease?.exists === false);
  });
}

/** Whether a pod has not told of an end. */
export function isUnended({ state }: ObservedPod): boolean {
  return state === 'Running' || state === 'Waiting';
}

/** Nodes of pods, each once. */
export function nodesOf(pods: readonly ObservedPod[]): string[] {
  return [...new Set(pods.flatMap(({ node }) => node ?? []))].slice(0, MAX_LOOKS);
}
