/** A failure as the status and its messages tell of it. */
import type { ReplicaView } from '../observe/replicas-view';
import { timeText } from '../timestamps';
import type { PodFailure } from '../types';
import { signalName } from '../../../../model/training-job/run-policy';
import type { FailureCause } from '../../../../model/training-job/status/status';

/** The cause for `status.lastFailure`. */
export function failureCause(attempt: number, { replica, pod }: ReplicaView, failure: PodFailure, now: number): FailureCause {
  return {
    role: replica.role,
    index: replica.index,
    rank: replica.rank,
    pod: replica.podName,
    node: pod?.node,
    container: failure.container,
    exitCode: failure.exitCode,
    signal: signalName(failure.exitCode),
    reason: failure.reason,
    message: failure.message,
    logTail: failure.logTail,
    attempt,
    time: failure.time ?? timeText(now),
  };
}

/** The cause in words. */
export function describeCause(cause: FailureCause): string {
  const rank = cause.rank === undefined ? '' : `rank ${cause.rank}, `;
  const node = cause.node ? ` on node ${cause.node}` : '';
  if (cause.exitCode === undefined) {
    return `${cause.pod} (${rank}${cause.role})${node}: ${cause.reason}${cause.message ? `: ${cause.message}` : ''}`;
  }
  const signal = cause.signal ? ` (${cause.signal})` : '';
  return `${cause.pod} (${rank}${cause.role})${node} exited with code ${cause.exitCode}${signal}: ${cause.reason}`;
}
