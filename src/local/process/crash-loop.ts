/**
 * A container that ended and is started again in its pod, after the pauses of a kubelet: at once after the first end, then 10 s, doubled up to five
 * minutes, and from the start again when it has run for long enough.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts
 */
import type { ContainerState, ContainerTermination, PodSpec } from '../../manifests/kubernetes';

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

/** See the top of this file. */
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
