/** The status of a local pod from the states of its containers, as a kubelet would report it. */
import { LOCAL_POD_IP } from './pod-fields';
import type {
  Container, ContainerState, ContainerStatus, ContainerTermination, Pod, PodCondition, PodSpec, PodStatus,
} from '../../manifests/kubernetes';
import { timeText } from '../../model/text/times';

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

/** An init container that keeps running next to the main containers. */
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

/** Pauses before a container is started again, milliseconds. */
export interface RestartPauses {
  /** After the second end in a row; after the first there is none. Doubled with each further one. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** A container that ran for so long has no past. */
  readonly resetAfterMs: number;
}

/** A kubelet's. */
export const KUBELET_PAUSES: RestartPauses = { initialMs: 10_000, maxMs: 300_000, resetAfterMs: 600_000 };

/** Whether a container that ended so is started again. */
export function isStartedAgain(policy: PodSpec['restartPolicy'], { exitCode }: ContainerTermination): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/**
 * A container that ended and is started again in its pod, after the pauses of a kubelet: at once after the first end, then 10 s, doubled up to five
 * minutes, and from the start again when it has run for long enough.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts
 */
export class CrashLoop {
  /** How often it was started again. */
  public restarts = 0;
  /** How it ended last, once it was or is about to be started again. */
  public last?: ContainerTermination;
  private row = 0;
  private wake?: () => void;
  private waitingFor?: ContainerState;

  public constructor(private readonly container: string, private readonly pauses: RestartPauses) {}

  /** Its state while it waits to be started; undefined at all other times. */
  public get waiting(): ContainerState | undefined {
    return this.waitingFor;
  }

  /** Takes in that it ended, and settles when it may be started again, or when {@link stop} is called. */
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
        // It will not be started any more, so it has ended for good.
        this.waitingFor = undefined;
        resolve();
      };
    });
  }

  /** Takes in that it is about to be started again. */
  public restarted(): void {
    this.restarts++;
    this.waitingFor = undefined;
  }

  /** Ends a pause: it is not to be started again. */
  public stop(): void {
    this.wake?.();
  }
}
