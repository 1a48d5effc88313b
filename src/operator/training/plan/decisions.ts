/**
 * Decisions: changes of the status that have to be durable before anything follows from them. Each of them is the whole answer of a plan.
 */
import { isConditionTrue, withConditions, type ConditionChange } from './conditions';
import { RUNNING_BELOW_DESIRED, scaledReplicas } from './elastic';
import { beginLoss, endLoss, lossAtOnce } from './failures/lost-time';
import { readyText } from './observe/observed-status';
import { roleStatuses, type JobView } from './observe/replicas-view';
import { avoidedNews } from './failures/suspect-nodes';
import { timeText } from './timestamps';
import type { Observation, Plan, PlannedEvent } from './types';
import type { HooksStatus, HookStatus, TrainingJobStatus } from '../../../model/training-job/status/status';
import type { RestartCause } from '../../../model/training-job/status/recovery-status';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';

/** Reasons of restarts that are no failure of a replica. */
const RESTART_REASONS: { readonly [cause in RestartCause]?: string } = {
  Disruption: 'JobDisrupted', Stall: 'JobStalled', Preflight: 'PreflightFailed',
};

/**
 * Replicas failed or were lost, and `change` says what starts again.
 * @param cause who is to blame @default - the failures and disruptions that `change` counts
 */
export function restart(
  observation: Observation, change: Partial<TrainingJobStatus>, message: string, cause = countedCause(observation, change),
): Plan {
  const reason = RESTART_REASONS[cause] ?? 'JobRestarting';
  return decision(observation, { ...lossBy(observation, cause, change), ...change, phase: 'Restarting' }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'True', reason, message },
  ], [{ type: 'Warning', reason, message }]);
}

/**
 * Replicas of an elastic job, or helpers, failed or were lost, and `change` says what is replaced; the others go on meanwhile, so that no time is
 * lost until the replacement runs. What is lost is the work that survivors do again, where they go back to the last checkpoint.
 */
export function replaceBeside(
  observation: Observation, view: JobView, change: Partial<TrainingJobStatus>, message: string, cause = countedCause(observation, change),
): Plan {
  const { job: { status }, now } = observation;
  const reason = change.lastFailure?.reason;
  // Of helpers nothing is lost that the others would do again.
  const loss = view.job.spec.elastic !== undefined && view.job.framework.elastic?.rewinds === true
    ? lossAtOnce(status, cause, reason, now)
    : { lastRestart: { time: timeText(now), cause, ...(reason !== undefined && { reason }), lostSeconds: 0 } };
  return decision(observation, { ...loss, ...change }, [{ type: 'Running', status: 'True', reason: RUNNING_BELOW_DESIRED, message }],
    [{ type: 'Warning', reason: 'ReplicaReplaced', message }]);
}

/** Something that has to be remembered before anything is done, and that nobody else need hear of. */
export function note(observation: Observation, change: Partial<TrainingJobStatus>): Plan {
  return decision(observation, change, [], []);
}

/** The number of replicas of an elastic job is another from now on. */
export function scale(observation: Observation, change: Partial<TrainingJobStatus>, message: string): Plan {
  return decision(observation, change, [], [{ type: 'Normal', reason: 'JobScaled', message }]);
}

/** Why a job is suspended. */
export interface SuspensionCause {
  readonly reason: string;
  readonly message: string;
  /** What else changes. */
  readonly change?: Partial<TrainingJobStatus>;
}

const BY_SPEC: SuspensionCause = { reason: 'JobSuspended', message: 'The job is suspended (spec.suspend); its pods are removed' };

/** The job is to have no pods until it is resumed. */
export function suspend(observation: Observation, view: JobView, { reason, message, change }: SuspensionCause = BY_SPEC): Plan {
  // Pods of the attempt that ends here are outgoing from now on. A job that is created suspended has none, and starts with attempt 0.
  const { phase, provisionalFailure } = observation.job.status;
  const hasBegun = phase !== undefined || provisionalFailure !== undefined || observation.pods.length > 0;
  return decision(observation, {
    ...endLoss(observation.job.status, observation.now),
    phase: 'Suspended',
    attempt: hasBegun ? view.attempt + 1 : view.attempt,
    attemptStarted: false,
    replacing: undefined,
    // A gang starts again as a whole; of independent replicas those that have succeeded are done.
    workerStatuses: restartScopeOf(view.job) === 'replica' ? roleStatuses(view) : undefined,
    nextRetryTime: undefined,
    idle: undefined,
    hooks: pausedHooks(observation.job.status.hooks),
    ...change,
  }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'False', reason, message },
    { type: 'Idle', status: 'False', reason, message },
    { type: 'Suspended', status: 'True', reason, message },
  ], [{ type: 'Normal', reason, message }]);
}

/** The job is to run again. */
export function resume(observation: Observation, view: JobView): Plan {
  const message = 'The job is resumed';
  // The deadline counts the time that a job may run, so that the pause does not use it up.
  return decision(observation, { phase: 'Pending', startTime: timeText(observation.now), attempt: view.attempt, idle: undefined },
    [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message }],
    [{ type: 'Normal', reason: 'JobResumed', message }]);
}

