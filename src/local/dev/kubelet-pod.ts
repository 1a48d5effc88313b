/** One pod of the process kubelet: its processes, its logs, and its status on the API server. */
import fs from 'node:fs';
import type { DevFolder } from './dev-folder';
import type { AdaptedPod } from './training-pods';
import type { ExecNeeds, ExecProcess } from '../process/exec-process';
import type { ObjectSource } from '../process/object-source';
import { LOCAL_POD_IP } from '../process/pod-fields';
import { PodProcess, type PodLine } from '../process/pod-process';
import type { ProcessGuard } from '../process/process-guard';
import type { Pod, PodStatus } from '../../manifests/kubernetes';
import { isApiError } from '../../operator/runtime/http/api-error';
import type { KubeClient } from '../../operator/runtime/kube-client';
import { PODS } from '../../operator/runtime/resource-kind';
import { entryFor } from '../../model/lists';
import { setTimeout as delay } from 'node:timers/promises';

/** What all pods of the kubelet share. */
export interface KubeletPodContext {
  readonly client: KubeClient;
  readonly folder: DevFolder;
  readonly guard: ProcessGuard;
  readonly inherited: { readonly [name: string]: string };
  readonly workingDir: string;
  readonly objectsOf: (namespace: string) => ObjectSource;
  readonly adapt: (pod: Pod) => Promise<AdaptedPod>;
  readonly onLine: (pod: Pod, line: PodLine) => void;
  readonly warn: (message: string) => void;
}

/** Milliseconds before a status is sent again. */
const RETRY_MS = 1000;

export class KubeletPod {
  private process?: PodProcess;
  private status?: PodStatus;
  private sending?: Promise<void>;
  private shuttingDown = false;
  private ending?: { graceSeconds?: number };
  private readonly logs = new Map<string, number>();
  private readonly started: Promise<void>;

  public constructor(private readonly pod: Pod, private readonly context: KubeletPodContext) {
    this.started = this.start();
  }

  /**
   * Ends the pod's processes; may be called again with a shorter grace period.
   * @param graceSeconds 0 kills at once @default - that of the pod
   */
  public async stop(graceSeconds?: number): Promise<void> {
    this.ending = { graceSeconds };
    await this.started;
    await this.process?.stop(graceSeconds);
    await this.sending;
    this.logs.forEach((file) => fs.closeSync(file));
    this.logs.clear();
    this.process?.discard();
  }

  /**
   * Like {@link stop}, but reports a disruption, like a kubelet whose node shuts down.
   */
  public async shutDown(graceSeconds?: number): Promise<void> {
    this.shuttingDown ||= !this.hasEnded;
    await this.stop(graceSeconds);
  }

  /** Whether no process of the pod runs any more. */
  public get hasEnded(): boolean {
    return this.ending !== undefined || ['Succeeded', 'Failed'].includes(this.status?.phase ?? '');
  }

  /** Starts one more process in a container that runs; undefined when it does not. */
  public exec(container: string, command: readonly string[], needs: ExecNeeds): ExecProcess | undefined {
    return this.process?.exec(container, command, needs);
  }

  private async start(): Promise<void> {
    const { context } = this;
    let adapted: AdaptedPod;
    try {
      adapted = await context.adapt(this.pod);
    } catch (error) {
      this.publish({ phase: 'Failed', reason: 'CreateContainerConfigError', message: (error as Error).message });
      return;
    }
    if (this.ending) {
      return;
    }
    this.process = new PodProcess({
      pod: adapted.pod,
      mappings: adapted.mappings,
      folders: context.folder.podFolders(this.pod),
      objects: context.objectsOf(this.pod.metadata?.namespace ?? 'default'),
      guard: context.guard,
      inherited: context.inherited,
      workingDir: context.workingDir,
      onLine: (line) => {
        this.log(line);
        context.onLine(this.pod, line);
      },
      onStatus: (status) => this.publish(status),
      warn: (message) => context.warn(`${this.pod.metadata?.name}: ${message}`),
    });
  }

  /** Only the newest status is sent; those in between may be skipped, as with a kubelet. */
  private publish(status: PodStatus): void {
    this.status = this.shuttingDown ? asShutDown(status) : status;
    this.sending ??= this.send();
  }

  private async send(): Promise<void> {
    try {
      for (let sent: PodStatus | undefined; sent !== this.status;) {
        sent = await this.sendOnce(this.status!);
      }
    } finally {
      // Immediately after the last comparison, so that a later status is sent.
      this.sending = undefined;
    }
  }

  /** Sends a status until the API server accepts it, or cannot accept it. */
  private async sendOnce(status: PodStatus): Promise<PodStatus> {
    const { namespace, name, uid } = this.pod.metadata!;
    for (;;) {
      const body = { metadata: { uid }, status: { ...status, hostIP: LOCAL_POD_IP, podIPs: [{ ip: LOCAL_POD_IP }] } };
      try {
        await this.context.client.patch(PODS, { namespace, name: name! }, body, { subresource: 'status' });
        return status;
      } catch (error) {
        if (isApiError(error) && error.status >= 400 && error.status < 500 && error.status !== 429) {
          // 404 and 409: the pod was deleted, or another one has its name.
          if (error.status !== 404 && error.status !== 409) {
            this.context.warn(`status of ${name} was refused: ${error.message}`);
          }
          return status;
        }
        await delay(RETRY_MS);
      }
    }
  }

  private log({ container, text }: PodLine): void {
    const file = entryFor(this.logs, container, () => fs.openSync(this.context.folder.logFile(this.pod, container), 'w'));
    fs.writeSync(file, `${text}\n`);
  }
}

/** @see https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/ */
function asShutDown(status: PodStatus): PodStatus {
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  return isOver ? { ...status, phase: 'Failed', reason: 'Terminated', message: 'the trainyard dev process that ran this pod was stopped' } : status;
}
