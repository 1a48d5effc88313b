/** Rules on queues of Kueue and on gangs. @see https://kueue.sigs.k8s.io/docs/tasks/run/rayjobs/ */
import type { RayKind } from './names';
import type { RayClusterSpec, RayQueueSpec } from './spec';
import { ViolationCollector, type Violation } from '../violations';

/** Most groups of workers of a queued object: Kueue counts 18 kinds of pods at most, with the head. */
const QUEUED_GROUPS_MAX = 17;

export interface QueuedRayObject {
  readonly kind: RayKind;
  readonly queue: RayQueueSpec;
  /** Undefined for jobs on a cluster that exists. */
  readonly cluster?: RayClusterSpec;
  readonly path: string;
  readonly suspend?: boolean;
}

export function validateRayQueue({ kind, queue, cluster, path, suspend }: QueuedRayObject): Violation[] {
  const violations = new ViolationCollector();
  const { queueName, queuePriorityClassName, multiKueue, batchScheduler, schedulerQueue, schedulerPriorityClassName } = queue;
  if (queueName === undefined) {
    for (const [field, value] of [['kueue.x-k8s.io/priority-class', queuePriorityClassName], ['kueue.x-k8s.io/multikueue', multiKueue || undefined]] as const) {
      if (value !== undefined) {
        violations.add(field === 'kueue.x-k8s.io/multikueue' ? 'spec.managedBy' : `metadata.labels['${field}']`, value, 'applies to Kueue, but the object is not in a queue. Set queueName.');
      }
    }
  } else {
    if (suspend !== undefined) {
      violations.add('spec.suspend', suspend, 'is decided by Kueue for an object in a queue. Remove one of the two.');
    }
    if (cluster !== undefined && cluster.workerGroups.length > QUEUED_GROUPS_MAX) {
      violations.add(`${path}.workerGroupSpecs`, cluster.workerGroups.length, `are too many groups for a queue: Kueue supports ${QUEUED_GROUPS_MAX} in addition to the head. Merge some of them.`);
    }
    if (cluster?.autoscaler !== undefined && kind === 'RayService') {
      violations.add(`${path}.enableInTreeAutoscaling`, true, 'cannot be combined with a queue: Kueue supports growing RayClusters and RayJobs, but not RayServices. Remove one of the two.');
    }
  }
  for (const [field, value] of [['queue', schedulerQueue], ['priorityClassName', schedulerPriorityClassName]] as const) {
    if (value !== undefined && batchScheduler === undefined) {
      violations.add(`gang.${field}`, value, 'applies to a batch scheduler, and none is set. Set the scheduler that KubeRay was started with.');
    }
  }
  if (schedulerQueue !== undefined && batchScheduler === 'scheduler-plugins') {
    violations.add('gang.queue', schedulerQueue, 'is not supported by scheduler-plugins. Remove it.');
  }
  return violations.violations;
}
