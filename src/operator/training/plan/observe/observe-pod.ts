/**
 * From a Kubernetes pod to what the planner knows of it. The outcome of a replica is that of its `training` container: a sidecar that goes on after
 * it neither keeps a job from completing nor hides a failure.
 *
 * A pod whose restart policy is not `Never` has no failed container: one that ended is about to be started again by the kubelet, so the pod waits.
 * Its failures are a number that only grows while the pod lives: the kubelet's restarts, and one more while the next is still to come.
 *
 * What the tools of `spec.debug` and `spec.preflight` say through a pod's termination messages.
 */
import { optional } from '../../../../model/lists';
import { isCommandMissing, startErrorOf } from '../failures/start-errors';
import type { NodeState, ObservedHookPod, ObservedPod, PodFailure, PodState, PreflightState } from '../types';
import type { ContainerStatus, ContainerTermination, Pod } from '../../../../manifests/kubernetes';
import { STACKS_MARK } from '../../../../manifests/tools/stacks';
import { ATTEMPT_LABEL, AVOIDED_NODES_ANNOTATION, HOOK_LABEL } from '../../../../model/labels';
import { HOOK_CONTAINER, type HookName } from '../../../../model/training-job/hooks';
import { PREFLIGHT_CONTAINER } from '../../../../model/training-job/preflight';

/** Longest text that is taken over from a pod, in characters; the status has to stay small. */
const TEXT_MAX_LENGTH = 1024;

/** Longest tail of a log, in characters; a kubelet keeps 2048 bytes. */
const LOG_TAIL_MAX_LENGTH = 2048;

/** Container whose end is the replica's end. */
const TRAINING_CONTAINER = 'training';

/** Pod-level reasons with which the cluster, and not the program, ended a pod. */
const DISRUPTION_REASONS = new Set(['Evicted', 'Preempted', 'Preempting', 'NodeLost', 'NodeShutdown', 'Shutdown', 'Terminated', 'UnexpectedAdmissionError']);

/** Reasons of containers that the kubelet lost track of: their node was started again, or the container runtime was. */
const LOST_CONTAINER_REASONS = new Set(['ContainerStatusUnknown', 'Unknown']);

/** Waiting reasons that every start passes through and that say nothing. */
const ORDINARY_WAITING = new Set(['ContainerCreating', 'PodInitializing']);

/**
 * What the planner needs of a pod.
 * @param nodeState state of its node @default - unknown
 * @param stateOf state of other nodes @default - unknown
 */
export function observePod(pod: Pod, nodeState?: NodeState, stateOf?: (node: string) => NodeState | undefined): ObservedPod {
  const training = statusOf(pod, isHookPod(pod) ? HOOK_CONTAINER : TRAINING_CONTAINER);
  const state = podState(pod, training);
  const { name = '', uid = '', labels, annotations, deletionTimestamp } = pod.metadata ?? {};
  const hasEnded = hasPodEnded(pod);
  const preflight = preflightOf(pod);
  const failures = containerFailures(pod);
  const avoidedNodes = annotations?.[AVOIDED_NODES_ANNOTATION]?.split(',');
  return {
    name,
    uid,
    attempt: attemptOf(labels?.[ATTEMPT_LABEL]),
    state,
    deleting: deletionTimestamp !== undefined,
    lingering: (state === 'Succeeded' || state === 'Failed') && !hasEnded,
    node: pod.spec?.nodeName,
    waitingFor: state === 'Waiting' ? waitingFor(pod) : undefined,
    failure: state === 'Failed' ? explained(podFailure(pod, training), preflight) : undefined,
    ...optional('preflight', preflight),
    ...optional('stacks', stacksOf(training)),
    ...(deletionTimestamp !== undefined && { deletionDeadline: Date.parse(deletionTimestamp) }),
    ...(nodeState && pod.spec?.nodeName && { nodeState }),
    ...(state === 'Waiting' && optional('startError', startErrorOf(containersOf(pod)))),
    ...(failures.count > 0 && { containerRestarts: failures.count, lastContainerFailure: failures.last }),
    ...(state === 'Waiting' && optional('unschedulableSince', unscheduled(pod)?.lastTransitionTime)),
    ...(state === 'Waiting' && pod.spec?.nodeName && containersOf(pod).length === 0 && { unseen: true }),
    ...(avoidedNodes && { avoidedNodes, ...optional('avoidedStates', state === 'Waiting' ? statesOf(avoidedNodes, stateOf) : undefined) }),
  };
}

