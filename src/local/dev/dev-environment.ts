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

const CRDS: ResourceKind = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false };

/** Who applies what the environment needs. */
const FIELD_MANAGER = 'trainyard-dev';

/** Controllers without which deletion would leave things behind. */
const CONTROLLERS = ['garbage-collector-controller', 'namespace-controller'];

/** Milliseconds between two looks at a CRD that is being established. */
const ESTABLISHED_POLL_MS = 50;

/** Settings of the environment. */
export interface DevOptions {
  /** Folder in which pods run that name no working directory; `.trainyard` is made in it. */
  readonly workingDir: string;
  /** The bundled operator, an ES module: as it is, or compressed with brotli (`.br`). */
  readonly operatorProgram: string;
  /** Whether the cluster of the last time is continued. @default false */
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
  private readonly warned = new Set<string>();

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
   * Ends everything: the operator first, so that it does not take ended pods for failed ones. May be called again with a shorter grace period.
   * @param graceSeconds what pods get between SIGTERM and SIGKILL; default: what they say
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
    const warn = (message: string) => this.warnOnce(message);
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
        // A container's name becomes a part of a path.
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
      await new Promise((resolve) => setTimeout(resolve, ESTABLISHED_POLL_MS));
    }
  }

  private warnOnce(message: string): void {
    if (!this.warned.has(message)) {
      this.warned.add(message);
      this.options.warn(message);
    }
  }
}

/** The program that node can start: the module itself, or what a compressed one is unpacked to. */
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
    // Nobody makes service accounts here, and no pod gets a token of one.
    disableAdmissionPlugins: ['ServiceAccount'],
    // A manifest may name any namespace, as the blog's does.
    apiServerArgs: ['--enable-admission-plugins=NamespaceAutoProvision'],
    log: notice,
    onUnexpectedExit: (name, lastLines) => warn(`${name} has ended; its last lines:\n${lastLines}`),
  });
}
