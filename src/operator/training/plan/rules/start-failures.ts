/**
 * Pods that cannot start for their image, configuration or command. Kubelets try again for ever; the job fails when one pod has not got on for
 * `runPolicy.startTimeoutSeconds`, and at once where no waiting can help. One pod is watched at a time, so that the status remembers one and not
 * thousands: the next one's time begins when the first has got on or is gone. Pods that no node takes are not watched: they wait for room.
 */
import type { Rule } from './rule';
import type { StuckStart } from '../../../../model/training-job/status/recovery-status';
import type { TrainingJobStatus } from '../../../../model/training-job/status/status';
import { end } from '../decisions';
import { elapsedSince } from '../elapsed';
import { isEnoughUp } from '../elastic';
import { failureCause } from '../failures/failure-cause';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import { timeText } from '../timestamps';
import type { Observation, Plan, StartError } from '../types';

/** Fails the job. */
export const startFailuresRule: Rule = {
  decide(observation, view) {
    const { job: { spec, status } } = observation;
    if (spec.suspend) {
      return undefined;
    }
    const stuck = stuckReplicas(view);
    const hopeless = stuck.find(({ pod }) => pod!.startError!.permanent);
    if (hopeless) {
      return fail(observation, view, hopeless, '');
    }
    const { stuckStart } = status;
    const watched = stuck.find((entry) => isWatched(entry, stuckStart));
    const seconds = view.job.runPolicy.startTimeoutSeconds;
    return watched && elapsedSince(observation, Date.parse(stuckStart!.since)) >= seconds * 1000
      ? fail(observation, view, watched, ` for more than ${seconds} s (spec.runPolicy.startTimeoutSeconds)`)
      : undefined;
  },

  observe({ now }, view, status) {
    const stuck = stuckReplicas(view);
    const watched = stuck.find((entry) => isWatched(entry, status.stuckStart));
    const entry = watched ?? stuck[0];
    if (entry === undefined) {
      return { ...status, stuckStart: undefined };
    }
    // A clock that was set back must not make the wait longer.
    const since = watched ? Math.min(now, Date.parse(status.stuckStart!.since) || now) : now;
    const { pod } = entry;
    return { ...status, stuckStart: { pod: pod!.name, uid: pod!.uid, reason: pod!.startError!.reason, since: timeText(since) } };
  },

  events(before, after) {
    const { stuckStart } = after;
    return stuckStart !== undefined && (stuckStart.uid !== before.stuckStart?.uid || stuckStart.reason !== before.stuckStart.reason)
      ? [{ type: 'Warning', reason: stuckStart.reason, message: `${stuckStart.pod} cannot start; the job fails unless it does in time (spec.runPolicy.startTimeoutSeconds)` }]
      : [];
  },

  wakeAfterMs(observation, view, { stuckStart }: TrainingJobStatus) {
    const waitMs = view.job.runPolicy.startTimeoutSeconds * 1000;
    return stuckStart === undefined || observation.job.spec.suspend ? undefined : waitMs - elapsedSince(observation, Date.parse(stuckStart.since));
  },
};

function stuckReplicas(view: JobView): ReplicaView[] {
  // An elastic job that runs without them is not ended by replicas that cannot start on some node; one of which nobody runs any more waits for them.
  if (view.job.spec.elastic !== undefined && isEnoughUp(view, false) && view.replicas.some(({ pod }) => pod?.state === 'Running')) {
    return [];
  }
  return view.replicas.filter(({ pod, succeeded }) => pod?.startError !== undefined && !pod.deleting && !succeeded);
}

function isWatched({ pod }: ReplicaView, stuckStart: StuckStart | undefined): boolean {
  return pod?.uid === stuckStart?.uid;
}

function fail(observation: Observation, view: JobView, entry: ReplicaView, howLong: string): Plan {
  const error: StartError = entry.pod!.startError!;
  const rank = entry.replica.rank === undefined ? '' : `rank ${entry.replica.rank}, `;
  return end(observation, 'Failed', error.reason, `${entry.replica.podName} (${rank}${entry.replica.role}) cannot start${howLong}: ${error.message}`, view, {
    lastFailure: failureCause(view.attempt, entry, { disruption: false, reason: error.reason, message: error.message }, observation.now),
  });
}