/** Whether a pod is that of a hook, and of no replica. */
export function isHookPod({ metadata }: Pod): boolean {
  return metadata?.labels?.[HOOK_LABEL] !== undefined;
}

/** What the planner needs of the pod of a hook. */
export function observeHookPod(pod: Pod, nodeState?: NodeState): ObservedHookPod {
  return { ...observePod(pod, nodeState), hook: pod.metadata?.labels?.[HOOK_LABEL] as HookName };
}

/** Of a label that the operator did not write: one that no job comes to. */
function attemptOf(label = '0'): number {
  return /^\d+$/.test(label) ? Number(label) : Infinity;
}

function statesOf(nodes: readonly string[], stateOf?: (node: string) => NodeState | undefined): ObservedPod['avoidedStates'] {
  const known = nodes.flatMap((node) => {
    const state = stateOf?.(node);
    return state === undefined ? [] : [[node, state] as const];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Why the pod does not start, when something is wrong: no node, no image, no config. */
function waitingFor(pod: Pod): string | undefined {
  const condition = unscheduled(pod);
  if (condition) {
    return [condition.reason, condition.message].filter(Boolean).join(': ').slice(0, TEXT_MAX_LENGTH);
  }
  const waiting = containersOf(pod).map((status) => status.state?.waiting).find((state) => state?.reason && !ORDINARY_WAITING.has(state.reason));
  return waiting && [waiting.reason, waiting.message].filter(Boolean).join(': ').slice(0, TEXT_MAX_LENGTH);
}

function unscheduled(pod: Pod) {
  return pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled' && condition.status === 'False');
}

function podState(pod: Pod, training: ContainerStatus | undefined): PodState {
  const phase = pod.status?.phase;
  const terminated = training?.state?.terminated;
  if (phase === 'Failed' && terminated?.exitCode === 0 && !pod.status?.reason && !isDisruption(pod)) {
    // Another container failed after it or next to it. A pod that was ended as a whole (evicted, out of time) has a reason of its own.
    return 'Succeeded';
  }
  if (phase === 'Succeeded' || phase === 'Failed') {
    return phase;
  }
  if (terminated && isStartedAgain(pod, terminated)) {
    return 'Waiting';
  }
  if (terminated) {
    return terminated.exitCode === 0 ? 'Succeeded' : 'Failed';
  }
  if (phase === 'Running') {
    // A pod whose training container has not started is Running for Kubernetes as soon as a sidecar runs.
    return training === undefined || training.state?.running ? 'Running' : 'Waiting';
  }
  return 'Waiting';
}

/** Whether the kubelet will start a container again that ended so. It starts nothing in a pod that is being deleted. */
function isStartedAgain(pod: Pod, { exitCode }: ContainerTermination): boolean {
  const policy = pod.spec?.restartPolicy;
  return pod.metadata?.deletionTimestamp === undefined && !hasPodEnded(pod)
    && (policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0));
}

/**
 * Failures of the training container, and of init containers before it, in a pod whose containers are restarted. The end of a container of an
 * `Always` pod is among them whatever its code was: the kubelet's number does not say.
 */
function containerFailures(pod: Pod): { readonly count: number; readonly last?: PodFailure } {
  if (pod.spec?.restartPolicy !== 'OnFailure' && pod.spec?.restartPolicy !== 'Always') {
    return { count: 0 };
  }
  const sidecars = new Set(pod.spec.initContainers?.filter((init) => init.restartPolicy === 'Always').map((init) => init.name));
  const statuses = [...(pod.status?.initContainerStatuses ?? []).filter(({ name }) => !sidecars.has(name)), statusOf(pod, TRAINING_CONTAINER)];
  let count = 0;
  let last: { readonly status: ContainerStatus; readonly ended: ContainerTermination; readonly isEarlier: boolean } | undefined;
  for (const status of statuses) {
    const { restartCount = 0, state, lastState } = status ?? {};
    const ending = state?.terminated && isStartedAgain(pod, state.terminated) ? state.terminated : undefined;
    const isBetween = state?.waiting !== undefined && lastState?.terminated !== undefined
      && !hasPodEnded(pod) && pod.metadata?.deletionTimestamp === undefined;
    count += restartCount + (ending || isBetween ? 1 : 0);
    const ended = ending ?? lastState?.terminated;
    if (status && ended && (last === undefined || (ended.finishedAt ?? '') >= (last.ended.finishedAt ?? ''))) {
      last = { status, ended, isEarlier: ending === undefined };
    }
  }
  // What the pod says of its own end explains nothing that happened before.
  return { count, last: last && failureOf(last.isEarlier ? {} : pod, last.status.name, last.ended) };
}

function podFailure(pod: Pod, training: ContainerStatus | undefined): PodFailure {
  const failed = training?.state?.terminated ? training : firstFailed(pod);
  return failureOf(pod, failed?.name, failed?.state?.terminated);
}

function failureOf(pod: Pod, container: string | undefined, terminated: ContainerTermination | undefined): PodFailure {
  return {
    disruption: isDisruption(pod) || LOST_CONTAINER_REASONS.has(terminated?.reason ?? ''),
    ...(terminated && isCommandMissing(terminated) && { permanent: true }),
    container,
    exitCode: terminated?.exitCode,
    reason: pod.status?.reason || terminated?.reason || 'Error',
    message: pod.status?.message?.slice(0, TEXT_MAX_LENGTH) || undefined,
    logTail: terminated?.message?.slice(-LOG_TAIL_MAX_LENGTH) || undefined,
    time: terminated?.finishedAt,
    ...(endedBeforeDeletion(pod, terminated) && { beforeDeletion: true }),
  };
}

/** Both times are whole seconds, so that the order within a second is unknown. */
function endedBeforeDeletion({ metadata }: Pod, terminated: ContainerTermination | undefined): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata ?? {};
  return deletionTimestamp !== undefined && Date.parse(terminated?.finishedAt ?? '') < Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}

/** Eviction, preemption, drains and taints set the condition; kubelets that shut down or lose a node give a reason instead. */
function isDisruption(pod: Pod): boolean {
  const target = pod.status?.conditions?.some((condition) => condition.type === 'DisruptionTarget' && condition.status === 'True');
  return target === true || DISRUPTION_REASONS.has(pod.status?.reason ?? '');
}

function hasPodEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function containersOf(pod: Pod): ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === container);
}

