/** Pods that hang on nodes that are lost: deleted by force when it is time, so that the names and the gang are free. See `node-loss.ts`. */
import type { Rule } from './rule';
import { forceDeletionTime, nodeLossTime, stuckPods } from '../failures/node-loss';

/** Deletes them. */
export const stuckPodsRule: Rule = {
  actions({ now }, view) {
    return stuckPods(view)
      .filter((pod) => (forceDeletionTime(pod, view.job.runPolicy) ?? Infinity) <= now)
      .map(({ name, uid }) => ({ type: 'deletePod', name, uid, force: true, reason: 'hangs on a lost node' }));
  },

  wakeAfterMs({ now }, view) {
    const { runPolicy } = view.job;
    const deletions = stuckPods(view).flatMap((pod) => forceDeletionTime(pod, runPolicy) ?? []);
    // A pod counts as lost after the node's grace, without any event.
    const losses = view.replicas.flatMap(({ pod }) => (pod && nodeLossTime(pod, runPolicy)) ?? []);
    const times = [...deletions, ...losses].filter((time) => time > now);
    return times.length > 0 ? times.reduce((first, time) => Math.min(first, time)) - now : undefined;
  },
};
