/**
 * Kueue's protocol for owners of jobs that it does not know, as a pure state machine. Kueue's own integrations are built on its Go library
 * (pkg/controller/jobframework); this does what that library does, for any custom resource. Kueue has to be told of the kind
 * (`integrations.externalFrameworks`), and the owner of the job does the rest:
 *
 *     no Workload --create--> pending --Kueue: QuotaReserved, Admitted--> admitted: pods may be there
 *        ^                       ^                                            |  PodsReady and reclaimablePods are reported
 *        |                       |                                            v
 *      delete                    '--QuotaReserved=False, Requeued-- Evicted: pods are stopped; when the last one is gone
 *   (job suspended, or its pod sets have changed; when the last pod is gone)
 *
 *     job ended: Finished=True, from any state
 *
 * Quota is given back only when no pod is left that uses it. The functions answer one step at a time; each is safe to repeat, and names the
 * version that it was decided from, so that Kueue and the owner cannot undo each other's writes.
 *
 * What Kueue asks of integrations and this leaves out: Workload slices (elastic jobs ask for their largest size), partial admission
 * (no `minCount` is offered), and MultiKueue, whose jobs are left alone by whoever reads `spec.managedBy`.
 */
import { POD_SETS_HASH_ANNOTATION } from '../../manifests/kueue/workload';
import {
  isWorkloadConditionTrue, workloadCondition, type ReclaimablePod, type Workload, type WorkloadCondition, type WorkloadStatus,
} from './workload';

/** The job as the protocol sees it. */
export interface QueuedJob {
  /** Whether the job wants to run: it is not suspended. */
  readonly wanted: boolean;
  /** Present once the job has ended. */
  readonly finished?: { readonly succeeded: boolean; readonly message: string };
  /** Hash of the pod sets that the job has now; written on its Workload under {@link POD_SETS_HASH_ANNOTATION}. */
  readonly podSetsHash: string;
  /** Whether any pod of the job is there, also one that is leaving. */
  readonly active: boolean;
  /** Whether all pods run or have succeeded. */
  readonly podsReady: boolean;
  /** Pods that have succeeded and will not run again. Must not shrink while the Workload holds its quota. */
  readonly reclaimable: readonly ReclaimablePod[];
}

/** What the owner of the job has to do. */
export type WorkloadStep =
  | { readonly type: 'create' }
  | { readonly type: 'delete'; readonly uid: string; readonly reason: string }
  /** A merge patch of the status, valid for this version only. `null` removes a field. */
  | { readonly type: 'patchStatus'; readonly resourceVersion: string; readonly status: StatusPatch; readonly reason: string };

/** Fields of the status that a step changes. */
export type StatusPatch = { readonly [field in keyof WorkloadStatus]?: WorkloadStatus[field] | null };

/** How the job stands with Kueue. */
export interface Admission {
  readonly state: 'Waiting' | 'Admitted' | 'Evicted' | 'Ended';
  /** CamelCase reason, as far as it goes Kueue's own. */
  readonly reason: string;
  readonly message: string;
}

/** Evictions after which the Workload is queued again at once; after the others Kueue says when, by its own conditions. */
const REQUEUED_AT_ONCE = ['Preempted', 'NodeFailures'];

/** How the job stands. Only `Admitted` lets pods run. */
export function admissionOf(workload: Workload | undefined, podSetsHash: string): Admission {
  if (workload === undefined) {
    return { state: 'Waiting', reason: 'Pending', message: 'The Workload does not exist yet' };
  }
  if (workload.metadata?.deletionTimestamp !== undefined) {
    return { state: 'Evicted', reason: 'WorkloadDeleted', message: 'The Workload is being deleted' };
  }
  const finished = workloadCondition(workload, 'Finished');
  if (finished?.status === 'True') {
    return { state: 'Ended', reason: finished.reason, message: finished.message };
  }
  const evicted = workloadCondition(workload, 'Evicted');
  if (evicted?.status === 'True') {
    return { state: 'Evicted', reason: evicted.reason, message: evicted.message };
  }
  if (workload.spec?.active === false) {
    return { state: 'Evicted', reason: 'Deactivated', message: 'The Workload is deactivated (spec.active is false)' };
  }
  if (workload.metadata?.annotations?.[POD_SETS_HASH_ANNOTATION] !== podSetsHash) {
    return { state: 'Evicted', reason: 'PodSetsChanged', message: 'The job has changed since its Workload was created' };
  }
  return isWorkloadConditionTrue(workload, 'Admitted')
    ? { state: 'Admitted', reason: 'Admitted', message: `Admitted by ClusterQueue ${workload.status?.admission?.clusterQueue ?? 'unknown'}` }
    : waiting(workload);
}

/** The next step towards what the job wants, or none. */
export function nextStep(workload: Workload | undefined, job: QueuedJob, nowText: string): WorkloadStep | undefined {
  if (workload === undefined) {
    // Pods of a Workload that somebody has deleted go first: their quota is given away already.
    return job.wanted && job.finished === undefined && !job.active ? { type: 'create' } : undefined;
  }
  if (workload.metadata?.deletionTimestamp !== undefined) {
    return undefined;
  }
  const isFinished = isWorkloadConditionTrue(workload, 'Finished');
  if (job.finished !== undefined) {
    return isFinished ? undefined : finish(workload, job.finished, nowText);
  }
  const { state, reason } = admissionOf(workload, job.podSetsHash);
  if (!job.wanted || isFinished || reason === 'PodSetsChanged') {
    const why = !job.wanted ? 'the job is suspended' : isFinished ? 'it is finished, but the job is not' : 'the job has changed';
    return job.active ? undefined : { type: 'delete', uid: workload.metadata?.uid ?? '', reason: why };
  }
  if (state === 'Evicted') {
    // A Workload that is being deactivated has no Evicted condition for a moment; Kueue sets it, and says more than we know.
    const isGivenBack = !isWorkloadConditionTrue(workload, 'QuotaReserved');
    return job.active || isGivenBack || !isWorkloadConditionTrue(workload, 'Evicted') ? undefined : giveBack(workload, nowText);
  }
  return reportReclaimable(workload, job) ?? reportPodsReady(workload, job, nowText);
}

