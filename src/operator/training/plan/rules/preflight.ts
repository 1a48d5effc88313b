/**
 * `spec.preflight`: checks that failed before training began. They are nobody's failure: neither `restarts` nor `disruptions` grows. The nodes at
 * fault are
 * avoided at once, and the replicas that depend on each other start again, after a pause that grows; but only so many times in a row, because a
 * check that
 * never passes would otherwise hold on to the nodes for ever.
 *
 * The check of the network ends in one of three ways. All pass. One replica finds something and its pod fails with what it found. Or somebody never
 * comes: then `timeoutSeconds` are counted from the moment at which the checks of all replicas had begun (a replica without a node, or one whose
 * image is
 * still on its way, is not late), the attempt is ended, and rank 0 says as it leaves for whom it waited. That arrives after the decision, and is a
 * decision of its own: the node is marked before the pods of the next attempt are made.
 */
import type { Rule } from './rule';
import { PREFLIGHT_LIMIT, hasPreflight, networkPeers, preflightTimeoutSeconds } from '../../../../model/training-job/preflight';
import { restartScopeOf } from '../../../../model/training-job/restart-in-place';
import type { FailureCause, TrainingJobStatus } from '../../../../model/training-job/status/status';
import { decision, end, restart } from '../decisions';
import { elapsedSince } from '../elapsed';
import { describeCause, failureCause } from '../failures/failure-cause';
import { MAX_REPLACING } from '../failures/failures';
import { nextAttempt } from '../failures/next-attempt';
import { PREFLIGHT_FAILED } from '../observe/observe-pod';
import type { JobView, ReplicaView } from '../observe/replicas-view';
import { withSickNode } from '../failures/suspect-nodes';
import { timeText } from '../timestamps';
import type { Observation, ObservedPod, Plan } from '../types';

/** Restarts or fails the job. */
export const preflightRule: Rule = {
  decide(observation, view) {
    if (!hasPreflight(view.job) || observation.job.spec.suspend) {
      return undefined;
    }
    return explain(observation, view) ?? decideFailed(observation, view) ?? decideLate(observation, view) ?? decideHanging(observation, view);
  },

  observe(_observation, _view, status) {
    return status.preflight !== undefined && status.attemptStarted ? { ...status, preflight: undefined } : status;
  },

  wakeAfterMs(observation, view) {
    const alone = hangingChecks(observation, view).map(({ waited }) => waited);
    const waits = [waitedMs(observation, view), ...alone].filter((waited) => waited !== undefined);
    return waits.length === 0 ? undefined : Math.max(0, preflightTimeoutSeconds(view.job) * 1000 - Math.max(...waits));
  },
};

/** Pods whose checks have failed by themselves. */
function decideFailed(observation: Observation, view: JobView): Plan | undefined {
  const failed = view.replicas.filter(({ pod, replaced }) => !replaced && pod !== undefined && !pod.deleting && hasFailedChecks(pod));
  const isGroup = restartScopeOf(view.job) !== 'replica';
  // Peers of a pod that the cluster takes away find it missing. That is a disruption, and is answered as one. Helpers are nobody's peers here.
  const isDisrupted = view.replicas.some(({ pod, role }) => (
    role.helper === undefined && pod !== undefined && (pod.deleting || pod.failure?.disruption)));
  if (failed.length === 0 || (isGroup && isDisrupted)) {
    return undefined;
  }
  const blamed = new Set(failed.flatMap(({ pod }) => pod!.preflight?.blames ?? []));
  const [first] = [...failed].sort((a, b) => Number(!isOwnFault(a)) - Number(!isOwnFault(b)));
  const cause = failureCause(view.attempt, first, first.pod!.failure!, observation.now);
  const nodes = view.replicas.filter(({ replica }) => replica.rank !== undefined && blamed.has(replica.rank)).map(({ pod }) => pod?.node);
  const room = MAX_REPLACING - view.replacing.length;
  if (!isGroup && room <= 0) {
    // Nothing could follow from the decision but a failure that is counted again by the next pass.
    return undefined;
  }
  const replacing = [...view.replacing, ...failed.slice(0, Math.max(0, room)).map(({ pod }) => ({ pod: pod!.name, uid: pod!.uid }))];
  return startAgain(observation, view, cause, nodes, isGroup ? nextAttempt(view) : { replacing }, {});
}

/** The check of the network that does not end. */
function decideLate(observation: Observation, view: JobView): Plan | undefined {
  const waited = waitedMs(observation, view);
  const seconds = preflightTimeoutSeconds(view.job);
  if (waited === undefined || waited < seconds * 1000) {
    return undefined;
  }
  const late = view.replicas.find(({ pod }) => pod?.preflight !== undefined && pod.preflight.exitCode === undefined)!;
  const cause = failureCause(view.attempt, { ...late, pod: undefined }, {
    disruption: false, reason: PREFLIGHT_FAILED, message: `the network check did not end within ${seconds} s after all replicas started it`,
  }, observation.now);
  return startAgain(observation, view, cause, [], nextAttempt(view), { unexplained: true });
}

/** Checks of a node alone that do not end: a driver that does not answer cannot even be waited for with a time limit. */
function decideHanging(observation: Observation, view: JobView): Plan | undefined {
  const seconds = preflightTimeoutSeconds(view.job);
  const [late] = hangingChecks(observation, view).filter(({ waited }) => waited >= seconds * 1000);
  if (late === undefined) {
    return undefined;
  }
  const cause = failureCause(view.attempt, late.entry, {
    disruption: false, reason: PREFLIGHT_FAILED, message: `the checks of the node did not end within ${seconds} s`,
  }, observation.now);
  const { name, uid, node } = late.entry.pod!;
  const change = restartScopeOf(view.job) !== 'replica' ? nextAttempt(view) : { replacing: [...view.replacing, { pod: name, uid }] };
  return view.replacing.length < MAX_REPLACING ? startAgain(observation, view, cause, [node], change, {}) : undefined;
}

