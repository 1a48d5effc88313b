/**
 * `trainyard dev`: a control plane, the operator and a kubelet of processes on this machine, so that a job can be applied and watched as on a
 * cluster, without one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { ApiObjectSource } from './api-object-source';
import { DevFolder } from './dev-folder';
import { KubeletServer } from './kubelet-server';
import { ensureLocalNode } from './local-node';
import { OperatorProcess } from './operator-process';
import { ProcessKubelet } from './process-kubelet';
import { TrainingPods } from './training-pods';
import { ControlPlane } from '../control-plane';
import { freePorts } from '../control-plane/ports';
import { inheritedEnvironment } from '../process/inherited-environment';
import type { PodLine } from '../process/pod-process';
import { ProcessGuard } from '../process/process-guard';
import { STATE_FOLDER_NAME } from '../runner/state-folder';
import type { Pod } from '../../manifests/kubernetes';
import { constructTrainingJobCrd } from '../../manifests/mltrainingjob-crd';
import { KubeClient } from '../../operator/runtime/kube-client';
import type { KubeObject } from '../../operator/runtime/kube-object';
import { loadConnection } from '../../operator/runtime/credentials/kubeconfig';
import { Logger } from '../../operator/runtime/process/logger';
import type { ResourceKind } from '../../operator/runtime/resource-kind';
import { setTimeout as delay } from 'node:timers/promises';
import { onceEach } from '../output/terminal';

const CRDS: ResourceKind = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false };

const FIELD_MANAGER = 'trainyard-dev';

/** Controllers that deletion needs. */
const CONTROLLERS = ['garbage-collector-controller', 'namespace-controller'];

/** Milliseconds between two requests for a CRD that is being established. */
const ESTABLISHED_POLL_MS = 50;

export interface DevOptions {
  /** Folder for `.trainyard`, and of pods without a working directory. */
  readonly workingDir: string;
  /** The bundled operator, an ES module: as it is, or compressed with brotli (`.br`). */
  readonly operatorProgram: string;
  /** Whether to continue with the previous cluster. @default false */
  readonly keep?: boolean;
  /** Port of the API server. @default - a free one */
  readonly port?: number;
  /** The user's environment. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  readonly onLine: (pod: Pod, line: PodLine) => void;
  readonly notice: (message: string) => void;
  readonly warn: (message: string) => void;
}

export class DevEnvironment {
  private readonly end = new AbortController();

  private constructor(
    private readonly controlPlane: ControlPlane,
    private readonly folder: DevFolder,
    private readonly client: KubeClient,
    private readonly guard: ProcessGuard,
    private readonly options: DevOptions,
  ) {}

  private kubelet!: ProcessKubelet;
  private server?: KubeletServer;
  private operator?: OperatorProcess;
  private running?: Promise<void>;

  /** Starts everything and waits until a job can be applied. Nothing is left running when it throws. */
  public static async start(options: DevOptions): Promise<DevEnvironment> {
    const folder = new DevFolder(path.join(options.workingDir, STATE_FOLDER_NAME));
    await folder.prepare(options.keep ?? false);
    const controlPlane = await startControlPlane(folder, options);
    fs.copyFileSync(controlPlane.kubeconfigPath, folder.kubeconfig);
    fs.chmodSync(folder.kubeconfig, 0o600);
    const client = new KubeClient({ connection: await loadConnection({ kubeconfig: folder.kubeconfig }), userAgent: 'trainyard-dev' });
    const environment = new DevEnvironment(controlPlane, folder, client, new ProcessGuard(), options);
    try {
      await environment.startParts();
    } catch (error) {
      await environment.stop(0);
      throw error;
    }
    return environment;
  }

  /** Kubeconfig file for kubectl. */
  public get kubeconfig(): string {
    return this.folder.kubeconfig;
  }

  /** Address of the API server. */
  public get url(): string {
    return this.controlPlane.url;
  }

  /** File that the operator logs into. */
  public get operatorLog(): string {
    return this.folder.operatorLog;
  }

