/**
 * A queued job as a plain pod group: labels and annotations on its pods, and Kueue does the rest. It gates the pods until all of them are
 * admitted, and deletes them when it wants the room back, which the operator answers as it answers every disruption.
 *
 * Each attempt is a group of its own. A restarted gang then asks for its quota again, while what is left of the last attempt gives its own back.
 * @see https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
 */
import * as names from '../../model/kueue-names';
import type { Replica } from '../../model/frameworks/contract';
import { REPLICA_INDEX_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Labels and annotations of a pod. */
export interface QueueMetadata {
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
}

/** What the pod of a replica carries for Kueue; undefined when the job is not queued in this way. */
export function podGroupMetadata(job: ResolvedTrainingJob, replica: Replica, attempt: number): QueueMetadata | undefined {
  const { queueName, queueMode, queuePriorityClassName, topology } = job.spec.scheduling ?? {};
  if (queueName === undefined || queueMode !== 'PodGroup') {
    return undefined;
  }
  return {
    labels: {
      [names.QUEUE_NAME_LABEL]: queueName,
      [names.POD_GROUP_NAME_LABEL]: `${job.name}-${attempt}`,
      ...(queuePriorityClassName !== undefined && { [names.PRIORITY_CLASS_LABEL]: queuePriorityClassName }),
    },
    annotations: {
      [names.POD_GROUP_TOTAL_COUNT_ANNOTATION]: String(job.replicas.length),
      // All pods are created together; Kueue need not wait until it has seen the last.
      [names.POD_GROUP_FAST_ADMISSION_ANNOTATION]: 'true',
      // Replicas of a role differ in their variables only, which Kueue's own hash is not told apart by either; a name reads better.
      [names.ROLE_HASH_ANNOTATION]: replica.role,
      ...(topology && {
        [topology.mode === 'Preferred' ? names.PREFERRED_TOPOLOGY_ANNOTATION : names.REQUIRED_TOPOLOGY_ANNOTATION]: topology.key,
        [names.POD_INDEX_LABEL_ANNOTATION]: REPLICA_INDEX_LABEL,
      }),
    },
  };
}
