/**
 * The last look before a pod is deleted by force. The planner decides by a cache of nodes, and a watch may be behind: the node may be ready again, or
 * another one may bear its name by now, and then its kubelet ends the pod in good order. A second process of a rank beside the first one must not
 * come from old news.
 */
import { observePod } from './plan/observe-pod';
import { forceDeletionTime } from './plan/node-loss';
import { resolveOnce } from './plan/resolve-once';
import type { NodeState } from './plan/types';
import type { PodObject, TrainingJobObject } from './resources';
import type { Clock } from '../runtime/clock';
import { keyOf } from '../runtime/kube-object';
import type { Store } from '../runtime/store';

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
    const node = pod?.spec?.nodeName;
    const { resolved } = resolveOnce(job.metadata!.name!, job.spec);
    if (pod?.metadata?.uid !== uid || node === undefined || resolved === undefined) {
      return false;
    }
    const time = forceDeletionTime(observePod(pod, await this.nodes.read(node)), resolved.runPolicy);
    return time !== undefined && time <= this.clock.now();
  }
}