  /**
   * Ends everything: the operator first, so that it does not see ended pods as failed. May be called again with a shorter grace period.
   * @param graceSeconds seconds between SIGTERM and SIGKILL @default - those of the pods
   */
  public async stop(graceSeconds?: number): Promise<void> {
    await Promise.all([this.operator?.stop(), this.kubelet?.stop(graceSeconds)]);
    this.end.abort();
    await this.running;
    this.server?.close();
    this.client.close();
    await this.controlPlane.stop();
    this.guard.close();
  }

  private async startParts(): Promise<void> {
    const { controlPlane, client, folder, guard, options } = this;
    const env = options.env ?? process.env;
    const warn = onceEach(options.warn);
    const trainingPods = new TrainingPods(client, folder, env, warn);
    this.kubelet = new ProcessKubelet({
      client,
      folder,
      guard,
      inherited: inheritedEnvironment(env),
      workingDir: options.workingDir,
      objectsOf: (namespace) => new ApiObjectSource(client, namespace),
      adapt: (pod) => trainingPods.adapt(pod),
      onLine: options.onLine,
      warn,
      logger: Logger.create({ level: 'warn', format: 'text' }),
    });
    const { caFile, server } = controlPlane.tlsFiles;
    this.server = await KubeletServer.start({
      cert: fs.readFileSync(server.certFile, 'utf8'),
      key: fs.readFileSync(server.keyFile, 'utf8'),
      clientCa: fs.readFileSync(caFile, 'utf8'),
      findLog: (namespace, name, container) => {
        const found = this.kubelet.find(namespace, name);
        // The container's name is a part of a path.
        return found && hasContainer(found.pod, container)
          ? { file: folder.logFile(found.pod, container), hasEnded: () => found.process.hasEnded }
          : undefined;
      },
      hasPod: (namespace, name) => this.kubelet.find(namespace, name) !== undefined,
      exec: (namespace, name, container, command, needs) => this.kubelet.find(namespace, name)?.process.exec(container, command, needs),
    });
    await Promise.all([this.installCrd(), ensureLocalNode(client, this.server.port)]);
    this.running = this.kubelet.run(this.end.signal);
    this.operator = new OperatorProcess({
      program: unpacked(options.operatorProgram, folder.operatorProgram),
      kubeconfig: folder.kubeconfig,
      logFile: folder.operatorLog,
      env,
      progressPort: (await freePorts(1))[0],
      onEnd: (lastLines) => options.warn(`the operator has exited and restarts; its last lines:\n${lastLines}`),
    });
  }

  private async installCrd(): Promise<void> {
    const crd = constructTrainingJobCrd();
    const { name } = crd.metadata;
    await this.client.apply<KubeObject>(CRDS, crd as KubeObject, { fieldManager: FIELD_MANAGER });
    for (;;) {
      const found = await this.client.get<KubeObject & { status?: { conditions?: { type: string; status: string }[] } }>(CRDS, { name });
      if (found.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) {
        return;
      }
      await delay(ESTABLISHED_POLL_MS);
    }
  }
}

/** The module, which is unpacked if it is compressed. */
function unpacked(program: string, target: string): string {
  if (!program.endsWith('.br')) {
    return program;
  }
  fs.writeFileSync(target, brotliDecompressSync(fs.readFileSync(program)));
  return target;
}

function hasContainer({ spec }: Pod, name: string): boolean {
  return [...spec?.initContainers ?? [], ...spec?.containers ?? []].some((container) => container.name === name);
}

async function startControlPlane(folder: DevFolder, { port, notice, warn }: DevOptions): Promise<ControlPlane> {
  return ControlPlane.start({
    dataDir: folder.controlPlane,
    port,
    controllerManager: { controllers: CONTROLLERS },
    // There are no service accounts here, and pods get no tokens of them.
    disableAdmissionPlugins: ['ServiceAccount'],
    // Namespaces of manifests need not exist.
    apiServerArgs: ['--enable-admission-plugins=NamespaceAutoProvision'],
    log: notice,
    onUnexpectedExit: (name, lastLines) => warn(`${name} has ended; its last lines:\n${lastLines}`),
  });
}
