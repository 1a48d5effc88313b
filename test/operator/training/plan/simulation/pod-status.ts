/** Statuses of pods as the kubelets of a history write them. */
import type { ContainerStatus } from '../../../../../src/manifests/kubernetes';
import { TRAINING_CONTAINER } from '../../../../../src/model/names';
import { HOOK_CONTAINER } from '../../../../../src/model/training-job/hooks';
import { isHookPod } from '../../../../../src/operator/training/plan/observe/observe-pod';
import type { PodObject } from '../../../../../src/operator/training/resources';

/** Name of the container whose end is that of the pod. */
export function mainContainer(pod: PodObject): string {
  return isHookPod(pod) ? HOOK_CONTAINER : TRAINING_CONTAINER;
}

/** Status of that container. */
export function mainStatus(pod: PodObject): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === mainContainer(pod));
}

/** Whether its image cannot be pulled. */
export function isStuck(pod: PodObject): boolean {
  return /Image/.test(mainStatus(pod)?.state?.waiting?.reason ?? '');
}

/** What a program says last. One code is that of a program whose device fails. @param isEcho whether it lost a peer */
export function lastWords(exitCode: number, isEcho = false): string {
  return `last words before ${exitCode}${exitCode === DEVICE_FAULT_CODE ? ': CUDA error: uncorrectable ECC error encountered' : isEcho ? ': Connection reset by peer' : ''}`;
}

/** Exit code of programs whose device fails. */
export const DEVICE_FAULT_CODE = 42;

/** Status of a container whose image does not have the command. */
export const MISSING_COMMAND_STATUS = {
  state: { terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "run": executable file not found in $PATH' } },
} as ContainerStatus;

/** The status of that container when it has ended. */
export function endedStatus(pod: PodObject, exitCode: number, isEcho = false): ContainerStatus {
  return {
    ...mainStatus(pod),
    name: mainContainer(pod),
    state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: lastWords(exitCode, isEcho), finishedAt: '2026-01-01T00:00:00Z' } },
  } as ContainerStatus;
}
