/** What jobs have in common that have no pods of their own but jobs below them: searches with trials, arrays with copies. */
import { decision, end } from './decisions';
import { timeText } from './timestamps';
import type { Observation, Plan } from './types';
import type { TrainingJobStatus } from '../../../model/training-job/status';

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

/** Whether a job below this one has come to its end. */
export function isOver({ status: { phase } }: { readonly status: TrainingJobStatus }): boolean {
  return phase === 'Completed' || phase === 'Failed';
}
