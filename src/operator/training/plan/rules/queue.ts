/**
 * Kueue: a queued job has pods only while its Workload is admitted. The protocol itself is in `operator/kueue/protocol.ts`; here it meets the
 * job. When the quota is taken back, the attempt ends as by any disruption: its pods are asked to go, with their grace period, and when the last
 * one is gone the quota is given back and the job waits in the queue for its next attempt.
 *
 * The time in the queue is not counted by `activeDeadlineSeconds`: the clock starts with each admission. `spec.suspend` belongs to the user and is
 * neither read as an admission nor written.
 */
import type { Rule } from './rule';
import { needsWorkload, podSetsHash } from '../../../../manifests/kueue/workload';
import { restartScopeOf } from '../../../../model/training-job/restart-in-place';
import type { ResolvedTrainingJob } from '../../../../model/training-job/replicas/resolve';
import type { QueueStatus, TrainingJobStatus } from '../../../../model/training-job/status/status';
import { admissionOf, nextStep, type Admission, type QueuedJob } from '../../../kueue/protocol';
import type { ReclaimablePod } from '../../../kueue/workload';
import { conditionOf, isConditionTrue, withConditions } from '../conditions';
import { end, release } from '../decisions';
import { isGivenUp } from '../failures/failed-replicas';
import { endLoss } from '../failures/lost-time';
import { isBeforePending } from '../hooks/advance';
import { isKeptSuspended } from '../idle';
import type { ObservedQueue } from '../observe/observed-queue';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import { resolveOnce } from '../resolve-once';
import { timeText } from '../timestamps';
import type { Action, Observation, ObservedPod } from '../types';

/** How soon Workloads are looked for again that could not be read, milliseconds. */
const NOT_READ_RETRY_MS = 1_000;

/** How soon Kueue is looked for again where it is not installed, and a place in the queue is asked for again; milliseconds. */
const LOOK_AGAIN_MS = 15_000;

/** Reason of a pod's condition while somebody (Kueue) holds it back from the scheduler. */
const GATED = 'SchedulingGated';

/** Keeps queued jobs to their admission. */
export const queueRule: Rule = {
  decide(observation, view) {
    const { queue, job: { spec, status } } = observation;
    if (queue?.state !== 'Ready' || spec.suspend === true || !view.replicas.some(keepsQuota)) {
      return undefined;
    }
    const admission = admissionFor(view.job, queue);
    if (admission.state === 'Admitted') {
      return undefined;
    }
    const message = `Kueue has reclaimed the quota (${admission.reason}): ${admission.message}`;
    const limit = view.job.runPolicy.disruptionLimit;
    const disruptions = (status.disruptions ?? 0) + 1;
    if (limit !== undefined && disruptions > limit) {
      return end(observation, 'Failed', 'DisruptionLimitExceeded', `after ${limit} disruptions (spec.runPolicy.disruptionLimit): ${message}`, view);
    }
    return release(observation, view, {
      disruptions,
      queue: { ...queueStatus(view.job, queue), admitted: false, evictions: (status.queue?.evictions ?? 0) + 1 },
    }, { reason: 'QuotaLost', message });
  },

  holdsBackPods({ queue }, view) {
    return queue !== undefined && (queue.state !== 'Ready' || admissionFor(view.job, queue).state !== 'Admitted');
  },

  actions(observation, view) {
    const { queue, pods, job, now } = observation;
    return queue === undefined ? [] : steps(queue, {
      // Room that a hook before the replicas would only keep waiting.
      wanted: !isKeptSuspended(job) && !isBeforePending(job),
      podSetsHash: podSetsHash(view.job),
      active: pods.some(usesQuota),
      podsReady: view.replicas.every((entry) => entry.succeeded || isGivenUp(entry) || (entry.pod?.state === 'Running' && !entry.replaced)),
      reclaimable: reclaimable(view),
    }, now);
  },

  observe({ queue, job, now }, view, status) {
    if (queue === undefined) {
      return podGroupStatus(view, status, now);
    }
    if (queue.state === 'NotRead' && conditionOf(job.status, 'Admitted') !== undefined) {
      // An operator that has just started has not heard yet how the job stands; what the last one knew still holds.
      return { ...status, startTime: job.status.startTime };
    }
    const admission = queue.state === 'Ready' ? admissionFor(view.job, queue) : notReady(queue);
    const admitted = admission.state === 'Admitted';
    const wasAdmitted = isConditionTrue(job.status, 'Admitted');
    const waits = isKeptSuspended(job) ? { state: 'Waiting', reason: 'JobSuspended', message: 'A suspended job is not in the queue' }
      : isBeforePending(job) ? { state: 'Waiting', reason: 'BeforeHookPending', message: 'The job enters its queue when spec.hooks.before has succeeded' } : admission;
    return {
      ...status,
      ...(!admitted && endLoss(status, now)),
      startTime: !admitted ? undefined : wasAdmitted ? status.startTime : timeText(now),
      queue: {
        ...queueStatus(view.job, queue),
        admitted,
        ...(!admitted && queue.position !== undefined && { position: queue.position }),
        ...(job.status.queue?.evictions !== undefined && { evictions: job.status.queue.evictions }),
      },
      conditions: withConditions(status.conditions, [
        { type: 'Admitted', status: admitted ? 'True' : 'False', reason: waits.reason, message: placeInQueue(waits.message, admitted ? undefined : queue.position) },
      ], timeText(now), job.generation),
    };
  },

  events(before, after) {
    const [old, now] = [conditionOf(before, 'Admitted'), conditionOf(after, 'Admitted')];
    if (now === undefined || (old?.status === now.status && old.reason === now.reason)) {
      return [];
    }
    return now.status === 'True'
      ? [{ type: 'Normal', reason: 'Admitted', message: now.message }]
      : [{ type: now.reason === 'KueueMissing' ? 'Warning' : 'Normal', reason: 'Queued', message: `${now.reason}: ${now.message}` }];
  },

  wakeAfterMs({ queue, job }, view) {
    if (isKeptSuspended(job) || isBeforePending(job)) {
      return undefined;
    }
    switch (queue?.state) {
      case 'NotRead': return NOT_READ_RETRY_MS;
      case 'NotInstalled': return LOOK_AGAIN_MS;
      // Nothing tells of a place in the queue that has changed.
      case 'Ready': return admissionFor(view.job, queue).state === 'Waiting' ? LOOK_AGAIN_MS : undefined;
      default: return undefined;
    }
  },
};

