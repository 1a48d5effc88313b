/**
 * The replicas of a job held against its pods: who is there, who has succeeded, who is missing. Every later step of the planner asks this view and
 * not the raw pods.
 *
 * Counting restarts in place. Every pod has a number of failures that only grows while the pod lives, and is gone with it. The status keeps one
 * number, their sum over the pods of the attempt as it was when it was last written (`containerRestarts`), in the same write as the counts that
 * follow from it:
 *
 *   - what the sum exceeds that number by has not been counted yet, and is counted once: a write that fails changes neither of the two;
 *   - what the planner itself takes out of the sum (a replaced pod, an attempt that ends) goes out of the number in the same decision;
 *   - when pods vanish the sum falls, and the number follows; a failure of another pod that is seen in that same moment may go uncounted.
 *
 * So a failure is never counted twice, nothing is kept for each replica, and a pod that goes takes no counted failure with it.
 */
import { formatIndexes, parseIndexes } from '../index-set';
import type { Observation, ObservedPod } from '../types';
import type { Replica } from '../../../../model/frameworks/contract';
import type { ResolvedRole, ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import type { ReplacedPod, RoleStatus, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** A replica and its pod. */
export interface ReplicaView {
  readonly replica: Replica;
  readonly role: ResolvedRole;
  /** The pod of the current attempt, unless it is being replaced. */
  readonly pod?: ObservedPod;
  /** A pod that holds the replica's name and has to go first: of an older attempt, replaced, or forged. */
  readonly outgoing?: ObservedPod;
  /** Whether the replica is to be created again after a failure or loss that was already decided on. */
  readonly replaced: boolean;
  readonly succeeded: boolean;
}

/** All of them, and what follows from the whole. */
export interface JobView {
  readonly job: ResolvedTrainingJob;
  readonly attempt: number;
  /** Whether all replicas of the attempt were there at some time. */
  readonly hasStarted: boolean;
  readonly replicas: readonly ReplicaView[];
  /** Pods that no replica of the job has a place for. */
  readonly surplus: readonly ObservedPod[];
  /** Pods that are newer than the status that was read, so that nothing can be decided from it. */
  readonly later: readonly ObservedPod[];
  /** Replacements that are still under way. */
  readonly replacing: readonly ReplacedPod[];
}

/** Builds the view. */
export function viewReplicas(job: ResolvedTrainingJob, observation: Observation): JobView {
  const status = observation.job.status;
  const attempt = status.attempt ?? 0;
  const later = observation.pods.filter((pod) => pod.attempt > attempt);
  const forged = new Set(later.filter((pod) => pod.forged));
  const pods = new Map(observation.pods.map((pod) => [pod.name, pod]));
  // An entry is done with as soon as its successor is seen: a pod of the same name and another uid.
  const replacing = (status.replacing ?? []).filter((entry) => {
    const pod = pods.get(entry.pod);
    return pod === undefined || pod.uid === entry.uid;
  });
  const replacedUids = new Map(replacing.map((entry) => [entry.pod, entry.uid]));
  const remembered = rememberedSuccesses(status);
  const unseen = status.attemptStarted ? parseIndexes(status.elastic?.unseen) : new Set<number>();
  const roles = new Map(job.roles.map((role) => [role.name, role]));
  const replicas = job.replicas.map((replica): ReplicaView => {
    const role = roles.get(replica.role)!;
    const found = pods.get(replica.podName);
    pods.delete(replica.podName);
    const outgoing = found && (found.attempt < attempt || forged.has(found) || replacedUids.get(found.name) === found.uid) ? found : undefined;
    const pod = found && !outgoing ? found : undefined;
    return {
      replica,
      role,
      pod,
      outgoing,
      // Of an elastic job's new replicas none is lost before its first pod was seen.
      replaced: replacedUids.has(replica.podName) || (found === undefined && unseen.has(replica.ordinal)),
      // A role that is always restarted has no success that could stand. And a pod that was asked to go before it ended has most likely saved a
      // checkpoint and left with 0: to call that a success would end a job that is half done.
      succeeded: role.restartPolicy !== 'Always'
        && ((pod?.state === 'Succeeded' && !pod.deleting) || remembered.get(replica.role)?.has(replica.index) === true),
    };
  });
  return {
    job,
    attempt,
    hasStarted: status.attemptStarted === true,
    replicas,
    surplus: [...pods.values()],
    later: later.filter((pod) => !forged.has(pod)),
    replacing,
  };
}

/** Counts of each role for the status. */
export function roleStatuses(view: JobView): RoleStatus[] {
  return view.job.roles.map((role) => {
    const mine = view.replicas.filter((entry) => entry.role === role);
    const count = (test: (entry: ReplicaView) => boolean) => mine.filter(test).length;
    return {
      role: role.name,
      replicas: role.replicas,
      pending: count((entry) => !entry.succeeded && entry.pod?.state === 'Waiting'),
      running: count((entry) => !entry.succeeded && entry.pod?.state === 'Running'),
      succeeded: count((entry) => entry.succeeded),
      failed: count((entry) => !entry.succeeded && entry.pod?.state === 'Failed'),
      succeededIndexes: formatIndexes(new Set(mine.filter((entry) => entry.succeeded).map((entry) => entry.replica.index))),
    };
  });
}

function rememberedSuccesses(status: TrainingJobStatus): Map<string, Set<number>> {
  return new Map((status.workerStatuses ?? []).map((role) => [role.role, parseIndexes(role.succeededIndexes)]));
}

/** The sum over the job's pods. @param without uids of pods that leave it */
export function containerRestarts(view: JobView, without: ReadonlySet<string> = new Set()): number {
  return view.replicas.reduce((sum, { pod }) => sum + (pod && !without.has(pod.uid) ? pod.containerRestarts ?? 0 : 0), 0);
}

/** The number for the status: absent when it is 0. */
export function containerRestartsField(count: number): number | undefined {
  return count > 0 ? count : undefined;
}
