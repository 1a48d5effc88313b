/** Rules on gangs, queues and topologies. Types and ranges are right already. */
import type { ResolvedTrainingJob } from '../replicas/resolve';
import type { GangScheduler } from '../scheduling';
import { DNS_LABEL_MAX_LENGTH, isLabelValue } from '../../names';
import { ViolationCollector, type Violation } from '../../violations';

/** Gang schedulers that have queues of their own. */
const WITH_QUEUES: readonly GangScheduler[] = ['Volcano', 'Kai', 'YuniKorn'];

/** Kueue's limit on the name of a topology level. */
const TOPOLOGY_LEVEL_MAX_LENGTH = 63;

/** Checks `spec.scheduling` of a resolved job. */
export function validateScheduling(job: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  validateGang(job, violations);
  validateQueue(job, violations);
  validateTopology(job, violations);
  return violations.violations;
}

function validateGang({ spec, replicas }: ResolvedTrainingJob, violations: ViolationCollector): void {
  const gang = spec.scheduling?.gang;
  if (gang === undefined) {
    return;
  }
  const { minAvailable, queue, scheduler } = gang;
  const path = 'spec.scheduling.gang';
  if (minAvailable !== undefined && spec.elastic !== undefined && minAvailable > spec.elastic.minReplicas) {
    violations.add(`${path}.minAvailable`, minAvailable,
      `must be at most spec.elastic.minReplicas (${spec.elastic.minReplicas}): an elastic job that has shrunk would be below its minimum. Lower it.`);
  } else if (minAvailable !== undefined && minAvailable > replicas.length) {
    violations.add(`${path}.minAvailable`, minAvailable,
      `must be at most the number of replicas of all roles (${replicas.length}), or the gang can never be placed. Lower it, or leave it out for all.`);
  }
  if (queue !== undefined && !WITH_QUEUES.includes(scheduler)) {
    violations.add(`${path}.queue`, queue, `is for ${WITH_QUEUES.join(', ')}; ${scheduler} has no queues. Remove it.`);
  }
  if (queue !== undefined && scheduler !== 'Volcano' && !isLabelValue(queue)) {
    violations.add(`${path}.queue`, queue, `must be the value of a label, because ${scheduler} reads it from one: at most 63 letters, digits, '-', '_' and '.'.`);
  }
}

function validateQueue({ spec }: ResolvedTrainingJob, violations: ViolationCollector): void {
  const { queueName, queueMode, queuePriorityClassName } = spec.scheduling ?? {};
  if (queueName === undefined) {
    for (const [field, value] of Object.entries({ queueMode, queuePriorityClassName })) {
      if (value !== undefined) {
        violations.add(`spec.scheduling.${field}`, value, 'is for jobs in a queue of Kueue. Set spec.scheduling.queueName, or remove it.');
      }
    }
    return;
  }
  if (queueMode === 'PodGroup') {
    for (const [field, value] of Object.entries({ queueName, queuePriorityClassName })) {
      if (value !== undefined && value.length > DNS_LABEL_MAX_LENGTH) {
        violations.add(`spec.scheduling.${field}`, value, 'must have at most 63 characters with queueMode PodGroup, where pods carry it as a label.');
      }
    }
  }
}

function validateTopology({ spec }: ResolvedTrainingJob, violations: ViolationCollector): void {
  const { topology, spread, queueName } = spec.scheduling ?? {};
  if (topology !== undefined && queueName !== undefined && topology.key.length > TOPOLOGY_LEVEL_MAX_LENGTH) {
    violations.add('spec.scheduling.topology.key', topology.key, `must have at most ${TOPOLOGY_LEVEL_MAX_LENGTH} characters for a queued job: Kueue's limit for levels.`);
  }
  if (spread !== undefined && spread.key === topology?.key) {
    violations.add('spec.scheduling.spread.key', spread.key,
      'is the level that topology keeps all replicas within. Spread them over a level below it, or remove one of the two.');
  }
}
