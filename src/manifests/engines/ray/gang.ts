/** Gangs on KubeRay: its operator makes them, for the one scheduler that it was started with. */
import type { RayBatchScheduler, RayEngineSettings } from './settings';
import { rayGangLabels } from '../../ray/metadata';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** What KubeRay calls the schedulers. */
const SCHEDULERS: { readonly [scheduler in GangScheduler]?: RayBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Kai: 'kai-scheduler', Coscheduling: 'scheduler-plugins',
};

/** Why a job cannot be a gang of a scheduler's, as the rest of a sentence; undefined when it can. */
export function gangProblem(scheduler: GangScheduler, { batchScheduler }: RayEngineSettings): string | undefined {
  const wanted = SCHEDULERS[scheduler];
  if (wanted === undefined) {
    return `does not create gangs for ${scheduler} (its own gate for it is alpha)`;
  }
  if (batchScheduler === undefined) {
    return `creates gangs only if it was started with --batch-scheduler=${wanted}; if yours was, set batchScheduler in the engine's options`;
  }
  return batchScheduler === wanted ? undefined : `was started with --batch-scheduler=${batchScheduler}, so it does not create gangs for ${scheduler}`;
}

/** Labels of the RayJob, from which its cluster and pods have them. */
export function gangLabels({ scheduling }: TrainingJobSpec, { batchScheduler }: RayEngineSettings): { readonly [label: string]: string } {
  const { gang, priorityClassName } = scheduling ?? {};
  return gang === undefined ? {} : rayGangLabels({ batchScheduler, schedulerQueue: gang.queue, schedulerPriorityClassName: priorityClassName });
}
