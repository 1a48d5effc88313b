/** Statuses of pods as the kubelets of a history write them. */
import type { ContainerStatus } from '../../../../../src/manifests/kubernetes';
import type { PodObject } from '../../../../../src/operator/training/resources';

/** Status of its training container. */
export function training(pod: PodObject): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((status) => status.name === 'training');
}

/** Whether its image cannot be pulled. */
export function isStuck(pod: PodObject): boolean {
  return /Image/.test(training(pod)?.state?.waiting?.reason ?? '');
}

/** What a program says last. One code is that of a program whose device fails. @param isEcho whether it lost a peer */
export function lastWords(exitCode: number, isEcho = false): string {
  return `last words before ${exitCode}${exitCode === DEVICE_FAULT_CODE ? ': CUDA error: uncorrectable ECC error encountered' : isEcho ? ': Connection reset by peer' : ''}`;
}

/** Exit code of programs whose device fails. */
export const DEVICE_FAULT_CODE = 42;

/** The same when it has ended. */
export function trainingStatus(exitCode: number, isEcho = false): ContainerStatus {
  return {
    name: 'training',
    state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: lastWords(exitCode, isEcho), finishedAt: '2026-01-01T00:00:00Z' } },
  } as ContainerStatus;
}
