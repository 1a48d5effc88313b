/**
 * Starts that fail before any program of the user runs: no image, no configuration, no command. A kubelet tries them again without end; whether
 * that can help is told apart here. Pods that no node takes are not among them: they wait for room.
 */
import type { StartError } from '../types';
import type { ContainerStatus, ContainerTermination } from '../../../../manifests/kubernetes';

/** Longest text that is taken over, in characters. */
const TEXT_MAX_LENGTH = 1024;

/** Kubelets' reasons of containers that wait, and what they come to for a job. */
const REASONS: { readonly [waiting: string]: { readonly reason: string; readonly permanent?: boolean } } = {
  InvalidImageName: { reason: 'InvalidImageName', permanent: true },
  ErrImagePull: { reason: 'ImagePullFailed' },
  ImagePullBackOff: { reason: 'ImagePullFailed' },
  ErrImageNeverPull: { reason: 'ImagePullFailed' },
  ImageInspectError: { reason: 'ImagePullFailed' },
  RegistryUnavailable: { reason: 'ImagePullFailed' },
  SignatureValidationFailed: { reason: 'ImagePullFailed' },
  CreateContainerConfigError: { reason: 'ContainerConfigError' },
  CreateContainerError: { reason: 'ContainerStartFailed' },
  PreCreateHookError: { reason: 'ContainerStartFailed' },
  PreStartHookError: { reason: 'ContainerStartFailed' },
  PostStartHookError: { reason: 'ContainerStartFailed' },
  RunContainerError: { reason: 'ContainerStartFailed' },
};

/** Reasons of containers whose program could not be started: containerd's and CRI-O's, and that of Docker and of the local runner. */
const NOT_STARTED = new Set(['StartError', 'ContainerCannotRun']);

/** What container runtimes say when the program itself is the fault. Everything else (a device, a hook of the driver) may be the node's. */
const NO_SUCH_PROGRAM = /executable file not found|no such file or directory|exec format error|permission denied|^cannot start '/i;

/** The first container that cannot start, if there is one. */
export function startErrorOf(statuses: readonly ContainerStatus[]): StartError | undefined {
  for (const { name, image, state, lastState } of statuses) {
    const waiting = state?.waiting;
    const known = REASONS[waiting?.reason ?? ''];
    const ended = state?.terminated ?? (waiting && lastState?.terminated);
    if (ended && isCommandMissing(ended)) {
      return { reason: 'ContainerStartFailed', message: shortened(`container ${name}: ${ended.message}`), permanent: true };
    }
    if (known) {
      const what = known.reason === 'InvalidImageName' || known.reason === 'ImagePullFailed' ? `image ${image ?? ''} of container ${name}` : `container ${name}`;
      const message = shortened([`${what}: ${waiting!.reason}`, waiting!.message].filter(Boolean).join(': '));
      return { reason: known.reason, message, permanent: known.permanent ?? false };
    }
  }
  return undefined;
}

/** Whether a container ended because what it was to run is not there, or cannot be run. */
export function isCommandMissing(ended: ContainerTermination): boolean {
  return NOT_STARTED.has(ended.reason ?? '') && NO_SUCH_PROGRAM.test(ended.message ?? '');
}

function shortened(text: string): string {
  return text.slice(0, TEXT_MAX_LENGTH);
}
