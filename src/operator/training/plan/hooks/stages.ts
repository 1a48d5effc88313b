/**
 * The stages of a job after its replicas: `spec.hooks.after` between their success and the job's, and `spec.hooks.onExit` when the job has ended.
 * No rule about replicas is asked any more: they have done what they were there for.
 */
import { advanceHook, begunHook, failed, isOver, removals, removeEnded, startedNews, type HookStep } from './advance';
import { cleanUp } from '../clean-up';
import { conditionOf } from '../conditions';
import { decision, end, pausedHooks } from '../decisions';
import { endLoss } from '../failures/lost-time';
import { isKeptSuspended } from '../idle';
import { readyText } from '../observe/observed-status';
import { roleStatuses, type JobView } from '../observe/replicas-view';
import { resolveOnce } from '../resolve-once';
import { deadlineRule } from '../rules/deadline';
import { finishQueue } from '../rules/queue';
import { timeText } from '../timestamps';
import type { Observation, Plan } from '../types';
import type { HookName } from '../../../../model/training-job/hooks';
import type { HooksStatus } from '../../../../model/training-job/status/status';

const AFTER_PENDING = { type: 'Running', status: 'True', reason: 'AfterHookPending', message: 'The replicas have succeeded; spec.hooks.after has not yet' } as const;

/** The replicas have succeeded, and the hook after them begins: a decision, so that they are not judged again. */
export function beginAfter(observation: Observation, view: JobView): Plan {
  const { job, job: { status }, now } = observation;
  const after = begunHook(view.job, 'after', now);
  const hooks = { ...status.hooks, after };
  const news = { reason: AFTER_PENDING.reason, message: AFTER_PENDING.message };
  const wasSuspended = status.phase === 'Suspended';
  // A pod that was created late can succeed while the job is suspended.
  const staysSuspended = wasSuspended && isKeptSuspended(job);
  return decision(observation, {
    ...endLoss(status, now),
    phase: staysSuspended ? 'Suspended' : 'Running',
    hooks: staysSuspended ? pausedHooks(hooks) : hooks,
    workerStatuses: roleStatuses(view),
    ready: readyText(view),
    stuckStart: undefined,
    provisionalFailure: undefined,
    worldSize: undefined,
    nextRetryTime: undefined,
    replacing: undefined,
  }, [
    ...(staysSuspended ? [] : [AFTER_PENDING]),
    ...(wasSuspended && !staysSuspended ? [{ type: 'Suspended', status: 'False', ...news } as const] : []),
    { type: 'Restarting', status: 'False', ...news },
  ], [startedNews('after', after)]);
}

/** Whether a job that has not ended is in the stage of its hook after the replicas. */
export function isAfterStage({ job: { status } }: Observation): boolean {
  return status.hooks?.after !== undefined;
}

/** Plans that stage. */
export function planAfter(observation: Observation, view: JobView): Plan {
  const { job, now } = observation;
  const { status } = job;
  const step = advanceHook(observation, view.job, 'after');
  if (step.decided) {
    const hooks = withHook(status.hooks, 'after', step);
    return step.status!.phase === 'Failed'
      ? end(observation, 'Failed', 'AfterHookFailed', `The replicas have succeeded, but spec.hooks.after failed: ${step.status!.message}`, undefined, { hooks })
      : decision(observation, { hooks }, [], [...step.events]);
  }
  if (isOver(status.hooks?.after)) {
    return end(observation, 'Completed', 'JobSucceeded', 'The replicas and spec.hooks.after have succeeded');
  }
  const late = deadlineRule.decide?.(observation, view);
  if (late !== undefined) {
    return late;
  }
  const isSuspended = isKeptSuspended(job);
  if (isSuspended !== (status.phase === 'Suspended')) {
    return isSuspended ? pause(observation) : goOn(observation);
  }
  const waits = [step.wakeAfterMs, deadlineRule.wakeAfterMs?.(observation, view, status)].filter((wait) => wait !== undefined);
  return {
    status: { ...status, observedGeneration: job.generation, startTime: status.startTime ?? timeText(now), hooks: withHook(status.hooks, 'after', step) },
    decided: false,
    actions: [
      ...finishQueue(observation, true),
      ...(isSuspended ? removals(observation.pods, 'the job is suspended') : cleanUp(observation, 'the replicas have succeeded')),
      ...removeEnded(observation),
      ...step.actions,
    ],
    events: [],
    requeueAfterMs: waits.length > 0 ? Math.max(1, Math.min(...waits)) : undefined,
  };
}

function pause(observation: Observation): Plan {
  const change = { reason: 'JobSuspended', message: 'The job is suspended (spec.suspend); the pod of spec.hooks.after is removed' };
  return decision(observation, { phase: 'Suspended', hooks: pausedHooks(observation.job.status.hooks) }, [
    { type: 'Running', status: 'False', ...change },
    { type: 'Suspended', status: 'True', ...change },
  ], [{ type: 'Normal', ...change }]);
}

function goOn(observation: Observation): Plan {
  const change = { reason: 'JobResumed', message: 'The job is resumed' };
  return decision(observation, { phase: 'Running', startTime: timeText(observation.now), idle: undefined }, [
    AFTER_PENDING,
    { type: 'Suspended', status: 'False', ...change },
  ], [{ type: 'Normal', ...change }]);
}

/** What the hook at the end of a job asks for; undefined when the job has none, or it has ended and left nothing. */
export function planExit(observation: Observation): { readonly step: HookStep; readonly decision?: Plan } | undefined {
  const { job: { name, spec, status }, problems, now } = observation;
  const resolved = spec.hooks?.onExit === undefined ? undefined : resolveOnce(name, spec).resolved;
  if (resolved === undefined) {
    return undefined;
  }
  const refused = problems.find((problem) => problem.permanent);
  const known = status.hooks?.onExit;
  const step = refused !== undefined && known !== undefined && !isOver(known) ? failed(now, known, refused.message) : advanceHook(observation, resolved, 'onExit');
  return step.decided ? { step, decision: exitDecision(observation, step) } : { step };
}

function exitDecision(observation: Observation, step: HookStep): Plan {
  const { status } = observation.job;
  const hooks = withHook(status.hooks, 'onExit', step);
  if (step.status?.phase !== 'Failed') {
    return decision(observation, { hooks }, [], [...step.events]);
  }
  const outcome = conditionOf(status, 'Succeeded')?.status === 'True' ? 'succeeded' : 'failed';
  const news = { reason: 'OnExitHookFailed', message: `spec.hooks.onExit failed; the job stays ${outcome}: ${step.status.message}` };
  return decision(observation, { hooks }, [{ type: 'HookFailed', status: 'True', ...news }], [{ type: 'Warning', ...news }]);
}

/** The hooks with a step of one of them. */
export function withHook(hooks: HooksStatus | undefined, name: HookName, { status }: HookStep): HooksStatus | undefined {
  return status === undefined ? hooks : { ...hooks, [name]: status };
}
