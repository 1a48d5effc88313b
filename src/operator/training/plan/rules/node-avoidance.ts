/**
 * Nodes that new pods keep away from (`suspect-nodes.ts`), and their forgiveness. A pod has its affinity for good, so one that no node takes is made
 * again when a node that it avoids is avoided no longer: because the time is over, or because all are forgiven after a pod has found no other node
 * for {@link FORGIVEN_AFTER_MS}. So avoidance delays a job, and never keeps it from running.
 *
 * New pods also keep away from nodes that are silent when they are created (`executor.ts`): the scheduler puts pods there until the node is not
 * ready. Such a node is avoided until it is heard from again.
 */
import type { Rule } from './rule';
import type { ReplacedPod } from '../../../../model/training-job/status/status';
import { decision } from '../decisions';
import { MAX_REPLACING } from '../failures/failures';
import { isSilent } from '../failures/node-loss';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import { expiryOf, unexpired } from '../failures/suspect-nodes';
import { LOOK_MS } from '../observe/silent-pods';
import type { Observation, ObservedPod } from '../types';

/** How long a pod may find no node before all are forgiven, milliseconds. Long enough for an autoscaler to bring a new one. */
export const FORGIVEN_AFTER_MS = 600_000;

/** How often it is looked whether a node is well again that a pod waits for, where nothing tells of it; milliseconds. */
const LOOK_AGAIN_MS = 30_000;

/** Forgives nodes and frees pods that wait because of them. */
export const nodeAvoidanceRule: Rule = {
  decide(observation, view) {
    const { job: { spec, status }, now } = observation;
    const waiting = waitingReplicas(view);
    if (spec.suspend || waiting.length === 0) {
      return undefined;
    }
    const suspects = unexpired(status.suspectNodes, view.job.runPolicy.nodeAvoidance, now);
    const hopeless = waiting.some((entry) => unschedulableSince(entry) + FORGIVEN_AFTER_MS <= now);
    const avoided = new Set(hopeless ? [] : suspects.filter((suspect) => suspect.avoided).map(({ node }) => node));
    const known = new Set(status.suspectNodes?.map(({ node }) => node));
    const released = (pod: ObservedPod, node: string) => !avoided.has(node) && (known.has(node) || lossOf(pod, node, view) === undefined);
    const freed = waiting.filter(({ pod }) => pod!.avoidedNodes!.some((node) => released(pod!, node)))
      .slice(0, MAX_REPLACING - view.replacing.length);
    if (freed.length === 0) {
      return undefined;
    }
    const replacing: ReplacedPod[] = [...view.replacing, ...freed.map(({ replica, pod }) => ({ pod: replica.podName, uid: pod!.uid }))];
    const kept = hopeless ? suspects.filter((suspect) => !suspect.avoided) : suspects;
    const message = hopeless
      ? `${freed[0].replica.podName} found no node for ${FORGIVEN_AFTER_MS / 60_000} min: nodes on which the job failed are no longer avoided`
      : `Nodes are no longer avoided, and ${freed[0].replica.podName} may run there`;
    return decision(observation, { replacing, suspectNodes: kept.length > 0 ? kept : undefined }, [], [{ type: 'Normal', reason: 'NodesForgiven', message }]);
  },

  actions(observation, view) {
    return lostNodes(observation, view).filter(({ loss }) => loss === 'Silent').map(({ node }) => ({ type: 'lookAtNode', node }));
  },

  observe({ now }, view, status) {
    const { suspectNodes } = status;
    const left = unexpired(suspectNodes, view.job.runPolicy.nodeAvoidance, now);
    const isSame = left.length === (suspectNodes ?? []).length;
    return isSame ? status : { ...status, suspectNodes: left.length > 0 ? left : undefined };
  },

  wakeAfterMs(observation, view, status) {
    const { now } = observation;
    const { forSeconds } = view.job.runPolicy.nodeAvoidance;
    const times = [
      ...lostNodes(observation, view).map(({ loss }) => now + (loss === 'Silent' ? LOOK_MS : LOOK_AGAIN_MS)),
      ...(status.suspectNodes ?? []).map((suspect) => expiryOf(suspect, forSeconds)),
      ...waitingReplicas(view).map((entry) => unschedulableSince(entry) + FORGIVEN_AFTER_MS),
    ].filter((time) => time > now);
    return times.length > 0 ? times.reduce((first, time) => Math.min(first, time)) - now : undefined;
  },
};

/** Replicas whose pods found no node yet, and keep away from some. */
function waitingReplicas(view: JobView): ReplicaView[] {
  return view.replicas.filter(({ pod }) => pod?.state === 'Waiting' && pod.node === undefined && !pod.deleting && (pod.avoidedNodes?.length ?? 0) > 0);
}

/** Why a node that a pod avoids cannot take it now, if that is so: the node does not answer, or nobody has looked whether it does. */
function lossOf({ avoidedStates }: ObservedPod, node: string, { job: { runPolicy } }: JobView): 'Silent' | 'NotReady' | undefined {
  const state = avoidedStates?.[node];
  if (state === undefined || state.health !== 'Ready') {
    return state && 'NotReady';
  }
  return state.lease === undefined || isSilent(state, runPolicy.nodeLoss.leaseGraceSeconds) ? 'Silent' : undefined;
}

/** Nodes that pods avoid for nothing but that they cannot take them now. */
function lostNodes({ job: { status } }: Observation, view: JobView): { node: string; loss: 'Silent' | 'NotReady' }[] {
  const suspects = new Set(status.suspectNodes?.map(({ node }) => node));
  const nodes = new Map(waitingReplicas(view).flatMap(({ pod }) => pod!.avoidedNodes!.map((node) => [node, lossOf(pod!, node, view)] as const)));
  return [...nodes].flatMap(([node, loss]) => loss === undefined || suspects.has(node) ? [] : [{ node, loss }]);
}

function unschedulableSince({ pod }: ReplicaView): number {
  return pod?.unschedulableSince === undefined ? Infinity : Date.parse(pod.unschedulableSince);
}
