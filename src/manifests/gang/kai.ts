/**
 * KAI: labels alone. Its pod grouper makes one PodGroup of all pods that have the same owner, the job. For kinds that it does not know the
 * grouper takes one member for enough, whatever stands on the pods; that the gang is whole is then seen to by the operator, which releases it
 * when it stays in part.
 * @see https://github.com/NVIDIA/KAI-Scheduler/tree/main/pkg/podgrouper
 */
import type { GangRenderer } from './gang-renderer';

/** Queue of an installation that was left as it is. */
const DEFAULT_QUEUE = 'default-queue';

/** See the top of this file. */
export const KAI: GangRenderer = {
  title: 'KAI Scheduler',
  schedulerName: 'kai-scheduler',
  needs: 'Install KAI Scheduler',
  resources: [],
  objects: () => [],
  pod: ({ spec }) => ({ labels: { 'kai.scheduler/queue': spec.queue ?? DEFAULT_QUEUE } }),
};
