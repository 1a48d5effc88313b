/** Labels and annotations of Ray's objects by which Kueue and batch schedulers know them. KubeRay gives them to clusters and pods. */
import type { RayClusterSpec, RayQueueSpec, Texts } from '../../model/ray/spec';
import { KUEUE_GROUP, PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../../model/kueue-names';

/** Labels by which schedulers read the queue. */
const SCHEDULER_QUEUE_LABELS: { readonly [scheduler: string]: string } = {
  'volcano': 'volcano.sh/queue-name', 'yunikorn': 'yunikorn.apache.org/queue', 'kai-scheduler': 'kai.scheduler/queue',
};

/** Label that makes a cluster a gang, for schedulers that do not treat every cluster as one. */
const GANG_LABEL = 'ray.io/gang-scheduling-enabled';

/** Label by which Volcano reads the priority of a gang. */
const GANG_PRIORITY_LABEL = 'ray.io/priority-class-name';

/** Annotation of objects that grow while they run; Kueue admits objects with an autoscaler in no other way. */
const ELASTIC_ANNOTATION = `${KUEUE_GROUP}/elastic-job`;

/** A gang on the scheduler that KubeRay was started with. */
export type RayGang = Pick<RayQueueSpec, 'batchScheduler' | 'schedulerQueue' | 'schedulerPriorityClassName'>;

export function rayGangLabels({ batchScheduler, schedulerQueue, schedulerPriorityClassName }: RayGang): Texts {
  if (batchScheduler === undefined) {
    return {};
  }
  const queue = SCHEDULER_QUEUE_LABELS[batchScheduler];
  return {
    ...(batchScheduler === 'yunikorn' || batchScheduler === 'scheduler-plugins' ? { [GANG_LABEL]: 'true' } : {}),
    ...(queue !== undefined && schedulerQueue !== undefined && { [queue]: schedulerQueue }),
    ...(batchScheduler === 'volcano' && schedulerPriorityClassName !== undefined && { [GANG_PRIORITY_LABEL]: schedulerPriorityClassName }),
  };
}

export function rayLabels(queue: RayQueueSpec): Texts {
  const { queueName, queuePriorityClassName } = queue;
  return {
    ...(queueName !== undefined && { [QUEUE_NAME_LABEL]: queueName }),
    ...(queuePriorityClassName !== undefined && { [PRIORITY_CLASS_LABEL]: queuePriorityClassName }),
    ...rayGangLabels(queue),
  };
}

export function queueAnnotations({ queueName }: RayQueueSpec, cluster: RayClusterSpec | undefined): Texts {
  return queueName !== undefined && cluster?.autoscaler !== undefined ? { [ELASTIC_ANNOTATION]: 'true' } : {};
}