/** Replicas that check nothing but their node and are still at it, with the milliseconds since they began. */
function hangingChecks(observation: Observation, view: JobView): { readonly entry: ReplicaView; readonly waited: number }[] {
  const peers = new Set(networkPeers(view.job).map(({ ordinal }) => ordinal));
  return view.replicas.filter(({ replica, pod, replaced }) => !peers.has(replica.ordinal) && !replaced && pod !== undefined && !pod.deleting
    && pod.state === 'Waiting' && pod.preflight !== undefined && pod.preflight.exitCode === undefined && !observation.job.spec.suspend)
    .map((entry) => ({ entry, waited: elapsedSince(observation, entry.pod!.preflight!.startedAt) }));
}

/** Milliseconds since the checks of all replicas had begun; undefined unless all have and one still waits. */
function waitedMs(observation: Observation, view: JobView): number | undefined {
  const peers = hasPreflight(view.job) ? networkPeers(view.job) : [];
  // Of replicas that train or have trained the checks have passed.
  const open = peers.map(({ ordinal }) => view.replicas[ordinal])
    .filter(({ pod, succeeded }) => !succeeded && (pod === undefined || pod.state === 'Waiting'));
  if (peers.some(({ ordinal }) => view.replicas[ordinal].pod?.state === 'Failed')) {
    // For that one the others wait in vain, and how it ended is for other rules to answer.
    return undefined;
  }
  const checks = open.map(({ pod, replaced }) => (pod?.deleting || replaced ? undefined : pod?.preflight));
  const isWaiting = checks.every((check) => check !== undefined) && checks.some((check) => check!.exitCode === undefined);
  return isWaiting && !observation.job.spec.suspend ? elapsedSince(observation, ...checks.map((check) => check!.startedAt)) : undefined;
}

/** What rank 0 said of a check that was ended because it took too long. */
function explain(observation: Observation, view: JobView): Plan | undefined {
  const { job: { status }, pods, departed = [] } = observation;
  const failure = status.lastFailure;
  if (!status.preflight?.unexplained || failure?.reason !== PREFLIGHT_FAILED) {
    return undefined;
  }
  const peers = networkPeers(view.job);
  const gone = [...departed, ...pods].filter((pod) => pod.attempt === failure.attempt);
  const said = gone.find((pod) => pod.name === peers[0]?.podName && pod.preflight?.blames !== undefined)?.preflight;
  if (said === undefined) {
    return undefined;
  }
  const blamed = peers.filter((_, rank) => said.blames!.includes(rank)).map(({ podName }) => podName);
  const message = `${failure.message}; ${said.message}`;
  const nodes = gone.filter((pod) => blamed.includes(pod.name)).map((pod) => pod.node);
  return decision(observation, {
    ...markSick(view, status, nodes, observation.now),
    preflight: { failures: status.preflight.failures },
    lastFailure: { ...failure, message },
  }, [], [{ type: 'Warning', reason: PREFLIGHT_FAILED, message }]);
}

function startAgain(
  observation: Observation, view: JobView, cause: FailureCause, nodes: readonly (string | undefined)[],
  change: Partial<TrainingJobStatus>, more: { readonly unexplained?: true },
): Plan {
  const { job: { status }, now } = observation;
  const failures = (status.preflight?.failures ?? 0) + 1;
  const known = { lastFailure: cause, preflight: { failures, ...more }, ...markSick(view, status, nodes, now) };
  if (failures > PREFLIGHT_LIMIT) {
    return end(observation, 'Failed', PREFLIGHT_FAILED, `spec.preflight failed ${failures} times in a row, the last time with: ${describeCause(cause)}`, view, known);
  }
  const { initialSeconds, maxSeconds } = view.job.runPolicy.backoff;
  const pause = Math.min(maxSeconds, initialSeconds * 2 ** (failures - 1));
  return restart(observation, {
    ...known,
    ...change,
    restarts: status.restarts ?? 0,
    disruptions: status.disruptions ?? 0,
    nextRetryTime: timeText(now + pause * 1000),
  }, `${describeCause(cause)}; retrying in ${pause} s (${failures} of ${PREFLIGHT_LIMIT})`, 'Preflight');
}

function markSick(
  view: JobView, status: TrainingJobStatus, nodes: readonly (string | undefined)[], now: number,
): Pick<TrainingJobStatus, 'suspectNodes'> {
  const named = view.job.runPolicy.nodeAvoidance.afterFailures > 0 ? new Set(nodes.filter((node) => node !== undefined)) : new Set<string>();
  let { suspectNodes } = status;
  for (const node of named) {
    ({ suspectNodes } = withSickNode({ ...status, suspectNodes }, node, PREFLIGHT_FAILED, now));
  }
  return { suspectNodes };
}

function hasFailedChecks({ state, failure }: ObservedPod): boolean {
  return state === 'Failed' && failure?.reason === PREFLIGHT_FAILED && !failure.disruption;
}

/** A replica that blames its own node knows best. */
function isOwnFault({ replica, pod }: ReplicaView): boolean {
  return replica.rank !== undefined && pod?.preflight?.blames?.includes(replica.rank) === true;
}
