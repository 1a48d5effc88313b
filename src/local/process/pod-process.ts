/**
 * A pod as processes of this machine: init containers one after another, then all containers at the same time. Each container is a process group with
 * its environment, its mounts as local folders, and its output by line. `status` is like that of a kubelet.
 *
 * The processes are not isolated: they can use the machine's files, network and devices. There are no limits of CPU and memory, no probes, and of
 * lifecycle hooks only `preStop` programs. Containers restart by the pod's restart policy, with a kubelet's pauses. The planner decides on all other
 * restarts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ContainerProcess } from './container-process';
import type { ExecNeeds, ExecProcess } from './exec-process';
import { fileNameOf, type PathMapping } from './local-path';
import type { ObjectSource } from './object-source';
import { CrashLoop, KUBELET_PAUSES, isSidecar, isStartedAgain, podStatus, type RestartPauses } from './pod-status';
import { checkHasCommand, prepareContainer } from './prepared-container';
import type { ProcessGuard } from './process-guard';
import { VolumeFolders, type PodFolders } from './volume-folders';
import type { Container, ContainerState, Pod, PodStatus } from '../../manifests/kubernetes';
import { timeText } from '../../model/text/times';
import { entryFor } from '../../model/lists';

/** Default seconds between SIGTERM and SIGKILL, as in Kubernetes. */
const DEFAULT_GRACE_SECONDS = 30;

/** A line of a container. */
export interface PodLine {
  readonly container: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface PodProcessOptions {
  readonly pod: Pod;
  readonly folders: PodFolders;
  readonly objects: ObjectSource;
  readonly guard: ProcessGuard;
  /** Environment of all containers. The pod's variables take precedence. */
  readonly inherited: { readonly [name: string]: string };
  /** Folder of containers without a working directory. */
  readonly workingDir: string;
  /** More paths that are mapped to this machine. @default - only those of volumes */
  readonly mappings?: readonly PathMapping[];
  readonly onLine: (line: PodLine) => void;
  /** Called after each change, but not in the constructor of {@link PodProcess}. */
  readonly onStatus: (status: PodStatus) => void;
  readonly warn: (message: string) => void;
  /** Pauses before containers are started again. @default - a kubelet's */
  readonly pauses?: RestartPauses;
}

export class PodProcess {
  /** Resolves when all containers have ended and none will restart; never rejects. */
  public readonly ended: Promise<void>;
  private readonly startTime = timeText(Date.now());
  private readonly processes = new Map<string, ContainerProcess>();
  /** Containers that have restarted, or will restart. */
  private readonly loops = new Map<string, CrashLoop>();
  private current: PodStatus;
  private configError?: string;
  private stopping = false;
  private killTimer?: NodeJS.Timeout;
  private volumes?: VolumeFolders;

  /** Starts the pod. Its status has containers that cannot be started. */
  public constructor(private readonly options: PodProcessOptions) {
    this.current = podStatus(options.pod, this.record());
    this.ended = this.run().catch((error: Error) => this.fail(error)).then(() => {
      clearTimeout(this.killTimer);
      this.volumes?.close();
    });
  }

  public get status(): PodStatus {
    return this.current;
  }

  /**
   * Ends the pod: SIGTERM to all its processes, and SIGKILL after the grace period. May be called again with a shorter one.
   * @param graceSeconds 0 kills at once @default - that of the pod, else 30
   */
  public async stop(graceSeconds = this.options.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS): Promise<void> {
    const first = !this.stopping;
    this.stopping = true;
    this.loops.forEach((loop) => loop.stop());
    clearTimeout(this.killTimer);
    if (graceSeconds <= 0) {
      this.processes.forEach((process) => process.kill());
    } else {
      if (first) {
        this.processes.forEach((process) => process.terminate());
      }
      this.killTimer = setTimeout(() => this.processes.forEach((process) => process.kill()), graceSeconds * 1000);
    }
    await this.ended;
    // If the pod had ended before, the timer would keep this process alive.
    clearTimeout(this.killTimer);
  }

  /** Starts another process in a running container; undefined if it does not run. */
  public exec(container: string, command: readonly string[], needs: ExecNeeds): ExecProcess | undefined {
    return this.processes.get(container)?.exec(command, needs);
  }

