/**
 * A gang that is placed in part holds room that it cannot use, and two such gangs can hold each other up for ever. When fewer replicas than the
 * minimum are placed for `scheduleTimeoutSeconds`, all pods of the attempt are released, and the gang starts again as the next attempt, from its
 * last checkpoint, after a pause that grows with each release in a row.
 *
 * Gangs that were created together would be released and restarted together, and hold each other up again. So each waits between once and twice the
 * pause; how long follows from its uid and its attempt.
 *
 * A gang of which nothing is placed holds nothing: it is left waiting, because releasing it would only cost it its place in the line. A release
 * is nobody's failure and no disruption: it is counted apart (`status.gang.releases`), and no budget ends it.
 *
 * The time, too, doubles with each release in a row, up to sixteen times what the job says: a scheduler that needs longer than that to place all of a
 * gang, though it has the room, would otherwise never come to its end.
 *
 * The clock stands in the status, so that an operator that restarts goes on counting, and a wall clock that jumps never releases a gang early
 * (`elapsed.ts`). It runs at the start, while a replacement waits for room, and while the API server does not let all pods in (a quota).
 */
import type { Rule } from './rule';
import { gangMinimum, scheduleTimeoutSeconds } from '../../../../model/training-job/scheduling';
import type { GangStatus, TrainingJobStatus } from '../../../../model/training-job/status/status';
import { hash32 } from '../../../../model/tuning/random';
import { isConditionTrue } from '../conditions';
import { release } from '../decisions';
import { elapsedSince } from '../elapsed';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import { timeText } from '../timestamps';
import type { Observation } from '../types';

/** Most doublings of the time. */
const MAX_DOUBLINGS = 4;

/** Releases the gang. */
export const gangReleaseRule: Rule = {
  decide(observation, view) {
    const minimum = gangMinimum(view.job);
    const since = observation.job.status.gang?.belowSince;
    if (minimum === undefined || since === undefined || !isBelow(observation, view, minimum)
      || elapsedSince(observation, Date.parse(since)) < timeoutSeconds(view, observation.job.status) * 1000) {
      return undefined;
    }
    const { gang = {} } = observation.job.status;
    const step = gang.step ?? 0;
    const { initialSeconds, maxSeconds } = view.job.runPolicy.backoff;
    const least = Math.min(maxSeconds, initialSeconds * 2 ** Math.min(step, 30));
    const pause = least + Math.floor(least * (hash32(`${observation.job.uid} ${view.attempt}`) / 2 ** 32));
    const placed = countPlaced(view);
    return release(observation, view, {
      gang: { releases: (gang.releases ?? 0) + 1, step: step + 1 },
      nextRetryTime: timeText(observation.now + pause * 1000),
    }, {
      reason: 'GangReleased',
      message: `Only ${placed} of at least ${minimum} replicas were placed within ${timeoutSeconds(view, observation.job.status)} s `
        + `(spec.scheduling.gang); all are released, and start again in ${pause} s as attempt ${view.attempt + 1}`,
    });
  },

  observe(observation, view, status) {
    const minimum = gangMinimum(view.job);
    if (minimum === undefined) {
      return status;
    }
    const { belowSince, step, ...kept } = status.gang ?? {};
    const below = isBelow(observation, view, minimum);
    const gang: GangStatus = {
      ...kept,
      // A clock that was set back must not make the wait longer.
      ...(below && { belowSince: timeText(Math.min(observation.now, Date.parse(belowSince ?? '') || observation.now)) }),
      // Once it has run, the next release is the first again.
      ...(step !== undefined && !isConditionTrue(status, 'Running') && { step }),
    };
    return { ...status, gang: Object.keys(gang).length > 0 ? gang : undefined };
  },

  wakeAfterMs(observation, view, status: TrainingJobStatus) {
    const since = status.gang?.belowSince;
    return since === undefined ? undefined : timeoutSeconds(view, status) * 1000 - elapsedSince(observation, Date.parse(since));
  },
};

/** How long the gang may be placed in part this time. */
function timeoutSeconds(view: JobView, { gang }: TrainingJobStatus): number {
  return scheduleTimeoutSeconds(view.job) * 2 ** Math.min(gang?.step ?? 0, MAX_DOUBLINGS);
}

/** Whether some replicas of the attempt are placed, and too few. */
function isBelow({ job }: Observation, view: JobView, minimum: number): boolean {
  // Replicas that are done hold no room; whoever is left counts on nobody else.
  const placed = countPlaced(view);
  return job.spec.suspend !== true && placed < minimum && view.replicas.some(isHolding);
}

function countPlaced(view: JobView): number {
  return view.replicas.filter((entry) => entry.succeeded || isPlaced(entry)).length;
}

/** Whether the replica's pod has a node, and is not on its way out. */
function isPlaced({ pod, replaced }: ReplicaView): boolean {
  return pod !== undefined && !replaced && (pod.node !== undefined || pod.state !== 'Waiting');
}

/** Whether the replica keeps room from others. */
function isHolding(entry: ReplicaView): boolean {
  return isPlaced(entry) && !entry.succeeded && (entry.pod?.state === 'Waiting' || entry.pod?.state === 'Running');
}
