/**
 * KAI: only labels. Its pod grouper creates one PodGroup for all pods with the same owner, the job. For unknown kinds its minimum is always one
 * member, so the operator makes sure that the gang is complete, and releases it if it stays incomplete.
 * @see https://github.com/NVIDIA/KAI-Scheduler/tree/main/pkg/podgrouper
 */
import type { GangRenderer } from './gang-renderer';

/** Queue of a default installation. */
const DEFAULT_QUEUE = 'default-queue';

export const KAI: GangRenderer = {
  title: 'KAI Scheduler',
  schedulerName: 'kai-scheduler',
  needs: 'Install KAI Scheduler',
  resources: [],
  objects: () => [],
  pod: ({ spec }) => ({ labels: { 'kai.scheduler/queue': spec.queue ?? DEFAULT_QUEUE } }),
};
