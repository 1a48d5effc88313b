/**
 * Counting restarts in place. Every pod has a number of failures that only grows while the pod lives, and is gone with it. The status keeps one
 * number, their sum over the pods of the attempt as it was when it was last written (`containerRestarts`), in the same write as the counts that
 * follow from it:
 *
 *   - what the sum exceeds that number by has not been counted yet, and is counted once: a write that fails changes neither of the two;
 *   - what the planner itself takes out of the sum (a replaced pod, an attempt that ends) goes out of the number in the same decision;
 *   - when pods vanish the sum falls, and the number follows; a failure of another pod that is seen in that same moment may go uncounted.
 *
 * So a failure is never counted twice, nothing is kept for each replica, and a pod that goes takes no counted failure with it.
 */
import type { JobView } from './replicas-view';

/**
 * The sum over the job's pods.
 * @param without uids of pods that leave it
 */
export function containerRestarts(view: JobView, without: ReadonlySet<string> = new Set()): number {
  return view.replicas.reduce((sum, { pod }) => sum + (pod && !without.has(pod.uid) ? pod.containerRestarts ?? 0 : 0), 0);
}

/** The number for the status: absent when it is 0. */
export function containerRestartsField(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
