/**
 * What KubeRay supports: Ray provides nodes, and the job's driver does what the operator does with pods. KubeRay's operator creates gangs, for the
 * one scheduler that it was started with.
 */
import type { RayBatchScheduler, RayEngineSettings } from './settings';
import { each, no, partly, type EngineCapabilities } from '../capabilities';
import { KUEUE_FIELDS, MULTI_KUEUE_FIELD, withLimitation } from '../indexed/capabilities';
import { launchedFields, launchedFrameworks, type Members } from '../launched/capabilities';
import { rayGangLabels } from '../../ray/metadata';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

const NODES: Members = { name: 'nodes', onEach: 'on each of its nodes', places: 'pods' };

/** The capabilities of an installation. */
export function rayCapabilities(settings: RayEngineSettings): EngineCapabilities {
  return {
    frameworks: launchedFrameworks(NODES),
    fields: {
      ...launchedFields(NODES),
      ...KUEUE_FIELDS,
      ...each(true, 'helpers', 'roles[].image', 'roles[].resources', 'roles[].template', 'runPolicy.activeDeadlineSeconds'),
      'runPolicy.preRunningDeadlineSeconds': withLimitation('counted until the driver runs'),
      'runPolicy.ttlSecondsAfterFinished': partly('not in a queue, nor with suspend', ttl),
      'runPolicy.cleanPodPolicy': partly('None not in a queue, nor with suspend', cleanPodPolicy),
      'scheduling.gang.scheduler': partly('that of KubeRay\'s flag --batch-scheduler', (value) => gangProblem(value as GangScheduler, settings)),
      'scheduling.gang.minAvailable': no('places the head and all workers together, never only some of them'),
      'managedBy': MULTI_KUEUE_FIELD,
    },
  };
}

/** A RayJob that can be suspended must shut its cluster down at its end, which excludes deletion rules. */
function ttl(_value: unknown, { scheduling, suspend }: TrainingJobSpec): string | undefined {
  if (scheduling?.queueName !== undefined) {
    return 'is queued by Kueue only if its cluster is shut down at its end, and then KubeRay does not delete the job after a TTL';
  }
  return suspend ? 'suspends only jobs whose cluster is shut down at their end, and then does not delete the job after a TTL' : undefined;
}

function cleanPodPolicy(value: unknown, { scheduling, suspend }: TrainingJobSpec): string | undefined {
  if (value !== 'None') {
    return undefined;
  }
  if (scheduling?.queueName !== undefined) {
    return 'is queued by Kueue only if its pods are deleted at the end of the job';
  }
  return suspend ? 'suspends only jobs whose pods are deleted at their end' : undefined;
}

/** KubeRay's names of the schedulers. */
const SCHEDULERS: { readonly [scheduler in GangScheduler]?: RayBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Kai: 'kai-scheduler', Coscheduling: 'scheduler-plugins',
};

/** Why KubeRay cannot create a gang for a scheduler, as the rest of a sentence; undefined if it can. */
function gangProblem(scheduler: GangScheduler, { batchScheduler }: RayEngineSettings): string | undefined {
  const wanted = SCHEDULERS[scheduler];
  if (wanted === undefined) {
    return `does not create gangs for ${scheduler} (its own gate for it is alpha)`;
  }
  if (batchScheduler === undefined) {
    return `creates gangs only if it was started with --batch-scheduler=${wanted}; if yours was, set batchScheduler in the engine's options`;
  }
  return batchScheduler === wanted ? undefined : `was started with --batch-scheduler=${batchScheduler}, so it does not create gangs for ${scheduler}`;
}

/** Gang labels of the RayJob. KubeRay copies them to its cluster and pods. */
export function gangLabels({ scheduling }: TrainingJobSpec, { batchScheduler }: RayEngineSettings): { readonly [label: string]: string } {
  const { gang, priorityClassName } = scheduling ?? {};
  return gang === undefined ? {} : rayGangLabels({ batchScheduler, schedulerQueue: gang.queue, schedulerPriorityClassName: priorityClassName });
}
