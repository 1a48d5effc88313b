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
import { withConditions, conditionOf, isConditionTrue, type ConditionChange } from './conditions';
import { decideFailures, timeText } from './failures';
import { isFinished, planFinished } from './finished';
import { roleStatuses, viewReplicas, type JobView } from './replicas-view';
import { hasSucceeded } from './success';
import type { Action, Observation, Plan, PlannedEvent } from './types';
import { coordinatorServiceName, peerServiceName } from '../../../model/names';
import { JOB_LABEL } from '../../../model/labels';
import { hasMaster, needsPeerService } from '../../../model/training-job/replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../model/training-job/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Phase, TrainingJobStatus } from '../../../model/training-job/status';
import { validateTrainingJob } from '../../../model/training-job/validation';
import { formatViolation, type Violation } from '../../../model/violations';

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
    return end(observation, 'Completed', 'JobSucceeded', succeededMessage(view), view);
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

/** Names of the services that the job needs. */
export function serviceNames(job: ResolvedTrainingJob): string[] {
  return [
    ...(hasMaster(job) ? [coordinatorServiceName(job.name, job.roles[0].name)] : []),
    ...(needsPeerService(job) ? [peerServiceName(job.name)] : []),
  ];
}

/** The status as the pods say it is, no decision taken. */
function observedStatus(observation: Observation, view: JobView): TrainingJobStatus {
  const { job: { status, generation, spec }, now } = observation;
  const up = countUp(view);
  const allUp = up === view.replicas.length;
  const phase = phaseOf(status, spec.suspend === true, allUp);
  const problem = observation.problems[0];
  const changes: ConditionChange[] = [
    problem
      ? { type: 'Created', status: 'False', reason: problem.reason, message: problem.message }
      : { type: 'Created', status: 'True', reason: 'JobCreated', message: 'The operator has accepted the job' },
    allUp && !spec.suspend
      ? { type: 'Running', status: 'True', reason: 'AllReplicasRunning', message: `All ${view.replicas.length} replicas run or have succeeded` }
      : { type: 'Running', status: 'False', reason: 'ReplicasMissing', message: missingMessage(view, up) },
  ];
  if (phase === 'Running' && conditionOf(status, 'Restarting')) {
    changes.push({ type: 'Restarting', status: 'False', reason: 'Restarted', message: 'All replicas run again' });
  }
  return {
    ...status,
    phase,
    observedGeneration: generation,
    startTime: status.startTime ?? timeText(now),
    conditions: withConditions(status.conditions, changes, timeText(now), generation),
    replicas: view.replicas.length,
    ready: readyText(view),
    selector: `${JOB_LABEL}=${observation.job.name}`,
    attempt: view.attempt,
    attemptStarted: status.attemptStarted === true || allUp,
    restarts: status.restarts ?? 0,
    disruptions: status.disruptions ?? 0,
    nextRetryTime: status.nextRetryTime !== undefined && Date.parse(status.nextRetryTime) > now ? status.nextRetryTime : undefined,
    workerStatuses: roleStatuses(view),
    replacing: view.replacing.length > 0 ? view.replacing : undefined,
  };
}

/** Replicas that run or have succeeded. */
function countUp(view: JobView): number {
  return view.replicas.filter((entry) => entry.succeeded || (entry.pod?.state === 'Running' && !entry.replaced)).length;
}

function readyText(view: JobView): string {
  return `${countUp(view)}/${view.replicas.length}`;
}

function phaseOf(status: TrainingJobStatus, suspended: boolean, allUp: boolean): Phase {
  if (suspended) {
    return 'Suspended';
  }
  if (allUp) {
    return 'Running';
  }
  return status.attemptStarted || isConditionTrue(status, 'Restarting') ? 'Restarting' : 'Pending';
}

/** How far the start has come, and what the first pod that cannot start says. */
function missingMessage(view: JobView, up: number): string {
  const stuck = view.replicas.find((entry) => entry.pod?.waitingFor !== undefined);
  const why = stuck ? `; ${stuck.replica.podName} waits: ${stuck.pod?.waitingFor}` : '';
  return `${up} of ${view.replicas.length} replicas run${why}`;
}

