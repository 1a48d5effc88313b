/** Rules on queues of Kueue and on gangs. @see https://kueue.sigs.k8s.io/docs/tasks/run/rayjobs/ */
import type { RayKind } from './names';
import type { RayClusterSpec, RayQueueSpec } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** Most groups of workers of a queued object: Kueue counts 18 kinds of pods at most, with the head. */
const QUEUED_GROUPS_MAX = 17;

/** A queued object. */
export interface QueuedRayObject {
  readonly kind: RayKind;
  readonly queue: RayQueueSpec;
  /** Undefined for jobs on a cluster that exists. */
  readonly cluster?: RayClusterSpec;
  readonly path: string;
  readonly suspend?: boolean;
}

/** Checks queue and scheduler of an object. */
export function validateRayQueue({ kind, queue, cluster, path, suspend }: QueuedRayObject): Violation[] {
  const violations = new ViolationCollector();
  const { queueName, queuePriorityClassName, multiKueue, batchScheduler, schedulerQueue, schedulerPriorityClassName } = queue;
  if (queueName === undefined) {
    for (const [field, value] of [['kueue.x-k8s.io/priority-class', queuePriorityClassName], ['kueue.x-k8s.io/multikueue', multiKueue || undefined]] as const) {
      if (value !== undefined) {
        violations.add(field === 'kueue.x-k8s.io/multikueue' ? 'spec.managedBy' : `metadata.labels['${field}']`, value, 'is Kueue\'s, and the object is in none of its queues. Give queueName.');
      }
    }
  } else {
    if (suspend !== undefined) {
      violations.add('spec.suspend', suspend, 'is Kueue\'s to decide for an object in a queue. Remove one of the two.');
    }
    if (cluster !== undefined && cluster.workerGroups.length > QUEUED_GROUPS_MAX) {
      violations.add(`${path}.workerGroupSpecs`, cluster.workerGroups.length, `are too many groups for a queue: Kueue counts ${QUEUED_GROUPS_MAX} beside the head. Join some of them.`);
    }
    if (cluster?.autoscaler !== undefined && kind === 'RayService') {
      violations.add(`${path}.enableInTreeAutoscaling`, true, 'cannot be combined with a queue: Kueue lets RayClusters and RayJobs grow, and no RayService. Remove one of the two.');
    }
  }
  for (const [field, value] of [['queue', schedulerQueue], ['priorityClassName', schedulerPriorityClassName]] as const) {
    if (value !== undefined && batchScheduler === undefined) {
      violations.add(`gang.${field}`, value, 'is told to a batch scheduler, and none is named. Give the scheduler that KubeRay was started with.');
    }
  }
  if (schedulerQueue !== undefined && batchScheduler === 'scheduler-plugins') {
    violations.add('gang.queue', schedulerQueue, 'is nothing that scheduler-plugins knows. Remove it.');
  }
  return violations.violations;
}
