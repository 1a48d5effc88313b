/**
 * A real Kubernetes control plane on this machine: etcd and kube-apiserver, and on request kube-controller-manager, kube-scheduler and fake nodes,
 * as child processes that listen on 127.0.0.1, for tests and `trainyard dev`. It starts in seconds, and removes its files.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiAccess, apiRequest } from './api-request';
import { resolveBinaries } from './binaries';
import { Child } from './child-process';
import { ComponentName } from './components';
import { ControlPlaneOptions } from './control-plane-options';
import { ADMIN, AuthenticatedUser, TlsFiles, ensureServiceAccountKeys, renderKubeconfig, writeTlsFiles, writeTokenFile } from './credentials';
import { DataFolder } from './data-folder';
import { areFakeNodesReady, createFakeNodes, kwokArgs, writeStages } from './fake-nodes';
import { apiServerArgs, controllerManagerArgs, etcdArgs, schedulerArgs, writeAuditPolicy } from './flags';
import { freePorts, isPortFree } from './ports';
import { httpStatus, waitUntil } from './readiness';

/** Milliseconds before a program is killed. etcd and the API server recover from that. */
const STOP_GRACE_MS = 3_000;
/** Clients are stopped before servers, so that their logs do not end with refused connections. */
const STOP_ORDER: readonly (readonly ComponentName[])[] = [['kwok', 'kube-scheduler', 'kube-controller-manager'], ['kube-apiserver'], ['etcd']];