  /** Removes the folder of a pod that has ended. Claims stay. */
  public discard(): void {
    fs.rmSync(this.options.folders.pod, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const { pod, folders, objects, warn } = this.options;
    const inits = pod.spec?.initContainers ?? [];
    const mains = pod.spec?.containers ?? [];
    // Names of log files have the container's name.
    [...inits, ...mains].forEach(({ name }) => fileNameOf(name, 'the name of a container'));
    [...inits, ...mains].forEach(checkHasCommand);
    // An earlier pod of the same name may have left files, but an emptyDir starts empty.
    fs.rmSync(folders.pod, { recursive: true, force: true });
    const volumes = await VolumeFolders.create(pod, folders, objects, warn);
    this.volumes = volumes;
    for (const init of inits) {
      const process = isSidecar(init) ? await this.start(init, volumes) : await this.startUntilDone(init, volumes);
      if (process && !isSidecar(init) && (await process.ended).exitCode !== 0) {
        await this.endSidecars(inits);
        return;
      }
    }
    await Promise.all(mains.map((main) => this.startUntilDone(main, volumes)));
    await this.endSidecars(inits);
  }

  /** Starts a container, and restarts it by the pod's restart policy. Returns when it does not restart. */
  private async startUntilDone(container: Container, volumes: VolumeFolders): Promise<ContainerProcess | undefined> {
    const { restartPolicy, initContainers } = this.options.pod.spec ?? {};
    // An init container is done when it has succeeded.
    const policy = restartPolicy === 'Always' && initContainers?.includes(container) ? 'OnFailure' : restartPolicy;
    for (;;) {
      const process = await this.start(container, volumes);
      const end = await process?.ended;
      if (end === undefined || this.stopping || !isStartedAgain(policy, end)) {
        this.publish();
        return process;
      }
      const loop = entryFor(this.loops, container.name, () => new CrashLoop(container.name, this.options.pauses ?? KUBELET_PAUSES));
      const pause = loop.pause(end);
      this.publish();
      await pause;
      if (this.stopping) {
        this.publish();
        return process;
      }
      loop.restarted();
    }
  }

  /** Starts a container, unless the pod is being stopped. */
  private async start(container: Container, volumes: VolumeFolders): Promise<ContainerProcess | undefined> {
    const { pod, objects, inherited, workingDir, mappings = [], guard, onLine } = this.options;
    const messageFile = path.join(this.options.folders.pod, `termination-${container.name}`);
    fs.rmSync(messageFile, { force: true });
    const prepared = await prepareContainer({ pod, container, objects, volumes, mappings, inherited, workingDir, messageFile });
    if (this.stopping) {
      return undefined;
    }
    const process = new ContainerProcess(prepared, guard, (text, stream) => onLine({ container: container.name, stream, text }));
    this.processes.set(container.name, process);
    this.publish();
    if (isSidecar(container)) {
      void process.ended.then(() => this.publish());
    }
    return process;
  }

  private async endSidecars(inits: readonly Container[]): Promise<void> {
    const sidecars = inits.filter(isSidecar).flatMap((init) => this.processes.get(init.name) ?? []);
    const grace = this.options.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    sidecars.forEach((sidecar) => sidecar.terminate());
    const timer = setTimeout(() => sidecars.forEach((sidecar) => sidecar.kill()), grace * 1000);
    await Promise.all(sidecars.map((sidecar) => sidecar.ended));
    clearTimeout(timer);
  }

  /** Ends a pod that has a mistake, with the containers that are running. */
  private async fail(error: Error): Promise<void> {
    this.stopping = true;
    this.configError = error.message;
    this.loops.forEach((loop) => loop.stop());
    this.processes.forEach((process) => process.kill());
    await Promise.all([...this.processes.values()].map((process) => process.ended));
    this.publish();
  }

  private publish(): void {
    this.current = podStatus(this.options.pod, this.record(), this.current);
    this.options.onStatus(this.current);
  }

  private record() {
    const states = new Map([...this.processes].map(([name, process]): [string, ContainerState] => [name, process.state]));
    return { startTime: this.startTime, states, loops: this.loops, configError: this.configError };
  }
}