/** Why the Workload waits, in Kueue's words where it has found some. */
function waiting(workload: Workload): Admission {
  const reserved = workloadCondition(workload, 'QuotaReserved');
  if (reserved?.status === 'True') {
    const check = workload.status?.admissionChecks?.find((candidate) => candidate.state !== 'Ready');
    return {
      state: 'Waiting',
      reason: 'AdmissionCheck',
      message: check === undefined
        ? `Quota is reserved in ClusterQueue ${workload.status?.admission?.clusterQueue}, admission is in progress`
        : `Quota is reserved; admission check ${check.name} is ${check.state}${check.message ? `: ${check.message}` : ''}`,
    };
  }
  // Older reasons are all "Pending"; the message says what is missing.
  return reserved === undefined
    ? { state: 'Waiting', reason: 'Pending', message: 'Kueue has not processed the Workload yet' }
    : { state: 'Waiting', reason: reserved.reason, message: reserved.message };
}

function giveBack(workload: Workload, nowText: string): WorkloadStep {
  const { reason, message } = workloadCondition(workload, 'Evicted')!;
  const admitted = workloadCondition(workload, 'Admitted');
  const ran = admitted?.status === 'True' ? Math.max(0, Math.floor((Date.parse(nowText) - Date.parse(admitted.lastTransitionTime)) / 1000)) : 0;
  return patch(workload, `its pods are deleted after ${reason}`, {
    admission: null,
    conditions: withCondition(workload, nowText,
      { type: 'Requeued', status: REQUEUED_AT_ONCE.includes(reason) ? 'True' : 'False', reason, message },
      { type: 'QuotaReserved', status: 'False', reason: 'Pending', message },
      ...(admitted === undefined ? [] : [{
        type: 'Admitted', status: 'False' as const, reason: 'NoReservation', message: 'The workload has no reservation',
      }]),
    ),
    ...(ran > 0 && { accumulatedPastExecutionTimeSeconds: (workload.status?.accumulatedPastExecutionTimeSeconds ?? 0) + ran }),
  });
}

function finish(workload: Workload, { succeeded, message }: NonNullable<QueuedJob['finished']>, nowText: string): WorkloadStep {
  return patch(workload, 'the job has ended', {
    conditions: withCondition(workload, nowText, { type: 'Finished', status: 'True', reason: succeeded ? 'Succeeded' : 'Failed', message }),
  });
}

function reportReclaimable(workload: Workload, { reclaimable }: QueuedJob): WorkloadStep | undefined {
  if (!isWorkloadConditionTrue(workload, 'Admitted')) {
    return undefined;
  }
  const told = new Map((workload.status?.reclaimablePods ?? []).map(({ name, count }) => [name, count]));
  const sizes = new Map((workload.spec?.podSets ?? []).map(({ name, count }) => [name, count]));
  // Kueue refuses numbers that shrink, and numbers beyond the pod set.
  const now = reclaimable.map(({ name, count }) => ({ name, count: Math.max(told.get(name) ?? 0, Math.min(count, sizes.get(name) ?? count)) }))
    .filter(({ count }) => count > 0);
  const isNews = now.some(({ name, count }) => (told.get(name) ?? 0) !== count);
  return isNews ? patch(workload, 'pods have succeeded', { reclaimablePods: now }) : undefined;
}

function reportPodsReady(workload: Workload, { podsReady }: QueuedJob, nowText: string): WorkloadStep | undefined {
  if (!isWorkloadConditionTrue(workload, 'Admitted')) {
    return undefined;
  }
  const before = workloadCondition(workload, 'PodsReady');
  const hadStarted = before !== undefined && before.reason !== 'WaitForStart';
  if (podsReady ? before?.status === 'True' : before?.status !== 'True') {
    return undefined;
  }
  return patch(workload, podsReady ? 'all pods are running' : 'not all pods are running any more', {
    conditions: withCondition(workload, nowText, podsReady
      ? { type: 'PodsReady', status: 'True', reason: hadStarted ? 'Recovered' : 'Started', message: 'All pods reached readiness and the workload is running' }
      : { type: 'PodsReady', status: 'False', reason: 'WaitForRecovery', message: 'At least one pod has failed, waiting for recovery' }),
  });
}

function patch(workload: Workload, reason: string, status: StatusPatch): WorkloadStep {
  return { type: 'patchStatus', resourceVersion: workload.metadata?.resourceVersion ?? '', status, reason };
}

/** All conditions of the Workload, with the changed ones in their places: a merge patch replaces lists as a whole. */
function withCondition(
  workload: Workload, nowText: string, ...changes: readonly Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>[]
): WorkloadCondition[] {
  const conditions = new Map((workload.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  for (const change of changes) {
    const before = conditions.get(change.type);
    conditions.set(change.type, {
      ...change,
      // The API server's limit.
      message: change.message.slice(0, 32_768),
      lastTransitionTime: before?.status === change.status ? before.lastTransitionTime : nowText,
      observedGeneration: workload.metadata?.generation,
    });
  }
  return [...conditions.values()];
}
