/** The status of a local pod from the states of its containers, like that of a kubelet. */
import { LOCAL_POD_IP } from './pod-fields';
import type {
  Container, ContainerState, ContainerStatus, ContainerTermination, Pod, PodCondition, PodSpec, PodStatus,
} from '../../manifests/kubernetes';
import { timeText } from '../../model/text/times';

/** The state of a pod's processes. */
export interface PodRecord {
  readonly startTime: string;
  /** States by container name, including init containers. Containers that have not started are absent. */
  readonly states: ReadonlyMap<string, ContainerState>;
  /** Containers that have restarted, or will restart. @default none */
  readonly loops?: ReadonlyMap<string, CrashLoop>;
  /** The mistake that prevents the start of the pod. */
  readonly configError?: string;
}

/** Whether an init container keeps running with the main containers. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

export function podStatus(pod: Pod, record: PodRecord, previous?: PodStatus, now = new Date()): PodStatus {
  const inits = pod.spec?.initContainers ?? [];
  const mains = pod.spec?.containers ?? [];
  const stateOf = (container: Container) => record.loops?.get(container.name)?.waiting ?? record.states.get(container.name);
  const initialized = inits.every((init) => (isSidecar(init) ? stateOf(init) !== undefined : stateOf(init)?.terminated?.exitCode === 0));
  const phase = podPhase(record, inits, mains);
  const ready = phase === 'Running' && mains.every((main) => stateOf(main)?.running !== undefined);
  const time = timeText(now.getTime());
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

/** Pauses before a container restarts, in milliseconds. */
export interface RestartPauses {
  /** After the second end in a row. There is none after the first, and it doubles after each further one. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** After a container has run for this time, pauses start from the beginning. */
  readonly resetAfterMs: number;
}

/** The pauses of a kubelet. */
export const KUBELET_PAUSES: RestartPauses = { initialMs: 10_000, maxMs: 300_000, resetAfterMs: 600_000 };

/** Whether a container restarts after its end. */
export function isStartedAgain(policy: PodSpec['restartPolicy'], { exitCode }: ContainerTermination): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * A container that restarts, with the pauses of a kubelet: none after the first end, then 10 s, doubled up to five minutes, and from the beginning
 * after it has run for long enough.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts
 */
export class CrashLoop {
  /** Number of restarts. */
  public restarts = 0;
  /** The last end after which it has restarted, or will restart. */
  public last?: ContainerTermination;
  private row = 0;
  private wake?: () => void;
  private waitingFor?: ContainerState;

  public constructor(private readonly container: string, private readonly pauses: RestartPauses) {}

  /** Its state during a pause; otherwise undefined. */
  public get waiting(): ContainerState | undefined {
    return this.waitingFor;
  }

  /** Records its end. Resolves when it may restart, or when {@link stop} is called. */
  public pause(end: ContainerTermination): Promise<void> {
    const ranMs = Date.parse(end.finishedAt ?? '') - Date.parse(end.startedAt ?? '');
    this.row = ranMs >= this.pauses.resetAfterMs ? 1 : this.row + 1;
    this.last = end;
    const ms = this.row === 1 ? 0 : Math.min(this.pauses.maxMs, this.pauses.initialMs * 2 ** Math.min(this.row - 2, 30));
    this.waitingFor = { waiting: { reason: 'CrashLoopBackOff', message: `back-off ${ms / 1000}s restarting failed container=${this.container}` } };
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        // It will not restart.
        this.waitingFor = undefined;
        resolve();
      };
    });
  }

  /** Records its restart. */
  public restarted(): void {
    this.restarts++;
    this.waitingFor = undefined;
  }

  /** Ends a pause without a restart. */
  public stop(): void {
    this.wake?.();
  }
}
