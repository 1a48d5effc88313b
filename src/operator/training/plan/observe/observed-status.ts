/** What the pods say of a job, as its status: phase, counts, conditions. Nothing is decided here. */
import { conditionOf, isConditionTrue, withConditions, type ConditionChange } from '../conditions';
import { RUNNING_BELOW_DESIRED, isEnoughUp, podSelector, scaledReplicas } from '../elastic';
import { isGivenUp } from '../failures/failed-replicas';
import { endLoss } from '../failures/lost-time';
import { stuckPodMessage } from '../failures/node-loss';
import { isKeptSuspended } from '../idle';
import { VERDICT_LIMIT_MS } from './silent-pods';
import { roleStatuses, type JobView } from './replicas-view';
import { timeText } from '../timestamps';
import type { Observation } from '../types';
import type { Phase, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** The status as the pods say it is, no decision taken. */
export function observedStatus(observation: Observation, view: JobView): TrainingJobStatus {
  const { job: { status, generation }, now } = observation;
  const up = countUp(view);
  const allUp = up === view.replicas.length;
  const enoughUp = isEnoughUp(view, allUp);
  const isSuspended = isKeptSuspended(observation.job);
  const phase = phaseOf(status, isSuspended, enoughUp);
  const problem = observation.problems[0];
  const changes: ConditionChange[] = [
    problem
      ? { type: 'Created', status: 'False', reason: problem.reason, message: problem.message }
      : { type: 'Created', status: 'True', reason: 'JobCreated', message: 'The operator has accepted the job' },
    enoughUp && !isSuspended
      ? runningCondition(view, up)
      : { type: 'Running', status: 'False', reason: 'ReplicasMissing', message: [missingMessage(view, up), verdictMessage(status, view), stuckPodMessage(view)].filter(Boolean).join('; ') },
  ];
  if (phase === 'Running' && conditionOf(status, 'Restarting')) {
    changes.push({ type: 'Restarting', status: 'False', reason: 'Restarted', message: 'All replicas are running again' });
  }
  return {
    ...status,
    ...(phase === 'Running' && endLoss(status, now)),
    phase,
    observedGeneration: generation,
    startTime: status.startTime ?? timeText(now),
    conditions: withConditions(status.conditions, changes, timeText(now), generation),
    replicas: scaledReplicas(view.job),
    ready: readyText(view),
    selector: podSelector(view.job),
    attempt: view.attempt,
    attemptStarted: status.attemptStarted === true || enoughUp,
    restarts: status.restarts ?? 0,
    disruptions: status.disruptions ?? 0,
    nextRetryTime: status.nextRetryTime !== undefined && Date.parse(status.nextRetryTime) > now ? status.nextRetryTime : undefined,
    workerStatuses: roleStatuses(view),
    replacing: view.replacing.length > 0 ? view.replacing : undefined,
  };
}

/** What the end of the job waits for. */
function verdictMessage({ provisionalFailure }: TrainingJobStatus, { attempt }: JobView): string | undefined {
  return provisionalFailure?.puts === 'End' && provisionalFailure.attempt === attempt
    ? `${provisionalFailure.pod} failed (${provisionalFailure.reason}), which ends the job unless a node of another replica is lost; `
      + `waiting for their nodes, at most ${VERDICT_LIMIT_MS / 1000} s from ${provisionalFailure.time}`
    : undefined;
}

/** An elastic job runs as soon as enough of its replicas do. */
function runningCondition(view: JobView, up: number): ConditionChange {
  return up === view.replicas.length
    ? { type: 'Running', status: 'True', reason: 'AllReplicasRunning', message: `All ${view.replicas.length} replicas are running or have succeeded` }
    : { type: 'Running', status: 'True', reason: RUNNING_BELOW_DESIRED, message: missingMessage(view, up) };
}

/** Replicas that run or have succeeded. */
function countUp(view: JobView): number {
  return view.replicas.filter((entry) => entry.succeeded || isGivenUp(entry) || (entry.pod?.state === 'Running' && !entry.replaced)).length;
}

/** Replicas that are up, of all, as `3/4`. */
export function readyText(view: JobView): string {
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
  return `${up} of ${view.replicas.length} replicas are running${why}`;
}
