/**
 * What nodes say of the pods on them. A node that is gone, or has been not ready for longer than the job's grace, has lost its pods: they count as
 * disrupted at once, and not when Kubernetes evicts them after its 300 seconds.
 *
 * Where the node's Lease is looked at, the node has lost its pods when the Lease was not renewed for `leaseGraceSeconds`, long before the node is
 * not ready. A pod that the scheduler has put there since is none of them: its kubelet has not told of it, nothing of it is lost, and its successor
 * would be put there too.
 *
 * Such a pod can be asked to go, but nobody confirms that it went, so its name is not free and its gang is blocked. It is deleted by force when
 *  - its node is gone or an administrator vouches that it is off (taint `out-of-service`): nothing can run there; or
 *  - its node's Lease is not renewed for so long: a kubelet that cannot renew its Lease does not hear of the deletion either, so the pod's own grace
 *    period is nothing to wait for; or
 *  - its node is still not ready `forceDeleteAfterSeconds` after the pod's own grace period has run out, where Leases cannot be read.
 * While most nodes of the cluster are not ready, only nodes that are gone or out of service have lost their pods: the others probably run, and cannot
 * reach the API server.
 *
 * In the last two cases the node may only be cut off, and its process alive until the node is back: two processes of one rank then write to the same
 * checkpoints. `stuckPods: Wait` rules that out, and leaves the pod to its node, to Kubernetes or to an administrator.
 */
import type { JobView } from '../observe/replicas-view';
import { wasKilled } from '../observe/silent-pods';
import { timeText } from '../timestamps';
import type { NodeState, ObservedPod, PodFailure } from '../types';
import type { ResolvedRunPolicy } from '../../../../model/training-job/run-policy';

type Policy = Pick<ResolvedRunPolicy, 'nodeLoss'>;

/** When the pod counts as lost with its node, milliseconds since the epoch; undefined while its node is well, or is one of very many that are not. */
export function nodeLossTime(pod: ObservedPod, { nodeLoss }: Policy): number | undefined {
  const { nodeState } = pod;
  if (nodeState?.health === 'Gone' || nodeState?.outOfService) {
    return 0;
  }
  if (nodeState?.inOutage) {
    return undefined;
  }
  const notReady = nodeState?.health === 'NotReady' ? (nodeState.since ?? 0) + nodeLoss.graceSeconds * 1000 : undefined;
  const silent = silenceTime(pod, nodeLoss);
  return notReady === undefined || silent === undefined ? notReady ?? silent : Math.min(notReady, silent);
}

/** When the Lease of the pod's node had not been renewed for too long; undefined while nobody has seen that. */
function silenceTime({ nodeState, unseen, deleting }: ObservedPod, { leaseGraceSeconds }: Policy['nodeLoss']): number | undefined {
  return isSilent(nodeState, leaseGraceSeconds) && (!unseen || deleting) ? nodeState!.lease!.silentSince + leaseGraceSeconds * 1000 : undefined;
}

/** Whether the node's Lease was not renewed for so long. */
export function isSilent(nodeState: NodeState | undefined, leaseGraceSeconds: number): boolean {
  const { exists = false, silentSince = 0, lookedAt = 0 } = nodeState?.lease ?? {};
  return exists && lookedAt - silentSince >= leaseGraceSeconds * 1000;
}

/** Whether the pod is lost with its node. */
export function isNodeLost(pod: ObservedPod, policy: Policy, now: number): boolean {
  const time = nodeLossTime(pod, policy);
  return time !== undefined && now >= time;
}

