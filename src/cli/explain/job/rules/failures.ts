/** Programs that ended: exit codes, signals, memory, evictions, and the last lines of the log. */
import { fixFor, type Cause, type DiagnosisRule, type FixTable } from '../diagnosis';
import { groupedBy, isTrainingJob, podName, startError, trainingStatus } from '../facts';
import type { JobSnapshot } from '../snapshot';
import { containerStatuses, type PodObject } from '../../../jobs/objects';
import { listed } from '../../../text';
import { describeFailure } from '../../../../local/output/failure-text';
import type { ContainerStatus, ContainerTermination } from '../../../../manifests/kubernetes';
import { signalName } from '../../../../model/training-job/run-policy';

/** Maximum number of lines of a log. */
const LOG_LINES = 10;

export const failures: DiagnosisRule = (snapshot) => {
  const { lastFailure, phase } = trainingStatus(snapshot);
  if (lastFailure !== undefined && phase !== 'Running' && phase !== 'Completed') {
    const lines = describeFailure(lastFailure);
    return [{
      id: lastFailure.reason,
      what: `${lastFailure.role} ${lastFailure.index} failed${lastFailure.node === undefined ? '' : ` on the node ${lastFailure.node}`}.`,
      evidence: lines,
      fix: endingFix(lastFailure.reason, lastFailure.exitCode, lines.join('\n')),
    }];
  }
  if (isTrainingJob(snapshot) && phase === 'Running') {
    return [];
  }
  const failed = snapshot.pods.filter((pod) => startError(pod) === undefined).flatMap((pod) => {
    const ending = endingOf(pod);
    return ending === undefined ? [] : [{ pod, ...ending }];
  });
  const alike = groupedBy(failed, ({ reason, exitCode, container }) => JSON.stringify([reason, exitCode, container]));
  return alike.map((group) => endingCause(snapshot, group));
};

interface Ending {
  readonly reason: string;
  readonly exitCode?: number;
  readonly container?: string;
  readonly message?: string;
  readonly isLooping: boolean;
}

/** How the pod ended, or the container that restarts repeatedly. */
function endingOf({ status }: PodObject): Ending | undefined {
  const container = containerStatuses({ status }).find((candidate) => (terminationOf(candidate)?.exitCode ?? 0) !== 0);
  const ended = container && terminationOf(container);
  if (status?.phase === 'Failed' && status.reason !== undefined && status.reason !== 'Error') {
    return { reason: status.reason, message: status.message, isLooping: false };
  }
  return ended === undefined ? undefined : {
    reason: ended.reason ?? 'Error', exitCode: ended.exitCode, container: container!.name, message: ended.message, isLooping: container!.state?.waiting?.reason === 'CrashLoopBackOff',
  };
}

/** The end of a container, or its last end if it waits for a restart. */
function terminationOf({ state, lastState }: ContainerStatus): ContainerTermination | undefined {
  return state?.terminated ?? (state?.waiting?.reason === 'CrashLoopBackOff' ? lastState?.terminated : undefined);
}

function endingCause(snapshot: JobSnapshot, group: readonly (Ending & { readonly pod: PodObject })[]): Cause {
  const { pod, reason, exitCode, container, message, isLooping } = group[0];
  const signal = signalName(exitCode);
  const how = exitCode === undefined ? reason : `exit code ${exitCode}${signal === undefined ? '' : ` (${signal})`}, ${reason}`;
  const log = snapshot.logs.find((tail) => tail.pod === podName(pod) && tail.container === container)?.text ?? message;
  const lines = (log ?? '').trimEnd().split('\n').filter((line) => line !== '').slice(-LOG_LINES);
  const pods = group.map((ending) => podName(ending.pod));
  return {
    id: isLooping ? 'CrashLoop' : reason,
    what: isLooping ? `The container ${container} of ${listed(pods)} fails and is restarted repeatedly: ${how}.` : `${listed(pods)} failed: ${how}.`,
    evidence: [
      ...(exitCode === undefined && message !== undefined ? [message] : []),
      ...(exitCode !== undefined && lines.length > 0 ? [`The last lines of ${pods[0]}:`, ...lines.map((line) => `  | ${line}`)] : []),
    ],
    fix: endingFix(reason, exitCode, lines.join('\n')),
  };
}

/** The fix for a failed program. */
export function endingFix(reason: string, exitCode: number | undefined, words: string): string {
  return fixFor(reason, BY_REASON, '') || fixFor(words, BY_LOG, '') || fixFor(String(exitCode), BY_EXIT_CODE, 'See the last lines of the log. For more, use trainyard logs.');
}

const BY_REASON: FixTable = [
  [/^OOMKilled$/, 'The container used more memory than its limit: raise spec.resources.memory, or use less (smaller batches, fewer data loaders; /dev/shm counts too).'],
  [/^Evicted$/, 'The node ran short of memory or disk: request what the job uses (spec.resources.memory, ephemeralStorage), so that it is placed on a node with enough.'],
  [
    /^(NodeLost|NodeGone|NodeNotReady|NodeShutdown|Terminated|Preempting|Shutdown|PodLost|PodDeleted|NodeTerminating|NodeSilent|NodeOutOfService)$/,
    'The cluster removed the pod; this is not a failure of the job. Save checkpoints, so that it continues where it was.',
  ],
  [/^(UnexpectedAdmissionError$|OutOf)/, 'The node rejected the pod although the scheduler chose it, often because a device is missing: check its device plugin.'],
  [/^DeadlineExceeded$/, 'The pod ran longer than its activeDeadlineSeconds: raise it.'],
];

const BY_LOG: FixTable = [
  [/CUDA out of memory|OutOfMemoryError: CUDA|CUDA_ERROR_OUT_OF_MEMORY/i, 'The GPU has too little memory for this: smaller batches, gradient checkpointing, or larger GPUs.'],
  [/^(?=.*No space left on device).*shm/is, 'Shared memory is full: set spec.resources.sharedMemory.'],
  [/No space left on device/i, 'A disk is full: request ephemeralStorage, or write to a volume.'],
  [/Bus error|shared memory/i, 'Data loaders ran out of shared memory: set spec.resources.sharedMemory, such as 8Gi.'],
  [/ModuleNotFoundError|No module named/, 'The image lacks a Python package that the log names: install it in the image.'],
  [
    /NCCL|Connection refused|timed? ?out|Rendezvous|Name or service not known/i,
    'A peer could not be reached, often because it failed first: check the failure of the other replicas, the network policy and spec.debug.',
  ],
];

const BY_EXIT_CODE: FixTable = [
  [/^126$/, 'The command cannot be executed: check its permissions and its first line.'],
  [/^127$/, 'The command was not found: correct spec.command, or use an image that has it.'],
  [/^134$/, 'The program aborted itself (SIGABRT): see its last lines.'],
  [/^137$/, 'The program was killed (SIGKILL): the node ran out of memory, or its grace period ended. Compare its memory usage with spec.resources.memory.'],
  [/^139$/, 'The program crashed (SIGSEGV): often a native library that is incompatible with the driver or the CPU.'],
  [/^143$/, 'The program was asked to stop (SIGTERM): it was deleted, preempted or its node was drained.'],
];
