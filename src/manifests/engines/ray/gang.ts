/** Gangs on KubeRay: its operator makes them, for the one scheduler that it was started with. */
import type { RayBatchScheduler, RayEngineSettings } from './settings';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** What KubeRay calls the schedulers. */
const SCHEDULERS: { readonly [scheduler in GangScheduler]?: RayBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Kai: 'kai-scheduler', Coscheduling: 'scheduler-plugins',
};

/** Labels by which schedulers are told the queue. */
const QUEUE_LABELS: { readonly [scheduler in RayBatchScheduler]?: string } = {
  'volcano': 'volcano.sh/queue-name', 'yunikorn': 'yunikorn.apache.org/queue', 'kai-scheduler': 'kai.scheduler/queue',
};

/** Label that makes a gang of a cluster, where the scheduler does not take every one for it. */
const GANG_LABEL = 'ray.io/gang-scheduling-enabled';

/** Why a job cannot be a gang of a scheduler's, as the rest of a sentence; undefined when it can. */
export function gangProblem(scheduler: GangScheduler, { batchScheduler }: RayEngineSettings): string | undefined {
  const wanted = SCHEDULERS[scheduler];
  if (wanted === undefined) {
    return `makes no gangs for ${scheduler} (its own gate for it is alpha)`;
  }
  if (batchScheduler === undefined) {
    return `makes gangs only where it was started with --batch-scheduler=${wanted}; if yours was, say so by batchScheduler in the engine's options`;
  }
  return batchScheduler === wanted ? undefined : `was started with --batch-scheduler=${batchScheduler}, and so makes no gangs for ${scheduler}`;
}

/** Labels of the RayJob, from which its cluster and pods have them. */
export function gangLabels({ scheduling, ...spec }: TrainingJobSpec, { batchScheduler }: RayEngineSettings): { readonly [label: string]: string } {
  const { gang } = scheduling ?? {};
  if (gang === undefined || batchScheduler === undefined) {
    return {};
  }
  const queue = QUEUE_LABELS[batchScheduler];
  return {
    ...(batchScheduler === 'yunikorn' || batchScheduler === 'scheduler-plugins' ? { [GANG_LABEL]: 'true' } : {}),
    ...(queue !== undefined && gang.queue !== undefined && { [queue]: gang.queue }),
    ...(batchScheduler === 'volcano' && scheduling?.priorityClassName !== undefined && spec && { 'ray.io/priority-class-name': scheduling.priorityClassName }),
  };
}