function restart(observation: Observation, change: Partial<TrainingJobStatus>, message: string): Plan {
  const { restarts = 0, disruptions = 0 } = observation.job.status;
  const reason = change.restarts === restarts && change.disruptions !== disruptions ? 'JobDisrupted' : 'JobRestarting';
  return decision(observation, { ...change, phase: 'Restarting' }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'True', reason, message },
  ], [{ type: 'Warning', reason, message }]);
}

function suspend(observation: Observation, view: JobView): Plan {
  const message = 'The job is suspended (spec.suspend); its pods are removed';
  // Pods of the attempt that ends here are outgoing from now on. A job that is created suspended has none, and starts with attempt 0.
  const hasBegun = observation.job.status.phase !== undefined || observation.pods.length > 0;
  return decision(observation, {
    phase: 'Suspended',
    attempt: hasBegun ? view.attempt + 1 : view.attempt,
    attemptStarted: false,
    replacing: undefined,
    // A gang starts again as a whole; of independent replicas those that have succeeded are done.
    workerStatuses: view.job.framework.restartScope === 'gang' ? undefined : roleStatuses(view),
    nextRetryTime: undefined,
  }, [
    { type: 'Running', status: 'False', reason: 'JobSuspended', message },
    { type: 'Restarting', status: 'False', reason: 'JobSuspended', message },
    { type: 'Suspended', status: 'True', reason: 'JobSuspended', message },
  ], [{ type: 'Normal', reason: 'JobSuspended', message }]);
}

function resume(observation: Observation, view: JobView): Plan {
  const message = 'The job is resumed';
  // The deadline counts the time that a job may run, so that the pause does not use it up.
  return decision(observation, { phase: 'Pending', startTime: timeText(observation.now), attempt: view.attempt },
    [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message }],
    [{ type: 'Normal', reason: 'JobResumed', message }]);
}

function end(
  observation: Observation, phase: 'Completed' | 'Failed', reason: string, message: string, view?: JobView, change: Partial<TrainingJobStatus> = {},
): Plan {
  const succeeded = phase === 'Completed';
  return decision(observation, {
    ...change,
    phase,
    completionTime: timeText(observation.now),
    nextRetryTime: undefined,
    replacing: undefined,
    ...(view && { workerStatuses: roleStatuses(view), replicas: view.replicas.length, ready: readyText(view) }),
  }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'False', reason, message },
    { type: 'Suspended', status: 'False', reason, message },
    { type: succeeded ? 'Succeeded' : 'Failed', status: 'True', reason, message },
  ], [{ type: succeeded ? 'Normal' : 'Warning', reason, message }]);
}

function decision(
  { job, now }: Observation, change: Partial<TrainingJobStatus>, conditions: ConditionChange[], events: PlannedEvent[],
): Plan {
  return {
    decided: true,
    actions: [],
    events,
    status: {
      ...job.status,
      startTime: job.status.startTime ?? timeText(now),
      ...change,
      observedGeneration: job.generation,
      conditions: withConditions(job.status.conditions, conditions, timeText(now), job.generation),
    },
  };
}

function deadlineOf(job: ResolvedTrainingJob, status: TrainingJobStatus): number | undefined {
  const seconds = job.runPolicy.activeDeadlineSeconds;
  return seconds === undefined || status.startTime === undefined || status.phase === 'Suspended'
    ? undefined
    : Date.parse(status.startTime) + seconds * 1000;
}

function succeededMessage(view: JobView): string {
  switch (view.job.successPolicy) {
    case 'Coordinator': return `${view.replicas[0].replica.podName} has succeeded`;
    case 'AllWorkers': return `All ${view.job.trainers} workers have succeeded`;
    default: return `All ${view.replicas.length} replicas have succeeded`;
  }
}

/** Specs do not change under a job, so that one object is validated and resolved once, however often its job is planned. */
const known = new WeakMap<TrainingJobSpec, { name: string; resolved?: ResolvedTrainingJob; violations: Violation[] }>();

function resolveOnce(name: string, spec: TrainingJobSpec): { resolved?: ResolvedTrainingJob; violations: Violation[] } {
  let entry = known.get(spec);
  if (entry === undefined || entry.name !== name) {
    const violations = validateTrainingJob(name, spec);
    entry = { name, violations, resolved: violations.length === 0 ? resolveTrainingJob(name, spec) : undefined };
    known.set(spec, entry);
  }
  return entry;
}
