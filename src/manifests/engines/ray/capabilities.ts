/**
 * What KubeRay can do with a job: Ray gives nodes, and the driver that comes with the job does what the operator does with pods.
 *
 * Gangs on KubeRay: its operator makes them, for the one scheduler that it was started with.
 */
import type { RayBatchScheduler, RayEngineSettings } from './settings';
import { no, partly, type EngineCapabilities } from '../capabilities';
import { KUEUE_FIELDS } from '../indexed/capabilities';
import { launchedFields, launchedFrameworks, type Members } from '../launched/capabilities';
import { rayGangLabels } from '../../ray/metadata';
import { OPERATOR_NAME } from '../../../model/labels';
import type { GangScheduler } from '../../../model/training-job/scheduling';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { MULTI_KUEUE_CONTROLLER } from '../../../model/kueue-names';

const NODES: Members = { name: 'nodes', onEach: 'on each of its nodes', places: 'pods' };

/** The answers for an installation. */
export function rayCapabilities(settings: RayEngineSettings): EngineCapabilities {
  return {
    frameworks: launchedFrameworks(NODES),
    fields: {
      ...launchedFields(NODES),
      ...KUEUE_FIELDS,
      'helpers': true,
      'roles[].image': true,
      'roles[].resources': true,
      'roles[].template': true,
      'runPolicy.preRunningDeadlineSeconds': partly('counted until the driver runs', () => undefined),
      'runPolicy.activeDeadlineSeconds': true,
      'runPolicy.ttlSecondsAfterFinished': partly('not in a queue, nor with suspend', ttl),
      'runPolicy.cleanPodPolicy': partly('None not in a queue, nor with suspend', cleanPodPolicy),
      'scheduling.gang.scheduler': partly('that of KubeRay\'s flag --batch-scheduler', (value) => gangProblem(value as GangScheduler, settings)),
      'scheduling.gang.minAvailable': no('places the head and all workers together, never only some of them'),
      'managedBy': partly(MULTI_KUEUE_CONTROLLER, (value) => (value === MULTI_KUEUE_CONTROLLER || value === OPERATOR_NAME ? undefined : `is managed by itself or by ${MULTI_KUEUE_CONTROLLER}`)),
    },
  };
}

/** A RayJob that is suspended has to shut its cluster down when it ends, and rules for what is deleted then exclude that. */
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

/** What KubeRay calls the schedulers. */
const SCHEDULERS: { readonly [scheduler in GangScheduler]?: RayBatchScheduler } = {
  Volcano: 'volcano', YuniKorn: 'yunikorn', Kai: 'kai-scheduler', Coscheduling: 'scheduler-plugins',
};

/** Why a job cannot be a gang of a scheduler's, as the rest of a sentence; undefined when it can. */
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

/** Labels of the RayJob, from which its cluster and pods have them. */
export function gangLabels({ scheduling }: TrainingJobSpec, { batchScheduler }: RayEngineSettings): { readonly [label: string]: string } {
  const { gang, priorityClassName } = scheduling ?? {};
  return gang === undefined ? {} : rayGangLabels({ batchScheduler, schedulerQueue: gang.queue, schedulerPriorityClassName: priorityClassName });
}
