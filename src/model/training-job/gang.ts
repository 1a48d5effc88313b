/** What a gang is: how many replicas have to be placed together, and how long they may take. */
import type { ResolvedTrainingJob } from './replicas/resolve';

/** Seconds that a gang may stay in part before it is released, unless the job says otherwise. */
const DEFAULT_SCHEDULE_TIMEOUT_SECONDS = 60;

/**
 * How many replicas have to be placed together; undefined when the job is no gang. Only pods that exist together count: all replicas of an
 * attempt do, init steps are containers of theirs, and of an elastic job those that it cannot do without: the fewest that train, and with
 * Horovod the launcher.
 */
export function gangMinimum(job: ResolvedTrainingJob): number | undefined {
  const { scheduling, elastic } = job.spec;
  if (scheduling?.gang === undefined) {
    return undefined;
  }
  const needed = elastic === undefined ? job.replicas.length : elastic.minReplicas + job.replicas.length - job.trainers;
  return Math.min(scheduling.gang.minAvailable ?? needed, job.replicas.length);
}

/** Seconds after which a gang that is placed in part is released. */
export function scheduleTimeoutSeconds(job: ResolvedTrainingJob): number {
  return job.spec.scheduling?.gang?.scheduleTimeoutSeconds ?? DEFAULT_SCHEDULE_TIMEOUT_SECONDS;
}
