/**
 * From a Kubernetes pod to what the planner knows of it. The outcome of a replica is that of its `training` container: a sidecar that
 * goes on after it neither keeps a job from completing nor hides a failure.
 */
import type { ObservedPod, PodFailure, PodState } from './types';
import type { ContainerStatus, Pod } from '../../../manifests/kubernetes';
import { ATTEMPT_LABEL } from '../../../model/labels';

/** Longest text that is taken over from a pod, in characters; the status has to stay small. */
const TEXT_MAX_LENGTH = 1024;

/** Longest tail of a log, in characters; a kubelet keeps 2048 bytes. */
const LOG_TAIL_MAX_LENGTH = 2048;

/** Container whose end is the replica's end. */
export const TRAINING_CONTAINER = 'training';

/** Pod-level reasons with which the cluster, and not the program, ended a pod. */
const DISRUPTION_REASONS = new Set(['Evicted', 'Preempted', 'Preempting', 'NodeLost', 'NodeShutdown', 'Shutdown', 'Terminated', 'UnexpectedAdmissionError']);

/** Waiting reasons that every start passes through and that say nothing. */
const ORDINARY_WAITING = new Set(['ContainerCreating', 'PodInitializing']);

/** What the planner needs of a pod. */
export function observePod(pod: Pod): ObservedPod {
  const training = statusOf(pod, TRAINING_CONTAINER);
  const state = podState(pod, training);
  const phase = pod.status?.phase;
  return {
    name: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    attempt: Number(pod.metadata?.labels?.[ATTEMPT_LABEL] ?? 0),
    state,
    deleting: pod.metadata?.deletionTimestamp !== undefined,
    lingering: (state === 'Succeeded' || state === 'Failed') && phase !== 'Succeeded' && phase !== 'Failed',
    node: pod.spec?.nodeName,
    waitingFor: state === 'Waiting' ? waitingFor(pod) : undefined,
    failure: state === 'Failed' ? podFailure(pod, training) : undefined,
  };
}

/** Why the pod does not start, when something is wrong: no node, no image, no config. */
function waitingFor(pod: Pod): string | undefined {
  const unscheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled' && condition.status === 'False');
  if (unscheduled) {
    return [unscheduled.reason, unscheduled.message].filter(Boolean).join(': ').slice(0, TEXT_MAX_LENGTH);
  }
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const waiting = statuses.map((status) => status.state?.waiting).find((state) => state?.reason && !ORDINARY_WAITING.has(state.reason));
  return waiting && [waiting.reason, waiting.message].filter(Boolean).join(': ').slice(0, TEXT_MAX_LENGTH);
}

function podState(pod: Pod, training: ContainerStatus | undefined): PodState {
  const phase = pod.status?.phase;
  const terminated = training?.state?.terminated;
  if (phase === 'Failed' && terminated?.exitCode === 0 && !pod.status?.reason && !isDisruption(pod)) {
    // Another container failed after or beside it. A pod that was ended as a whole (evicted, out of time) has a reason of its own.
    return 'Succeeded';
  }
  if (phase === 'Succeeded' || phase === 'Failed') {
    return phase;
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

function podFailure(pod: Pod, training: ContainerStatus | undefined): PodFailure {
  const failed = training?.state?.terminated ? training : firstFailed(pod);
  const terminated = failed?.state?.terminated;
  const podReason = pod.status?.reason;
  return {
    disruption: isDisruption(pod),
    container: failed?.name,
    exitCode: terminated?.exitCode,
    reason: podReason || terminated?.reason || 'Error',
    message: pod.status?.message?.slice(0, TEXT_MAX_LENGTH) || undefined,
    logTail: terminated?.message?.slice(-LOG_TAIL_MAX_LENGTH) || undefined,
    time: terminated?.finishedAt,
  };
}

/** Eviction, preemption, drains and taints set the condition; kubelets that shut down or lose a node give a reason instead. */
function isDisruption(pod: Pod): boolean {
  const target = pod.status?.conditions?.some((condition) => condition.type === 'DisruptionTarget' && condition.status === 'True');
  return target === true || DISRUPTION_REASONS.has(pod.status?.reason ?? '');
}

function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === container);
}

function firstFailed(pod: Pod): ContainerStatus | undefined {
  const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return all.find((status) => (status.state?.terminated?.exitCode ?? 0) !== 0);
}
