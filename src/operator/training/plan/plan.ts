/**
 * The planner: from what was observed to what should be done. A pure function; all that it remembers stands in the job's status.
 *
 * One pass either decides or acts. A decision (a new attempt, a replacement, suspension, the end) changes the status and nothing else; it
 * is written before anything follows from it. What to do then follows from the status alone: pods of older attempts go, replaced pods go,
 * missing pods are created. So an operator that dies at any instant leaves a status from which the next one does the same.
 *
 * Two live pods of one rank cannot be: a rank has one pod name, and a name is free only when its last owner is gone. Where the replicas
 * form a gang, the next attempt starts when all pods of the last one are gone, so that no old rank can talk to a new one.
 */
import { conditionOf, isConditionTrue } from './conditions';
import { end, restart, resume, suspend } from './decisions';
import { decideFailures } from './failures';
import { isFinished, planFinished } from './finished';
import { observedStatus } from './observed-status';
import { viewReplicas, type JobView } from './replicas-view';
import { resolveOnce } from './resolve-once';
import { hasSucceeded, successMessage } from './success';
import type { Action, Observation, Plan, PlannedEvent } from './types';
import { serviceNames } from '../../../manifests/services';
import type { ResolvedTrainingJob } from '../../../model/training-job/resolve';
import type { TrainingJobStatus } from '../../../model/training-job/status';
import { formatViolation } from '../../../model/violations';

/** How long to wait for a cache that is behind; its watch will most likely wake us earlier. */
const STALE_RETRY_MS = 500;

/** Plans one pass over a job. */
export function plan(observation: Observation): Plan {
  const { job } = observation;
  if (isFinished(job.status)) {
    return planFinished(observation);
  }
  const { resolved, violations } = resolveOnce(job.name, job.spec);
  if (resolved === undefined) {
    return end(observation, 'Failed', 'InvalidSpec', violations.map(formatViolation).join('\n'));
  }
  const refused = observation.problems.find((problem) => problem.permanent);
  if (refused) {
    return end(observation, 'Failed', refused.reason, refused.message);
  }
  const view = viewReplicas(resolved, observation);
  if (view.stale) {
    return { status: job.status, decided: false, actions: [], events: [], requeueAfterMs: STALE_RETRY_MS };
  }
  return decide(observation, view) ?? act(observation, view);
}

/** The decision that has to be written before anything else, if there is one. */
function decide(observation: Observation, view: JobView): Plan | undefined {
  const { job: { spec, status }, now } = observation;
  // Success first: a worker that fails because the coordinator has left does not undo what the job achieved.
  if (hasSucceeded(view)) {
    return end(observation, 'Completed', 'JobSucceeded', successMessage(view), view);
  }
  // A pod that was created just before, and is seen only now, ends the attempt once more.
  if (spec.suspend && (status.phase !== 'Suspended' || view.replicas.some((entry) => entry.pod !== undefined))) {
    return suspend(observation, view);
  }
  if (spec.suspend) {
    return undefined;
  }
  if (status.phase === 'Suspended') {
    return resume(observation, view);
  }
  const deadline = deadlineOf(view.job, status);
  if (deadline !== undefined && now >= deadline) {
    return end(observation, 'Failed', 'DeadlineExceeded',
      `ran longer than spec.runPolicy.activeDeadlineSeconds (${view.job.runPolicy.activeDeadlineSeconds})`, view);
  }
  const failures = decideFailures(view, status, now);
  if (failures.outcome === 'fail') {
    return end(observation, 'Failed', failures.reason, failures.message, view, { lastFailure: failures.cause });
  }
  if (failures.outcome === 'restart') {
    return restart(observation, failures.change, failures.message);
  }
  return undefined;
}

/** What follows from the status that stands. */
function act(observation: Observation, view: JobView): Plan {
  const { job: { status, spec }, now } = observation;
  const actions: Action[] = view.surplus.filter((pod) => !pod.deleting)
    .map((pod) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: 'the job has no such replica' }));
  const outgoing = view.replicas.flatMap((entry) => entry.outgoing ?? []);
  for (const pod of outgoing.filter((candidate) => !candidate.deleting)) {
    actions.push({ type: 'deletePod', name: pod.name, uid: pod.uid, reason: pod.attempt < view.attempt ? 'belongs to an earlier attempt' : 'is replaced' });
  }
  const waits = [];
  const pauseMs = status.nextRetryTime === undefined ? 0 : Date.parse(status.nextRetryTime) - now;
  const gangIsLeaving = view.job.framework.restartScope === 'gang' && outgoing.some((pod) => pod.attempt < view.attempt);
  if (pauseMs > 0) {
    waits.push(pauseMs);
  } else if (!spec.suspend && !gangIsLeaving) {
    actions.push(...creations(observation, view));
  }
  const next = observedStatus(observation, view);
  const deadline = deadlineOf(view.job, next);
  if (deadline !== undefined) {
    waits.push(deadline - now);
  }
  return {
    status: next,
    decided: false,
    actions,
    events: newsOf(status, next),
    requeueAfterMs: waits.length > 0 ? Math.max(1, Math.min(...waits)) : undefined,
  };
}

/** What users should hear of although nothing was decided. */
function newsOf(before: TrainingJobStatus, after: TrainingJobStatus): PlannedEvent[] {
  const events: PlannedEvent[] = [];
  const created = conditionOf(after, 'Created');
  if (created?.status === 'False' && created.reason !== conditionOf(before, 'Created')?.reason) {
    events.push({ type: 'Warning', reason: created.reason, message: created.message });
  }
  if (isConditionTrue(after, 'Running') && !isConditionTrue(before, 'Running') && (before.restarts ?? 0) + (before.disruptions ?? 0) > 0) {
    events.push({ type: 'Normal', reason: 'JobRunning', message: `All ${after.replicas} replicas run again` });
  }
  return events;
}

function creations(observation: Observation, view: JobView): Action[] {
  const creating = view.replicas
    .filter((entry) => !entry.succeeded && entry.pod === undefined && entry.outgoing === undefined)
    .map((entry): Action => ({ type: 'createPod', replica: entry.replica, attempt: view.attempt }));
  const services = new Set(observation.services);
  const complete = serviceNames(view.job).every((name) => services.has(name));
  return creating.length > 0 || !complete ? [{ type: 'ensureObjects' }, ...creating] : [];
}

function deadlineOf(job: ResolvedTrainingJob, status: TrainingJobStatus): number | undefined {
  const seconds = job.runPolicy.activeDeadlineSeconds;
  return seconds === undefined || status.startTime === undefined || status.phase === 'Suspended'
    ? undefined
    : Date.parse(status.startTime) + seconds * 1000;
}
