/**
 * Decisions: changes of the status that have to be durable before anything follows from them. Each of them is the whole answer of a plan.
 */
import { withConditions, type ConditionChange } from './conditions';
import { readyText } from './observed-status';
import { roleStatuses, type JobView } from './replicas-view';
import { timeText } from './timestamps';
import type { Observation, Plan, PlannedEvent } from './types';
import type { TrainingJobStatus } from '../../../model/training-job/status';

/** Replicas failed or were lost, and `change` says what starts again. */
export function restart(observation: Observation, change: Partial<TrainingJobStatus>, message: string): Plan {
  const { restarts = 0, disruptions = 0 } = observation.job.status;
  const reason = change.restarts === restarts && change.disruptions !== disruptions ? 'JobDisrupted' : 'JobRestarting';
  return decision(observation, { ...change, phase: 'Restarting' }, [
    { type: 'Running', status: 'False', reason, message },
    { type: 'Restarting', status: 'True', reason, message },
  ], [{ type: 'Warning', reason, message }]);
}

/** The job is to have no pods until it is resumed. */
export function suspend(observation: Observation, view: JobView): Plan {
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

/** The job is to run again. */
export function resume(observation: Observation, view: JobView): Plan {
  const message = 'The job is resumed';
  // The deadline counts the time that a job may run, so that the pause does not use it up.
  return decision(observation, { phase: 'Pending', startTime: timeText(observation.now), attempt: view.attempt },
    [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message }],
    [{ type: 'Normal', reason: 'JobResumed', message }]);
}

/** The job has come to its end. */
export function end(
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
