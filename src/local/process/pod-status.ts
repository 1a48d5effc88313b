/** The status of a local pod from the states of its containers, as a kubelet would report it. */
import type { CrashLoop } from './crash-loop';
import { LOCAL_POD_IP } from './pod-fields';
import type { Container, ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '../../manifests/kubernetes';

/** What is known of a pod's processes. */
export interface PodRecord {
  readonly startTime: string;
  /** States by container name, of init containers too; a container that is not in it has not started. */
  readonly states: ReadonlyMap<string, ContainerState>;
  /** Containers that have ended and were started again, or will be. @default none */
  readonly loops?: ReadonlyMap<string, CrashLoop>;
  /** Why the pod could not be started at all. */
  readonly configError?: string;
}

/** An init container that goes on beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** The status. */
export function podStatus(pod: Pod, record: PodRecord, previous?: PodStatus, now = new Date()): PodStatus {
  const inits = pod.spec?.initContainers ?? [];
  const mains = pod.spec?.containers ?? [];
  const stateOf = (container: Container) => record.loops?.get(container.name)?.waiting ?? record.states.get(container.name);
  const initialized = inits.every((init) => (isSidecar(init) ? stateOf(init) !== undefined : stateOf(init)?.terminated?.exitCode === 0));
  const phase = podPhase(record, inits, mains);
  const ready = phase === 'Running' && mains.every((main) => stateOf(main)?.running !== undefined);
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = (type: string, holds: boolean): PodCondition => {
    const before = previous?.conditions?.find((candidate) => candidate.type === type);
    const status = holds ? 'True' : 'False';
    return { type, status, lastTransitionTime: before?.status === status ? before.lastTransitionTime : time };
  };
  return {
    phase,
    ...(record.configError !== undefined && { reason: 'CreateContainerConfigError', message: record.configError }),
    podIP: LOCAL_POD_IP,
    startTime: record.startTime,
    conditions: [
      condition('PodScheduled', true), condition('Initialized', initialized), condition('ContainersReady', ready), condition('Ready', ready),
    ],
    ...(inits.length > 0 && { initContainerStatuses: inits.map((init) => containerStatus(init, stateOf(init), 'PodInitializing', record.loops?.get(init.name))) }),
    containerStatuses: mains.map((main) => containerStatus(main, stateOf(main), initialized ? 'ContainerCreating' : 'PodInitializing', record.loops?.get(main.name))),
  };
}

function podPhase(record: PodRecord, inits: readonly Container[], mains: readonly Container[]): PodStatus['phase'] {
  const isWaiting = (container: Container) => record.loops?.get(container.name)?.waiting !== undefined;
  const failed = (container: Container) => !isWaiting(container) && (record.states.get(container.name)?.terminated?.exitCode ?? 0) !== 0;
  if (record.configError !== undefined || inits.some((init) => !isSidecar(init) && failed(init))) {
    return 'Failed';
  }
  if (mains.every((main) => !isWaiting(main) && record.states.get(main.name)?.terminated)) {
    return mains.some(failed) ? 'Failed' : 'Succeeded';
  }
  return mains.some((main) => record.states.has(main.name)) ? 'Running' : 'Pending';
}

function containerStatus(container: Container, state: ContainerState | undefined, waitingReason: string, loop?: CrashLoop): ContainerStatus {
  return {
    name: container.name,
    image: container.image ?? '',
    ready: state?.running !== undefined,
    started: state?.running !== undefined,
    restartCount: loop?.restarts ?? 0,
    ...(loop?.last && { lastState: { terminated: loop.last } }),
    state: state ?? { waiting: { reason: waitingReason } },
  };
}