/** Why pods are given up. */
export interface ReleaseCause {
  readonly reason: 'GangReleased' | 'QuotaLost';
  readonly message: string;
}

/**
 * All pods of the attempt are given up, through no fault of theirs, and the job waits to start again. What it waits for is room: that time is not
 * lost to the restart. The work since the last checkpoint is, where the job ran.
 * @param change what else changes; it has the counts and the pause
 */
export function release(observation: Observation, view: JobView, change: Partial<TrainingJobStatus>, { reason, message }: ReleaseCause): Plan {
  const { job: { status }, now } = observation;
  const isDisruption = (change.disruptions ?? 0) > (status.disruptions ?? 0);
  const hasLost = isDisruption || isConditionTrue(status, 'Running');
  return decision(observation, {
    ...(hasLost ? lossAtOnce(status, isDisruption ? 'Disruption' : 'Other', reason, now) : endLoss(status, now)),
    phase: 'Pending',
    attempt: view.attempt + 1,
    attemptStarted: false,
    replacing: undefined,
    // As when a job is suspended: a gang starts again as a whole, independent replicas that have succeeded are done.
    workerStatuses: restartScopeOf(view.job) === 'replica' ? roleStatuses(view) : undefined,
    ...change,
  }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'False', reason, message },
  ], [{ type: 'Warning', reason, message }]);
}

/** The job has come to its end. */
export function end(
  observation: Observation, phase: 'Completed' | 'Failed', reason: string, message: string, view?: JobView, change: Partial<TrainingJobStatus> = {},
): Plan {
  const succeeded = phase === 'Completed';
  return decision(observation, {
    ...endLoss(observation.job.status, observation.now),
    ...change,
    hooks: endedHooks(change.hooks ?? observation.job.status.hooks, observation.now, message),
    phase,
    stuckStart: undefined,
    provisionalFailure: undefined,
    completionTime: timeText(observation.now),
    worldSize: undefined,
    nextRetryTime: undefined,
    replacing: undefined,
    ...(view && { workerStatuses: roleStatuses(view), replicas: scaledReplicas(view.job), ready: readyText(view) }),
  }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'False', reason, message },
    { type: 'Suspended', status: 'False', reason, message },
    { type: succeeded ? 'Succeeded' : 'Failed', status: 'True', reason, message },
  ], [{ type: succeeded ? 'Normal' : 'Warning', reason, message }]);
}

/** A hook before the end of the job that still runs, or waits, has failed with it; its pod goes whatever `cleanPodPolicy` says. */
function endedHooks(hooks: HooksStatus | undefined, now: number, message: string): HooksStatus | undefined {
  return withOpenHooks(hooks, (hook) => ({
    ...hook, phase: 'Failed', nextRetryTime: undefined, message: `the job has ended: ${message}`, completionTime: timeText(now),
  }));
}

/** The hooks of a job that is suspended: one that has not ended starts again, with its whole time limit. */
export function pausedHooks(hooks: HooksStatus | undefined): HooksStatus | undefined {
  return withOpenHooks(hooks, (hook) => ({ ...hook, phase: 'Pending', startTime: undefined, message: undefined }));
}

/** Changes hooks before the end of the job that have begun and not ended. */
function withOpenHooks(hooks: HooksStatus | undefined, change: (hook: HookStatus) => HookStatus): HooksStatus | undefined {
  const isOpen = (hook: HookStatus | undefined) => hook !== undefined && hook.phase !== 'Succeeded' && hook.phase !== 'Failed';
  if (hooks === undefined) {
    return undefined;
  }
  const { before, after } = hooks;
  return { ...hooks, ...(isOpen(before) && { before: change(before!) }), ...(isOpen(after) && { after: change(after!) }) };
}

function countedCause({ job: { status } }: Observation, change: Partial<TrainingJobStatus>): RestartCause {
  const { restarts = 0, disruptions = 0 } = status;
  return (change.restarts ?? restarts) === restarts && (change.disruptions ?? disruptions) !== disruptions ? 'Disruption' : 'Failure';
}

function lossBy({ job: { status }, now }: Observation, cause: RestartCause, change: Partial<TrainingJobStatus>): Partial<TrainingJobStatus> {
  return beginLoss(status, cause, change.lastFailure?.reason, now);
}

/** A change of the status that has to be durable before anything follows from it. */
export function decision(
  { job, now }: Observation, change: Partial<TrainingJobStatus>, conditions: ConditionChange[], events: PlannedEvent[],
): Plan {
  const status: TrainingJobStatus = {
    ...job.status,
    startTime: job.status.startTime ?? timeText(now),
    // A short job's first status may be its last.
    restarts: job.status.restarts ?? 0,
    disruptions: job.status.disruptions ?? 0,
    // Pods of the next attempt have not failed yet.
    ...(change.attempt !== undefined && change.attempt !== (job.status.attempt ?? 0) && { containerRestarts: undefined }),
    ...change,
    observedGeneration: job.generation,
    conditions: withConditions(job.status.conditions, conditions, timeText(now), job.generation),
  };
  return { decided: true, actions: [], events: [...events, ...avoidedNews(job.status, status)], status };
}