function firstFailed(pod: Pod): ContainerStatus | undefined {
  return containersOf(pod).find((status) => (status.state?.terminated?.exitCode ?? 0) !== 0);
}

/** Reason of a pod whose checks failed. */
export const PREFLIGHT_FAILED = 'PreflightFailed';

/** The stacks in a termination message; undefined when it is an ordinary one. */
function stacksOf(training: ContainerStatus | undefined): string | undefined {
  const message = training?.state?.terminated?.message;
  return message?.startsWith(STACKS_MARK) ? message.slice(message.indexOf('\n') + 1) : undefined;
}

/** How far the checks of a pod are; undefined where it has none, or they have not begun. */
function preflightOf(pod: Pod): PreflightState | undefined {
  const { running, terminated } = pod.status?.initContainerStatuses?.find(({ name }) => name === PREFLIGHT_CONTAINER)?.state ?? {};
  if (!running && !terminated) {
    return undefined;
  }
  const begun = Date.parse(running?.startedAt ?? terminated?.startedAt ?? '');
  return {
    ...(!Number.isNaN(begun) && { startedAt: begun }),
    ...(terminated && { exitCode: terminated.exitCode, ...(terminated.exitCode !== 0 && findings(terminated.message ?? '')) }),
  };
}

/** The failure of a pod whose checks failed, in their own words; any other as it is. */
function explained(failure: PodFailure, preflight: PreflightState | undefined): PodFailure {
  return failure.container !== PREFLIGHT_CONTAINER || failure.disruption
    ? failure
    : { ...failure, reason: PREFLIGHT_FAILED, message: preflight?.message || failure.message, logTail: undefined };
}

/** The program's own words are JSON; anything else was written by whoever could not run it. */
function findings(text: string): { readonly message?: string; readonly blames?: readonly number[] } {
  try {
    const { message, blames } = JSON.parse(text) as { message?: unknown; blames?: unknown };
    return {
      message: String(message).slice(0, TEXT_MAX_LENGTH),
      blames: Array.isArray(blames) ? blames.filter((rank): rank is number => Number.isInteger(rank)) : [],
    };
  } catch {
    return { message: text.trim().slice(-TEXT_MAX_LENGTH) || undefined };
  }
}
