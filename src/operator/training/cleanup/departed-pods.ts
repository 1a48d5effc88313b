/**
 * The last words of pods. A kubelet writes the end of a pod's containers into its status and removes the pod in the same breath, so that a pass
 * over the
 * job seldom sees the one before the other. What a pod had to say there (its stacks, what its checks found) is kept until the job's status has it.
 *
 * In memory alone: an operator that dies in that moment loses the stacks of that failure, and nothing else.
 */
import { observePod } from '../plan/observe/observe-pod';
import type { ObservedPod } from '../plan/types';
import { ownerKey, type PodObject } from '../resources';
import { controllerOf } from '../../runtime/kube-object';
import type { Store } from '../../runtime/watch/store';

/** Most pods of a job whose words are kept; the first to go are kept, because the others most likely say the same. */
const MAX_PODS = 64;

/** Most jobs; the one that nothing was added to for longest gives way. */
const MAX_JOBS = 32;

/** See the top of this file. */
export class DepartedPods {
  /** By the job's {@link ownerKey}, then by uid of the pod. */
  private readonly jobs = new Map<string, Map<string, ObservedPod>>();

  /** @param pods the cache from which pods vanish */
  public constructor(pods: Store<PodObject>) {
    pods.onChange(({ previous, current }) => {
      const uid = previous && controllerOf(previous)?.uid;
      if (uid !== undefined && previous!.metadata?.uid !== current?.metadata?.uid) {
        this.note(ownerKey({ namespace: previous!.metadata?.namespace, uid }), observePod(previous!));
      }
    });
  }

  /** Pods of the job that are gone and had something to say. */
  public of(owner: string): readonly ObservedPod[] {
    return [...this.jobs.get(owner)?.values() ?? []];
  }

  private note(owner: string, pod: ObservedPod): void {
    if (pod.stacks === undefined && pod.preflight === undefined) {
      return;
    }
    const known = [...this.jobs.get(owner) ?? []].filter(([, earlier]) => earlier.attempt >= pod.attempt);
    this.jobs.delete(owner);
    this.jobs.set(owner, new Map([...known, [pod.uid, pod] as const].slice(0, MAX_PODS)));
    const [oldest] = this.jobs.keys();
    if (this.jobs.size > MAX_JOBS) {
      this.jobs.delete(oldest);
    }
  }
}