export class ControlPlane {
  /**
   * Starts a control plane and waits until it serves.
   *
   * The ServiceAccount admission plugin is off unless kube-controller-manager runs, which creates the `default` ServiceAccount of each namespace:
   * the plugin refuses every pod without it. Without kube-controller-manager there is also no garbage collection, a deleted namespace stays, and
   * aggregated roles (`admin`, `edit`, `view`) are empty.
   * @throws Error with the program that did not start and the last lines of its log; all programs are stopped then
   */
  public static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const { controllerManager, scheduler, fakeNodes } = options;
    const names: readonly ComponentName[] = [
      'etcd', 'kube-apiserver',
      ...(controllerManager ? ['kube-controller-manager' as const] : []), ...(scheduler ? ['kube-scheduler' as const] : []), ...(fakeNodes ? ['kwok' as const] : []),
    ];
    const binaries = await resolveBinaries(names, { log: options.log });
    const controlPlane = new ControlPlane(options, binaries, await DataFolder.open(options.dataDir));
    try {
      await controlPlane.startAll();
    } catch (error) {
      await controlPlane.stop();
      throw error;
    }
    return controlPlane;
  }

  /** Address of the API server, for instance `https://127.0.0.1:20443`. */
  public get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Bearer token of the user `admin`, who may do everything. */
  public get token(): string {
    return this.user(ADMIN.name).token;
  }

  /** The API server's certificate authority, PEM. */
  public get ca(): string {
    return fs.readFileSync(this.caFile, 'utf8');
  }

  /** A kubeconfig file of the user `admin`. */
  public get kubeconfigPath(): string {
    return this.kubeconfig(ADMIN.name);
  }

  /** The folder with all state, logs and credentials. */
  public get dataDir(): string {
    return this.folder.path;
  }

  /** Process ids of the programs that run now. */
  public get pids(): Partial<Record<ComponentName, number>> {
    const running = [...this.children].filter(([, child]) => child.running && child.pid !== undefined);
    return Object.fromEntries(running.map(([name, child]) => [name, child.pid]));
  }

  private readonly children = new Map<ComponentName, Child>();
  private users: readonly AuthenticatedUser[] = [];
  private port = 0;
  private etcdPort = 0;
  private etcdPeerPort = 0;
  private tls!: TlsFiles;
  /** Whether the end of a program is reported: not during the start, which has its own error, and not after the stop. */
  private serving = false;
  private stopped = false;
  /** Programs that are killed on purpose. */
  private readonly killed = new Set<Child>();

  private constructor(
    private readonly options: ControlPlaneOptions,
    private readonly binaries: ReadonlyMap<ComponentName, string>,
    private readonly folder: DataFolder,
  ) {}

  /**
   * A kubeconfig file of one user.
   * @param userName `admin`, or one of the users of the options
   * @returns its path
   * @throws Error for a user that this control plane does not have
   */
  public kubeconfig(userName: string): string {
    // The variable KUBECONFIG separates files with a colon, which names of service accounts have.
    return this.folder.file(`kubeconfig-${encodeURIComponent(this.user(userName).name)}`);
  }

  /** What a client needs to act as one user. @throws Error for a user that this control plane does not have */
  public access(userName: string = ADMIN.name): ApiAccess {
    return { url: this.url, token: this.user(userName).token, ca: this.ca };
  }

  /**
   * Kills the API server with SIGKILL and starts it again at the same address, as a fault for tests. Data, certificates and tokens stay.
   * @param outageMs milliseconds between the two; default 0
   */
  public async restartApiServer(outageMs = 0): Promise<void> {
    const child = this.children.get('kube-apiserver')!;
    this.killed.add(child);
    child.kill();
    await child.exited;
    await delay(outageMs);
    await this.startApiServer();
  }

  /** Address of etcd, which requires the client certificate of {@link tlsFiles}. */
  public get etcdUrl(): string {
    return `https://127.0.0.1:${this.etcdPort}`;
  }

  /** The certificates of the programs. */
  public get tlsFiles(): TlsFiles {
    return this.tls;
  }

  /** Stops all programs, and removes a temporary data folder. A second call does nothing. */
  public async stop(): Promise<void> {
    this.serving = false;
    this.stopped = true;
    for (const group of STOP_ORDER) {
      await Promise.all(group.map(async (name) => this.children.get(name)?.stop(STOP_GRACE_MS)));
    }
    this.folder.close();
  }

  private get caFile(): string {
    // The API server signs its own certificate, and appends the authority to it.
    return this.folder.file('certs', 'apiserver.crt');
  }

  private async startAll(): Promise<void> {
    await this.choosePorts();
    this.users = writeTokenFile(this.dataDir, this.options.users ?? []).users;
    this.tls = await writeTlsFiles(this.folder.file('tls'));
    await Promise.all([ensureServiceAccountKeys(this.dataDir), this.startEtcd()]);
    await this.startApiServer();
    for (const user of this.users) {
      fs.writeFileSync(this.kubeconfig(user.name), renderKubeconfig(this.url, this.ca, user), { mode: 0o600 });
    }
    await Promise.all([this.startControllerManager(), this.startScheduler(), this.startFakeNodes()]);
    this.serving = true;
  }

  private async choosePorts(): Promise<void> {
    // An existing folder keeps its port, so that kubeconfig files stay valid.
    const file = this.folder.file('port');
    const earlier = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : undefined;
    const wanted = this.options.port ?? (earlier && await isPortFree(earlier) ? earlier : undefined);
    const [first, second, third] = await freePorts(3);
    this.port = wanted ?? first;
    this.etcdPort = second;
    this.etcdPeerPort = third;
    fs.writeFileSync(file, String(this.port));
  }

  private async startEtcd(): Promise<void> {
    const child = this.launch('etcd', etcdArgs({
      dataFolder: this.folder.file('etcd'),
      clientPort: this.etcdPort,
      peerPort: this.etcdPeerPort,
      unsafeNoFsync: this.options.unsafeNoFsync ?? true,
      tls: this.tls,
      extraArgs: this.options.etcdArgs ?? [],
    }));
    await this.waitUntil(child, 'to be healthy', async () => await httpStatus(`${this.etcdUrl}/health`, this.tls) === 200);
  }

  private async startApiServer(): Promise<void> {
    const { options, dataDir } = this;
    const disabled = options.disableAdmissionPlugins ?? (options.controllerManager ? [] : ['ServiceAccount']);
    const child = this.launch('kube-apiserver', apiServerArgs({
      port: this.port,
      etcdPort: this.etcdPort,
      tls: this.tls,
      certFolder: this.folder.file('certs'),
      tokenFile: writeTokenFile(dataDir, options.users ?? []).file,
      serviceAccountKeys: await ensureServiceAccountKeys(dataDir),
      disabledAdmissionPlugins: disabled,
      featureGates: options.featureGates ?? {},
      runtimeConfig: options.runtimeConfig ?? {},
      audit: options.auditLogPath ? { policyFile: writeAuditPolicy(dataDir), logFile: path.resolve(options.auditLogPath) } : undefined,
      extraArgs: options.apiServerArgs ?? [],
    }));
    await this.waitUntil(child, 'to be ready', async () => await this.answers('/readyz') && await this.answers('/api/v1/namespaces/default'));
  }

  private async startControllerManager(): Promise<void> {
    const { controllerManager } = this.options;
    if (!controllerManager) {
      return;
    }
    const controllers = controllerManager === true ? ['*'] : controllerManager.controllers;
    const child = this.launch('kube-controller-manager', controllerManagerArgs({
      kubeconfig: this.kubeconfigPath,
      serviceAccountKey: (await ensureServiceAccountKeys(this.dataDir)).privateKey,
      caFile: this.caFile,
      controllers,
      featureGates: this.options.featureGates ?? {},
    }));
    if (controllers.some((name) => name === '*' || name === 'serviceaccount-controller')) {
      const path = '/api/v1/namespaces/default/serviceaccounts/default';
      await this.waitUntil(child, 'to create the default ServiceAccount', async () => this.answers(path));
    }
  }

  private async startScheduler(): Promise<void> {
    if (this.options.scheduler) {
      this.launch('kube-scheduler', schedulerArgs({ kubeconfig: this.kubeconfigPath, featureGates: this.options.featureGates ?? {} }));
    }
  }

  private async startFakeNodes(): Promise<void> {
    const { fakeNodes } = this.options;
    if (fakeNodes) {
      await createFakeNodes(this.access(), fakeNodes);
      const child = this.launch('kwok', kwokArgs(this.kubeconfigPath, writeStages(this.dataDir), fakeNodes));
      await this.waitUntil(child, 'to make the nodes ready', async () => areFakeNodesReady(this.access(), fakeNodes));
    }
  }

  private launch(name: ComponentName, args: readonly string[]): Child {
    // After one program has failed, the start of others may continue. A restart may also come after the stop.
    if (this.stopped) {
      throw new Error(`Control plane: ${name} is not restarted, because the control plane was stopped.`);
    }
    const child = new Child({ name, command: this.binaries.get(name)!, args, logFile: this.folder.file('logs', `${name}.log`) });
    this.children.set(name, child);
    void child.exited.then(() => {
      if (this.serving && !this.killed.delete(child)) {
        this.options.onUnexpectedExit?.(name, child.lastLogLines());
      }
    });
    return child;
  }

  private async waitUntil(child: Child, what: string, isSo: () => Promise<boolean>): Promise<void> {
    await waitUntil(child, what, this.options.startTimeoutMs ?? 60_000, isSo);
  }

  private async answers(requestPath: string): Promise<boolean> {
    return (await apiRequest(this.access(), 'GET', requestPath, { timeoutMs: 5_000 })).status === 200;
  }

  private user(name: string): AuthenticatedUser {
    const user = this.users.find((candidate) => candidate.name === name);
    if (!user) {
      throw new Error(`This control plane has no user "${name}"; it has ${this.users.map((known) => known.name).join(', ')}.`);
    }
    return user;
  }
}
