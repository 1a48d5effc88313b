/**
 * Failures that may follow from the loss of a node, of which nothing is known yet: what is noted of them (`status.provisionalFailure`), and of
 * which failures it is noted. Replicas that start again together are judged together (`failures.ts`): whatever a rank says last, a peer that went
 * first explains it. Replicas that are replaced one by one do not depend on each other, so that one of them has to say that it lost a peer, or to
 * have been killed on a node that is silent since.
 */
import { elapsedSince } from '../elapsed';
import { endangeredReplicas } from './failed-replicas';
import { saysPeerLost } from '../observe/log-signs';
import { nodeTrouble } from './node-loss';
import type { JobView } from '../observe/replicas-view';
import { isUnended, silentPods, VERDICT_LIMIT_MS, wasKilled } from '../observe/silent-pods';
import { timeText } from '../timestamps';
import type { Observation, ObservedPod } from '../types';
import type { ProvisionalFailure, ProvisionalOutcome } from '../../../../model/training-job/status/recovery-status';
import type { FailureCause, TrainingJobStatus } from '../../../../model/training-job/status/status';

/** The time, and since when it has gone by evenly and somebody has looked. */
export type Now = Pick<Observation, 'now' | 'clockSteadySince' | 'heardSince'>;

/** A failure, with the pod that it was in. */
export interface OwnFailure {
  readonly cause: FailureCause;
  readonly pod?: ObservedPod;
}

/**
 * What is noted of a failure that goes with those that wait already.
 * @param count failures that are counted if it turns out so
 * @param ofNode whether it makes its node suspect then
 */
export function provisional(
  view: JobView, status: TrainingJobStatus, root: { readonly cause: FailureCause }, puts: ProvisionalOutcome, count: number, now: number,
  ofNode = false,
): ProvisionalFailure {
  const noted = openFailure(view, status);
  const { pod, node, reason } = root.cause;
  const all = (noted === undefined ? 0 : pendingRestarts(view, status)) + count;
  return {
    attempt: view.attempt,
    time: noted?.time ?? timeText(now),
    pod,
    ...(node !== undefined && { node }),
    reason,
    puts,
    ...(ofNode && { speaksOfNode: true }),
    ...(all !== (puts === 'Restart' ? 1 : 0) && { count: all }),
    ...(noted !== undefined && { lastTime: timeText(now) }),
  };
}

/** What waits for a verdict in the attempt that runs. */
export function openFailure({ attempt }: JobView, { provisionalFailure: noted }: TrainingJobStatus): ProvisionalFailure | undefined {
  return noted?.attempt === attempt ? noted : undefined;
}

/** Failures of the attempt that runs which are not counted yet. */
export function pendingRestarts(view: JobView, status: TrainingJobStatus): number {
  const noted = openFailure(view, status);
  return noted === undefined ? 0 : noted.count ?? (noted.puts === 'Restart' ? 1 : 0);
}

/** The same, where the end of the job is what waits. */
export function openEnd(view: JobView, status: TrainingJobStatus): ProvisionalFailure | undefined {
  const noted = openFailure(view, status);
  return noted?.puts === 'End' ? noted : undefined;
}

/** What the status of a job says that ends because of too many failures: those that waited for a verdict are among them. */
export function settledRestarts(reason: string, view: JobView, status: TrainingJobStatus): Pick<TrainingJobStatus, 'restarts'> {
  const restarts = (status.restarts ?? 0) + pendingRestarts(view, status);
  return reason === 'BackoffLimitExceeded' ? { restarts: Math.min(restarts, view.job.runPolicy.backoffLimit) } : {};
}

/**
 * Whether a verdict may still turn out another way: a node was not heard from, and it has not lasted too long. A time that is far ahead was
 * written by a clock that has been set back since, and would keep it open for as long.
 */
export function isOpen(failure: ProvisionalFailure, observation: Now): boolean {
  const time = Date.parse(failure.time);
  return time <= observation.now + VERDICT_LIMIT_MS && elapsedSince(observation, time) < VERDICT_LIMIT_MS;
}

/** Since when nodes have to be heard from, milliseconds since the epoch. */
export function verdictSince({ time, lastTime = time }: ProvisionalFailure): number {
  return Date.parse(lastTime);
}

/**
 * Whether the failure of a replica that is replaced by itself may turn out to be the doing of a lost node.
 * @param since when it was noted, milliseconds since the epoch
 * @param isHeard whether a node without a Lease that can be read counts as heard from
 */
export function mayFollowLoss({ cause, pod: own }: OwnFailure, view: JobView, since: number, observation: Now, isHeard = false): boolean {
  const lostPeer = saysPeerLost(cause.logTail);
  return (lostPeer || wasKilled(cause))
    && silentPods(podsOfAttempt(view), since, observation, isHeard).some((pod) => lostPeer || pod.uid === own?.uid);
}

/** Whether a failure that would end the job may turn out to be the doing of a lost node, and it has not been waited for too long. */
export function mayEndBePutOff(failure: OwnFailure, view: JobView, status: TrainingJobStatus, observation: Now): boolean {
  const noted = openEnd(view, status);
  return (noted === undefined || isOpen(noted, observation))
    && mayFollowLoss(failure, view, noted === undefined ? observation.now : verdictSince(noted), observation, true);
}

/**
 * Whether the failure of a replica that is replaced by itself follows from a loss that is known: it says that it lost a peer, and one is lost, or
 * was a short time ago and the job is not back from it.
 * @param losses replicas that are lost now
 */
export function followsLoss({ cause, pod: own }: OwnFailure, view: JobView, status: TrainingJobStatus, losses: number, observation: Now): boolean {
  if (!saysPeerLost(cause.logTail)) {
    return false;
  }
  const { lastRestart: last } = status;
  return losses > 0
    || endangeredReplicas(view, observation.now).some(({ entry }) => entry.pod?.uid !== own?.uid)
    || podsOfAttempt(view).some((pod) => isUnended(pod) && pod.uid !== own?.uid && nodeTrouble(pod, view.job.runPolicy) !== undefined)
    || (last?.cause === 'Disruption' && last.lostSeconds === undefined && elapsedSince(observation, Date.parse(last.time)) < VERDICT_LIMIT_MS);
}

/** Pods of the attempt, those that are replaced among them. */
function podsOfAttempt({ attempt, replicas }: JobView): ObservedPod[] {
  return replicas.flatMap(({ pod, outgoing, succeeded }) => [succeeded ? [] : pod ?? [], outgoing?.attempt === attempt ? outgoing : []].flat());
}
