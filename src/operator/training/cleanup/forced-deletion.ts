/**
 * The last look before a pod is deleted by force. The planner decides by a cache of nodes, and a watch may be behind: the node may be ready again, or
 * another one may bear its name by now, and then its kubelet ends the pod in good order. A second process of a rank beside the first one must not
 * come from old news.
 */
import { observePod } from '../plan/observe/observe-pod';
import { forceDeletionTime } from '../plan/failures/node-loss';
import { resolveOnce } from '../plan/resolve-once';
import type { NodeState } from '../plan/types';
import type { PodObject, TrainingJobObject } from '../resources';
import type { ResolvedRunPolicy } from '../../../model/training-job/run-policy';
import type { Clock } from '../../runtime/process/clock';
import { keyOf } from '../../runtime/kube-object';
import type { Store } from '../../runtime/watch/store';

/** Answers what a node is like now, and tells the cache. */
export interface NodeReader {
  read(name: string): Promise<NodeState>;
}

/** See the top of this file. */
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
