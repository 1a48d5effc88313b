/**
 * The last words of pods. A kubelet writes the end of a pod's containers into its status and removes the pod in the same breath, so that a pass
 * over the
 * job seldom sees the one before the other. What a pod had to say there (its stacks, what its checks found) is kept until the job's status has it.
 *
 * In memory alone: an operator that dies in that moment loses the stacks of that failure, and nothing else.
 */
import { observePod } from './plan/observe-pod';
import type { ObservedPod } from './plan/types';
import type { PodObject } from './resources';
import { controllerOf } from '../runtime/ownership';
import type { Store } from '../runtime/store';

/** Most pods of a job whose words are kept; the first to go are kept, because the others most likely say the same. */
const MAX_PODS = 64;

/** Most jobs; the one that nothing was added to for longest gives way. */
const MAX_JOBS = 32;

/** See the top of this file. */
export class DepartedPods {
  /** By uid of the job, then of the pod. */
  private readonly jobs = new Map<string, Map<string, ObservedPod>>();

  /** @param pods the cache from which pods vanish */
  public constructor(pods: Store<PodObject>) {
    pods.onChange(({ previous, current }) => {
      const job = previous && controllerOf(previous)?.uid;
      if (job !== undefined && previous!.metadata?.uid !== current?.metadata?.uid) {
        this.note(job, observePod(previous!));
      }
    });
  }

  /** Pods of the job that are gone and had something to say. */
  public of(jobUid: string): readonly ObservedPod[] {
    return [...this.jobs.get(jobUid)?.values() ?? []];
  }

  private note(jobUid: string, pod: ObservedPod): void {
    if (pod.stacks === undefined && pod.preflight === undefined) {
      return;
    }
    const known = [...this.jobs.get(jobUid) ?? []].filter(([, earlier]) => earlier.attempt >= pod.attempt);
    this.jobs.delete(jobUid);
    this.jobs.set(jobUid, new Map([...known, [pod.uid, pod] as const].slice(0, MAX_PODS)));
    const [oldest] = this.jobs.keys();
    if (this.jobs.size > MAX_JOBS) {
      this.jobs.delete(oldest);
    }
  }
}