/** Trouble of the pod's node that would explain failures, of the pod and of its peers, even if it has not lasted for long. */
export function nodeTrouble(pod: ObservedPod, { nodeLoss }: Policy): PodFailure | undefined {
  const { node, nodeState } = pod;
  const trouble = (reason: string, message: string): PodFailure => ({ disruption: true, reason, message });
  if (nodeState?.health === 'Gone') {
    return trouble('NodeGone', `Node ${node} no longer exists.`);
  }
  if (nodeState?.outOfService) {
    return trouble('NodeOutOfService', `Node ${node} is out of service.`);
  }
  if (nodeState?.health === 'NotReady') {
    return trouble('NodeNotReady', `Node ${node} is not ready${nodeState.since === undefined ? '' : ` since ${timeText(nodeState.since)}`}.`);
  }
  if (silenceTime(pod, nodeLoss) !== undefined) {
    return trouble('NodeSilent', `Node ${node} has not renewed its Lease since ${timeText(nodeState!.lease!.silentSince)}.`);
  }
  return nodeState?.leaving === undefined ? undefined : trouble('NodeTerminating', `Node ${node} is shutting down: ${nodeState.leaving}.`);
}

/** The failure of a pod in the light of its node's state: a program that was killed while its node went down has not failed. */
export function withNodeTrouble(failure: PodFailure, pod: ObservedPod, policy: Policy): PodFailure {
  const trouble = !failure.disruption && wasKilled(failure) ? nodeTrouble(pod, policy) : undefined;
  return trouble === undefined ? failure : { ...failure, disruption: true, reason: trouble.reason, message: trouble.message };
}

/** When a pod that is being deleted may be deleted by force, milliseconds since the epoch; undefined when never. */
export function forceDeletionTime(pod: ObservedPod, policy: Policy): number | undefined {
  const lost = nodeLossTime(pod, policy);
  if (!pod.deleting || lost === undefined || policy.nodeLoss.stuckPods === 'Wait') {
    return undefined;
  }
  const silent = silenceTime(pod, policy.nodeLoss);
  if (lost === 0 || silent !== undefined) {
    return silent ?? 0;
  }
  return Math.max(lost, (pod.deletionDeadline ?? 0) + policy.nodeLoss.forceDeleteAfterSeconds * 1000);
}

/**
 * Whether a pod should have ended by now, and the Lease of its node may show why it has not. Also if the node is not ready: that the Lease is silent
 * is known before the grace period of such a node ends.
 */
export function isLate(pod: ObservedPod, policy: Policy, now: number): boolean {
  return pod.deleting && pod.node !== undefined && pod.nodeState !== undefined && (pod.deletionDeadline ?? Infinity) <= now
    && (forceDeletionTime(pod, policy) ?? Infinity) > now && policy.nodeLoss.stuckPods !== 'Wait' && pod.nodeState.lease?.exists !== false;
}

/** Whether its node is one of very many that are not ready. */
function isInOutage({ nodeState }: ObservedPod): boolean {
  return nodeState?.health === 'NotReady' && !nodeState.outOfService && nodeState.inOutage === true;
}

/** Pods that have to go before their successors can be created, and are on nodes that do not answer. */
export function stuckPods(view: JobView): ObservedPod[] {
  return [...view.replicas.flatMap(({ outgoing }) => outgoing ?? []), ...view.surplus]
    .filter((pod) => pod.deleting && (nodeLossTime(pod, view.job.runPolicy) !== undefined || isInOutage(pod)));
}

/** What the first of them waits for, in words; undefined when there is none. */
export function stuckPodMessage(view: JobView): string | undefined {
  const pod = stuckPods(view)[0];
  if (pod === undefined) {
    return undefined;
  }
  const force = forceDeletionTime(pod, view.job.runPolicy);
  const end = isInOutage(pod) ? 'waits until fewer nodes are not ready' : force === undefined
    ? 'waits for the node, Kubernetes or an administrator (spec.runPolicy.nodeLoss.stuckPods is Wait)'
    : `is force-deleted${force === 0 ? '' : ` at ${timeText(force)}`}`;
  return `${pod.name} cannot end: ${nodeTrouble(pod, view.job.runPolicy)?.message ?? ''} It ${end}`;
}
