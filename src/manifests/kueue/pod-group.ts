/**
 * A queued job as a plain pod group: labels and annotations on its pods, and Kueue does the rest. It gates the pods until all of them are admitted,
 * and deletes them to preempt the job, which the operator handles like any disruption.
 *
 * Each attempt is a separate group: a restarted gang requests its quota again, while the rest of the last attempt releases its own.
 * @see https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
 */
import * as names from '../../model/kueue-names';
import type { Replica } from '../../model/frameworks/contract';
import { restartScopeOf } from '../../model/training-job/restart-in-place';
import { REPLICA_INDEX_LABEL } from '../../model/labels';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Labels and annotations of a pod. */
export interface QueueMetadata {
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
}

/** Metadata of a replica's pod for Kueue; undefined if the job is not queued in this way. */
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
      // The next attempt of a gang is a group of its own. Replicas that are restarted alone stay in theirs.
      ...(restartScopeOf(job) === 'gang' && { [names.RETRIABLE_IN_GROUP_ANNOTATION]: 'false' }),
      // Replicas of a role differ only in variables, which Kueue's own hash ignores too. A name is easier to read.
      [names.ROLE_HASH_ANNOTATION]: replica.role,
      ...(topology && {
        [topology.mode === 'Preferred' ? names.PREFERRED_TOPOLOGY_ANNOTATION : names.REQUIRED_TOPOLOGY_ANNOTATION]: topology.key,
        [names.POD_INDEX_LABEL_ANNOTATION]: REPLICA_INDEX_LABEL,
      }),
    },
  };
}
