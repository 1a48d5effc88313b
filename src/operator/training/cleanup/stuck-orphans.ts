/**
 * Pods that jobs which are deleted left on lost nodes. They were asked to go, nobody confirms that they went, and a new job of that name would wait
 * for their names for ever. They are deleted by force when those of a job that is there would be (`plan/node-loss.ts`): by the job's own
 * `runPolicy.nodeLoss` where this operator has seen the job, and by the defaults where it has not.
 */
import { remove, removeAll, type LiveOwner } from './orphans';
import { nodeLossPolicy, type FormerJobs } from '../children/former-jobs';
import type { NodeLeases } from '../nodes/node-leases';
import type { NodeStates } from '../nodes/nodes';
import { forceDeletionTime, isLate } from '../plan/failures/node-loss';
import { observePod } from '../plan/observe/observe-pod';
import { LOOK_MS, nodesOf } from '../plan/observe/silent-pods';
import { resolveOnce } from '../plan/resolve-once';
import type { NodeState, ObservedPod } from '../plan/types';
import { BY_JOB, type ChildStores, type PodObject, type TrainingJobObject } from '../resources';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerOf, keyOf } from '../../runtime/kube-object';
import type { Clock } from '../../runtime/process/clock';
import type { Logger } from '../../runtime/process/logger';
import { PODS } from '../../runtime/resource-kind';
import type { Store } from '../../runtime/watch/store';
import type { ResolvedRunPolicy } from '../../../model/training-job/run-policy';

/** What is known of nodes, where the operator may read them. */
export interface NodeKnowledge {
  readonly states: Pick<NodeStates, 'of'>;
  readonly leases: Pick<NodeLeases, 'look'>;
  readonly forced: ForcedDeletion;
}

/** What {@link endStuckOrphans} works with. */
export interface StuckOrphansOptions extends NodeKnowledge {
  readonly client: KubeClient;
  readonly stores: Pick<ChildStores, 'pods'>;
  readonly former: FormerJobs;
  readonly owner: LiveOwner;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

interface LeavingPod {
  readonly pod: PodObject;
  readonly observed: ObservedPod;
  readonly policy: Pick<ResolvedRunPolicy, 'nodeLoss'>;
}

/**
 * Deletes by force what hangs on lost nodes of jobs with this name that are deleted, or are about to be.
 * @param job who bears the name now, as far as the cache knows
 * @returns milliseconds until the next look; undefined when there is nothing to wait for
 * @throws ApiError, TransportError when something has to be tried again
 */
export async function endStuckOrphans(key: string, job: TrainingJobObject | undefined, options: StuckOrphansOptions): Promise<number | undefined> {
  const { client, stores, owner, forced, leases, logger } = options;
  const now = options.clock.now();
  const leaving = leavingOrphans(key, job, options);
  const isDue = ({ observed, policy }: LeavingPod) => (forceDeletionTime(observed, policy) ?? Infinity) <= now;
  const due = leaving.filter(isDue);
  // The word of a cache is not enough: the owner's own rules hold for the pods of a job that is there.
  const live = due.length > 0 ? await owner.uid() : undefined;
  let areSpared = false;
  const isOrphan = ({ pod }: LeavingPod) => controllerOf(pod)?.uid !== live || job?.metadata?.uid === live;
  await removeAll(key, logger, due.filter(isOrphan).map(({ pod, observed, policy }) => async () => {
    if (await forced.isDue(pod, policy)) {
      const { name, node } = observed;
      logger.info('a pod of a deleted job hangs on a lost node and is force-deleted', { job: key, pod: name, node });
      await remove(client, PODS, pod, stores.pods, { force: true });
    } else {
      areSpared = true;
    }
  }));
  const late = leaving.filter(({ observed, policy }) => isLate(observed, policy, now));
  await Promise.all(nodesOf(late.map(({ observed }) => observed)).map(async (node) => leases.look(node)));
  const times = leaving.flatMap(({ observed, policy }) => [observed.deletionDeadline ?? 0, forceDeletionTime(observed, policy) ?? 0])
    .filter((time) => time > now).map((time) => time - now + 1);
  const waits = [...times, ...(late.length > 0 || areSpared ? [LOOK_MS] : [])];
  return waits.length > 0 ? waits.reduce((first, time) => Math.min(first, time)) : undefined;
}

/** Pods that were asked to go, on nodes that are known, of jobs that are deleted. */
function leavingOrphans(key: string, job: TrainingJobObject | undefined, { stores, former, states }: StuckOrphansOptions): LeavingPod[] {
  const { uid, deletionTimestamp } = job?.metadata ?? {};
  return stores.pods.byIndex(BY_JOB, key).flatMap((pod): LeavingPod[] => {
    const ownerUid = controllerOf(pod)?.uid;
    const isLeaving = pod.metadata?.deletionTimestamp !== undefined && (ownerUid !== uid || deletionTimestamp !== undefined);
    const nodeState = isLeaving ? states.of(pod.spec?.nodeName) : undefined;
    return nodeState === undefined ? [] : [{
      pod, observed: observePod(pod, nodeState), policy: ownerUid === uid ? nodeLossPolicy(job!) : former.nodeLossOf(ownerUid),
    }];
  });
}

/** Answers what a node is like now, and tells the cache. */
interface NodeReader {
  read(name: string): Promise<NodeState>;
}

/**
 * The last look before a pod is deleted by force. The planner decides by a cache of nodes, and a watch may be behind: the node may be ready again, or
 * another one may bear its name by now, and then its kubelet ends the pod in good order. A second process of a rank next to the first one must not
 * come from old news.
 */
export class ForcedDeletion {
  public constructor(private readonly nodes: NodeReader, private readonly pods: Store<PodObject>, private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * Whether the pod may still be deleted by force, by what its node is like now.
   * @throws ApiError, TransportError when the node cannot be read: nothing is known, and nothing may be done
   */
  public async isRight(job: TrainingJobObject, { name, uid }: { readonly name: string; readonly uid: string }): Promise<boolean> {
    const pod = this.pods.get(keyOf(job.metadata?.namespace, name));
    const { resolved } = resolveOnce(job.metadata!.name!, job.spec);
    return pod?.metadata?.uid === uid && resolved !== undefined && this.isDue(pod, resolved.runPolicy);
  }

  /** As {@link isRight}, of a pod of a job that may be gone. */
  public async isDue(pod: PodObject, policy: Pick<ResolvedRunPolicy, 'nodeLoss'>): Promise<boolean> {
    const node = pod.spec?.nodeName;
    const time = node === undefined ? undefined : forceDeletionTime(observePod(pod, await this.nodes.read(node)), policy);
    return time !== undefined && time <= this.clock.now();
  }
}