/**
 * What is left to be said to Kueue of a job that has ended.
 * @param succeeded whether its replicas did @default - as the job
 */
export function finishQueue({ job, queue, pods, now }: Observation, succeeded = job.status.phase === 'Completed'): readonly Action[] {
  const { resolved } = resolveOnce(job.name, job.spec);
  if (queue === undefined || resolved === undefined) {
    return [];
  }
  const final = conditionOf(job.status, succeeded ? 'Succeeded' : 'Failed');
  return steps(queue, {
    wanted: false,
    finished: { succeeded, message: final?.message || 'The job has ended' },
    podSetsHash: podSetsHash(resolved),
    active: pods.some(usesQuota),
    podsReady: false,
    reclaimable: [],
  }, now);
}

function steps(queue: ObservedQueue, job: QueuedJob, now: number): readonly Action[] {
  const step = queue.state === 'Ready' ? nextStep(queue.workload, job, timeText(now)) : undefined;
  return step === undefined ? [] : [{ type: 'queue', step }];
}

function admissionFor(job: ResolvedTrainingJob, { workload }: ObservedQueue): Admission {
  return admissionOf(workload, podSetsHash(job));
}

function notReady({ state }: ObservedQueue): Admission {
  return state === 'NotInstalled'
    ? {
      state: 'Waiting',
      reason: 'KueueMissing',
      message: 'spec.scheduling.queueName is set, but this cluster has no Kueue (workloads.kueue.x-k8s.io, v1beta2). Install Kueue 0.15 or later, or create '
        + 'the job without a queue',
    }
    : { state: 'Waiting', reason: 'Pending', message: 'Kueue\'s Workloads have not been read yet' };
}

function queueStatus(job: ResolvedTrainingJob, { workload, workloadName }: ObservedQueue): QueueStatus {
  const clusterQueue = workload?.status?.admission?.clusterQueue;
  return { name: job.spec.scheduling?.queueName ?? '', workload: workloadName, ...(clusterQueue !== undefined && { clusterQueue }), admitted: false };
}

/** A job whose pods are a plain group: Kueue keeps what it thinks of it in a Workload of its own, and lets pods out of their gates. */
function podGroupStatus({ job, replicas }: JobView, status: TrainingJobStatus, now: number): TrainingJobStatus {
  const { queueName } = job.spec.scheduling ?? {};
  if (queueName === undefined || needsWorkload(job)) {
    return status;
  }
  const isQueued = replicas.some(({ pod }) => pod?.waitingFor?.startsWith(GATED) === true);
  return { ...status, ...(isQueued && endLoss(status, now)), queue: { name: queueName, admitted: status.attemptStarted === true } };
}

function placeInQueue(message: string, position: number | undefined): string {
  return position === undefined ? message : `${message} (${position} ahead of it in the queue)`;
}

/** Whether the pod still takes what the quota was reserved for. */
function usesQuota(pod: ObservedPod): boolean {
  return pod.state === 'Waiting' || pod.state === 'Running' || pod.lingering;
}

/** Whether the replica has a pod that uses quota, also if it has succeeded and only a sidecar keeps running. */
function keepsQuota({ pod, succeeded }: ReplicaView): boolean {
  return pod !== undefined && (!succeeded || pod.lingering);
}

/** Replicas that are done for good. Those of a gang are not before the job is: a restart needs them again. */
function reclaimable(view: JobView): readonly ReclaimablePod[] {
  if (restartScopeOf(view.job) !== 'replica') {
    return [];
  }
  return view.job.roles.filter((role) => role.restartPolicy !== 'Always')
    .map((role) => ({ name: role.name, count: view.replicas.filter((entry) => entry.role === role && entry.succeeded).length }))
    .filter(({ count }) => count > 0);
}
