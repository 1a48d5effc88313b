/** What jobs have in common that have no pods of their own but jobs below them: searches with trials, arrays with copies. */
import { withConditions, type ConditionChange } from './conditions';
import { decision, end } from './decisions';
import { timeText } from './timestamps';
import type { Observation, Plan } from './types';
import { isArray } from '../../../model/training-job/array';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import type { Phase, TrainingJobStatus } from '../../../model/training-job/status/status';
import { isSearch } from '../../../model/tuning/trial-spec';

/** Whether the job has no pods of its own but jobs below it. */
export function isParent(spec: TrainingJobSpec): boolean {
  return isSearch(spec) || isArray(spec);
}

/** Who the job is, for people. */
export interface ParentJob {
  /** Such as `search`. */
  readonly title: string;
  /** Such as `its trials`. */
  readonly children: string;
}

/** Suspends or resumes the job as its spec says; the jobs below it follow. */
export function decideSuspension(observation: Observation, { title, children }: ParentJob): Plan | undefined {
  const { spec, status } = observation.job;
  if (spec.suspend && status.phase !== 'Suspended') {
    const message = `The ${title} is suspended (spec.suspend), and ${children} with it`;
    return decision(observation, { phase: 'Suspended' }, [
      { type: 'Running', status: 'False', reason: 'JobSuspended', message },
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message },
    ], [{ type: 'Normal', reason: 'JobSuspended', message }]);
  }
  if (!spec.suspend && status.phase === 'Suspended') {
    const message = `The ${title} is resumed`;
    // As with jobs, the pause does not use the deadline up.
    return decision(observation, { phase: 'Pending', startTime: timeText(observation.now) },
      [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message }],
      [{ type: 'Normal', reason: 'JobResumed', message }]);
  }
  return undefined;
}

/** Ends the job at its deadline. @param change how the jobs below it stand then */
export function decideDeadline(observation: Observation, change: () => Partial<TrainingJobStatus>): Plan | undefined {
  const { spec } = observation.job;
  const left = deadlineIn(observation);
  return left !== undefined && left <= 0 && !spec.suspend
    ? end(observation, 'Failed', 'DeadlineExceeded', `ran longer than spec.runPolicy.activeDeadlineSeconds (${spec.runPolicy?.activeDeadlineSeconds})`,
      undefined, change())
    : undefined;
}

/** Milliseconds until the deadline; undefined where none approaches. */
export function deadlineIn({ job: { spec, status }, now }: Observation): number | undefined {
  const seconds = spec.runPolicy?.activeDeadlineSeconds;
  return seconds === undefined || status.startTime === undefined || status.phase === 'Suspended'
    ? undefined
    : Date.parse(status.startTime) + seconds * 1000 - now;
}

/** How the jobs below are doing, in numbers and words. */
export interface ChildrenSeen {
  /** How many of them run. */
  readonly running: number;
  /** How many of them have been begun and have not ended. */
  readonly underWay: number;
  /** What to say while some run, such as `2 trials run`, and why. */
  readonly whenRunning: { readonly reason: string; readonly message: string };
  /** The same while none do: `No trial runs`. */
  readonly whenPending: { readonly reason: string; readonly message: string };
  /** How far the whole has come, after a semicolon. */
  readonly standing: string;
}

/** The status as the jobs below say it is, no decision taken. @param fields what else it says of them */
export function observedStatus(
  { job: { status, spec, generation }, problems, now }: Observation,
  { running, underWay, whenRunning, whenPending, standing }: ChildrenSeen,
  fields: Partial<TrainingJobStatus>,
): TrainingJobStatus {
  const phase: Phase = spec.suspend ? 'Suspended' : running > 0 || (status.phase === 'Running' && underWay > 0) ? 'Running' : 'Pending';
  const problem = problems[0];
  const changes: ConditionChange[] = [
    problem
      ? { type: 'Created', status: 'False', reason: problem.reason, message: problem.message }
      : { type: 'Created', status: 'True', reason: 'JobCreated', message: 'The operator has accepted the job' },
    phase === 'Running'
      ? { type: 'Running', status: 'True', reason: whenRunning.reason, message: `${whenRunning.message}; ${standing}` }
      : { type: 'Running', status: 'False', reason: spec.suspend ? 'JobSuspended' : whenPending.reason, message: `${whenPending.message}; ${standing}` },
  ];
  return {
    ...status,
    phase,
    observedGeneration: generation,
    startTime: status.startTime ?? timeText(now),
    conditions: withConditions(status.conditions, changes, timeText(now), generation),
    ...fields,
  };
}

/** Whether a job below this one runs at this moment. */
export function isRunning(child: { readonly status: TrainingJobStatus } | undefined): boolean {
  return child?.status.phase === 'Running' || child?.status.phase === 'Restarting';
}

/** Whether a job below this one has come to its end. */
export function isOver({ status: { phase } }: { readonly status: TrainingJobStatus }): boolean {
  return phase === 'Completed' || phase === 'Failed';
}
