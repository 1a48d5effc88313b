/** A finished job: what is cleaned up, and when the job itself goes. The only pod that starts here is that of `spec.hooks.onExit`. */
import { planFinishedCopies } from './array/plan-array';
import { cleanUp } from './clean-up';
import { isOver, removeEnded } from './hooks/advance';
import { planExit, withHook } from './hooks/stages';
import { finishQueue } from './rules/queue';
import { resolveOnce } from './resolve-once';
import { withStackDumps } from './rules/stack-dumps';
import { planFinishedTrials } from './tuning/plan-search';
import type { Action, Observation, Plan } from './types';
import { isArray } from '../../../model/training-job/array';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';
import type { TrainingJobStatus } from '../../../model/training-job/status/status';
import { isSearch } from '../../../model/tuning/trial-spec';

/** Whether the job has come to its end. A finished job is never started again. */
export function isFinished(status: TrainingJobStatus): boolean {
  return status.phase === 'Completed' || status.phase === 'Failed';
}

/** The status as it stands, and the stacks of pods that were taken away when the job failed: they come when it has ended. */
function lastWords(observation: Observation): TrainingJobStatus {
  const { name, spec, status } = observation.job;
  const resolved = status.phase === 'Failed' && spec.debug !== undefined ? resolveOnce(name, spec).resolved : undefined;
  return resolved === undefined ? status : withStackDumps(resolved, observation, status);
}

/** Plans the clean-up. */
export function planFinished(observation: Observation): Plan {
  const { job, hookPods = [], now } = observation;
  const exit = planExit(observation);
  if (exit?.decision !== undefined) {
    return exit.decision;
  }
  const isExiting = exit !== undefined && !isOver(exit.step.status);
  const doneHooks = hookPods.filter(({ name }) => !isExiting || name !== exit.step.status?.pod);
  const policy = resolveRunPolicy(job.spec.runPolicy ?? {});
  const actions = isSearch(job.spec) ? planFinishedTrials(observation)
    : isArray(job.spec) ? planFinishedCopies(observation)
      : unique([...finishQueue(observation), ...cleanUp(observation, 'the job has finished', doneHooks), ...removeEnded(observation), ...exit?.step.actions ?? []]);
  const words = lastWords(observation);
  const status = exit === undefined ? words : { ...words, hooks: withHook(words.hooks, 'onExit', exit.step) };
  const plan = { status, decided: false, events: [] };
  if (isExiting) {
    // The job stays at least until its last hook has ended.
    return { ...plan, actions, requeueAfterMs: exit.step.wakeAfterMs };
  }
  const left = Date.parse(job.status.completionTime ?? '') + Number(policy.ttlSecondsAfterFinished) * 1000 - now;
  if (Number.isNaN(left)) {
    // No TTL; or the spec is invalid, which is why the job is here.
    return { ...plan, actions };
  }
  return left <= 0
    ? { ...plan, actions: [...actions, { type: 'deleteJob' }] }
    : { ...plan, actions, requeueAfterMs: left };
}

/** A pod may be deleted for two reasons, but once. */
function unique(actions: readonly Action[]): Action[] {
  const seen = new Set<string>();
  return actions.filter((action) => action.type !== 'deletePod' || (!seen.has(action.uid) && seen.add(action.uid)));
}
