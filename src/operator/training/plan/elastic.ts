/**
 * Elastic jobs: how many replicas the operator acts on, and when enough of them are there.
 *
 * A new number of replicas takes effect by a decision (`rules/elastic.ts`) that is written to the status first. Until then the job is planned with
 * the number before. So a pod that goes because of the decision is never taken for a lost one; and a place that was given up is only given out again
 * when its last pod is gone, so that the end of that pod is nobody's failure.
 */
import type { JobView, ReplicaView } from './observe/replicas-view';
import { JOB_LABEL, ROLE_LABEL } from '../../../model/labels';
import { hasHelpers } from '../../../model/training-job/replicas/helpers';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';

/** Reason of the condition Running of a job that goes on with fewer replicas than are wanted. */
export const RUNNING_BELOW_DESIRED = 'RunningBelowDesired';

/** The last one that was asked for, for each job: a number of replicas stands for many passes. */
const acting = new WeakMap<ResolvedTrainingJob, ResolvedTrainingJob>();

/** The job with as many replicas as the status says that the operator acts on. */
export function actingJob(wanted: ResolvedTrainingJob, status: TrainingJobStatus): ResolvedTrainingJob {
  const replicas = status.elastic?.replicas;
  if (wanted.spec.elastic === undefined || replicas === undefined || replicas === wanted.spec.replicas) {
    return wanted;
  }
  let job = acting.get(wanted);
  if (job?.spec.replicas !== replicas) {
    job = resolveTrainingJob(wanted.name, { ...wanted.spec, replicas });
    acting.set(wanted, job);
  }
  return job;
}

/**
 * Whether the job runs: all replicas are up; of an elastic job the coordinator and as many as it needs at least. Once all were up, helpers may be
 * replaced while the others train.
 * @param allUp whether all are
 */
export function isEnoughUp(view: JobView, allUp: boolean): boolean {
  const { elastic } = view.job.spec;
  if (allUp || elastic === undefined) {
    return allUp || goesOnWithoutHelpers(view);
  }
  return isUp(view.replicas[0]) && view.replicas.filter((entry) => entry.replica.rank !== undefined && isUp(entry)).length >= elastic.minReplicas;
}

/** Whether a job continues to run next to the replacements that `change` decides on. */
export function canGoOn(view: JobView, status: TrainingJobStatus, change: Partial<TrainingJobStatus>): boolean {
  return (view.job.spec.elastic !== undefined || hasHelpers(view.job)) && status.phase === 'Running' && change.attempt === undefined && isEnoughUp(view, false);
}

/** Whether all have been there, and no others than helpers are missing since. */
function goesOnWithoutHelpers({ job, replicas, hasStarted }: JobView): boolean {
  return hasStarted && hasHelpers(job) && replicas.every((entry) => entry.role.helper !== undefined || isUp(entry));
}

/** Replicas as the scale subresource counts them: those of `spec.replicas`, without a launcher. */
export function scaledReplicas(job: ResolvedTrainingJob): number {
  return job.spec.elastic === undefined ? job.replicas.length : job.trainers;
}

/** Selects the pods that {@link scaledReplicas} counts, so that an autoscaler's averages are theirs. */
export function podSelector(job: ResolvedTrainingJob): string {
  const own = `${JOB_LABEL}=${job.name}`;
  return job.spec.elastic === undefined || job.trainers === job.replicas.length
    ? own
    : `${own},${ROLE_LABEL}=${job.roles.find((role) => role.ranked)!.name}`;
}

function isUp({ pod, replaced, succeeded }: ReplicaView): boolean {
  return succeeded || (pod?.state === 'Running' && !replaced);
}
