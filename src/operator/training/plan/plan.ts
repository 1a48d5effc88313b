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
import { planArray } from './array/plan-array';
import { end } from './decisions';
import { actingJob } from './elastic';
import { isFinished, planFinished } from './finished';
import { isAfterStage, planAfter } from './hooks/stages';
import { observedStatus, readyText } from './observe/observed-status';
import { viewReplicas, type JobView } from './observe/replicas-view';
import { refusalNews } from './failures/refusal-news';
import { resolveOnce } from './resolve-once';
import { RULES } from './rules';
import { planSearch } from './tuning/plan-search';
import type { Action, Observation, ObservedPod, Plan, PlannedEvent } from './types';
import { serviceNames } from '../../../manifests/job/services';
import { isArray } from '../../../model/training-job/array';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { isSearch } from '../../../model/tuning/trial-spec';
import { formatViolations } from '../../../model/violations';

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
    return end(observation, 'Failed', 'InvalidSpec', formatViolations(violations));
  }
  const refused = observation.problems.find((problem) => problem.permanent);
  if (refused) {
    return end(observation, 'Failed', refused.reason, refused.message);
  }
  if (isSearch(job.spec)) {
    return planSearch(observation);
  }
  if (isArray(job.spec)) {
    return planArray(observation);
  }
  const view = viewReplicas(actingJob(resolved, job.status), observation);
  if (view.later.length > 0) {
    const laterPods = view.later.map(({ uid }) => uid);
    return { status: job.status, decided: false, actions: [], events: [], requeueAfterMs: STALE_RETRY_MS, laterPods };
  }
  if (isAfterStage(observation)) {
    return planAfter(observation, view);
  }
  const decision = decide(observation, view);
  return decision === undefined ? act(observation, view) : withReadyNow(observation, resolved, decision);
}

/** A decision with the replicas counted as it leaves them: those of the attempt that ends are not ready any more. */
function withReadyNow(observation: Observation, resolved: ResolvedTrainingJob, planned: Plan): Plan {
  const { job } = observation;
  if (isFinished(planned.status) || job.status.ready === undefined) {
    return planned;
  }
  const view = viewReplicas(actingJob(resolved, planned.status), { ...observation, job: { ...job, status: planned.status } });
  return { ...planned, status: { ...planned.status, ready: readyText(view) } };
}

/** The decision that has to be written before anything else, if there is one. */
function decide(observation: Observation, view: JobView): Plan | undefined {
  for (const rule of RULES) {
    const decision = rule.decide?.(observation, view);
    if (decision !== undefined) {
      return decision;
    }
  }
  return undefined;
}

/** What follows from the status that stands. */
function act(observation: Observation, view: JobView): Plan {
  const { job: { status } } = observation;
  const actions: Action[] = [...deletions(view), ...RULES.flatMap((rule) => rule.actions?.(observation, view) ?? [])];
  if (!isGangLeaving(view) && !RULES.some((rule) => rule.holdsBackPods?.(observation, view))) {
    actions.push(...creations(observation, view));
  }
  const next = RULES.reduce((told, rule) => rule.observe?.(observation, view, told) ?? told, observedStatus(observation, view));
  const waits = RULES.flatMap((rule) => rule.wakeAfterMs?.(observation, view, next) ?? []);
  return {
    status: next,
    decided: false,
    actions,
    events: newsOf(status, next),
    requeueAfterMs: waits.length > 0 ? Math.max(1, Math.min(...waits)) : undefined,
  };
}

/** Pods that have no place in the job, or no longer. */
function deletions(view: JobView): Action[] {
  const outgoing = view.replicas.flatMap((entry) => entry.outgoing ?? []);
  return [
    ...view.surplus.map((pod) => ({ pod, reason: 'the job has no such replica' })),
    ...outgoing.map((pod) => ({ pod, reason: reasonToGo(pod, view.attempt) })),
    ...strays(view).map((pod) => ({ pod, reason: 'the replica has succeeded' })),
  ].filter(({ pod }) => !pod.deleting).map(({ pod, reason }) => ({ type: 'deletePod', name: pod.name, uid: pod.uid, reason }));
}

/** Pods of replicas that have already succeeded: a create request can arrive long after it was given up, and the replica must not run again. */
function strays(view: JobView): ObservedPod[] {
  return view.replicas.flatMap(({ pod, succeeded }) => (succeeded && (pod?.state === 'Waiting' || pod?.state === 'Running') ? pod : []));
}

function reasonToGo(pod: ObservedPod, attempt: number): string {
  if (pod.attempt === attempt) {
    return 'is replaced';
  }
  return pod.attempt < attempt ? 'belongs to an earlier attempt' : 'refers to an attempt that the job has not reached';
}

/** Whether pods of an earlier attempt are still there, so that none of the next may start. */
function isGangLeaving(view: JobView): boolean {
  const leaving = [...view.replicas.flatMap(({ outgoing }) => outgoing ?? []), ...view.surplus];
  return restartScopeOf(view.job) !== 'replica' && leaving.some((pod) => pod.attempt < view.attempt);
}

function creations(observation: Observation, view: JobView): Action[] {
  const creating = view.replicas
    .filter((entry) => !entry.succeeded && entry.pod === undefined && entry.outgoing === undefined)
    .map((entry): Action => ({ type: 'createPod', replica: entry.replica, attempt: view.attempt }));
  const services = new Set(observation.services);
  const complete = serviceNames(view.job).every((name) => services.has(name));
  return creating.length > 0 || !complete ? [{ type: 'ensureObjects' }, ...creating] : [];
}

/** What users should hear of although nothing was decided. */
function newsOf(before: TrainingJobStatus, after: TrainingJobStatus): PlannedEvent[] {
  return [...refusalNews(before, after), ...RULES.flatMap((rule) => rule.events?.(before, after) ?? [])];
}
