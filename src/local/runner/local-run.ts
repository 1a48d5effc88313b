/**
 * One run of a job as processes: executes the actions of the planner, in the loop of {@link PlannedRun}.
 *
 * Pods are {@link PodProcess}es with the status of a kubelet. Unlike the operator, there is no cache that is behind, and no process remains when the
 * job has finished, whatever its cleanPodPolicy is.
 */
import crypto from 'node:crypto';
import { checkpointMapping } from './checkpoint-mapping';
import { sliceGpus, visibleGpus } from './gpu-slices';
import { codeInPlace } from './local-code';
import { prepareDiscovery } from './local-discovery';
import { localPod } from './local-pod';
import { LocalProgress, withReport } from './local-progress';
import { writeMpiAgent } from './mpi-launch';
import { PlannedRun, type PlannedRunSettings } from './planned-run';
import { ReplicaLogs } from './state-folder';
import { freePorts } from '../control-plane/ports';
import { inheritedEnvironment } from '../process/inherited-environment';
import { MemoryObjectSource } from '../process/object-source';
import { PodProcess } from '../process/pod-process';
import { ProcessGuard } from '../process/process-guard';
import { constructJobObjects } from '../../manifests/job/job-objects';
import type { ConfigMap, Pod, Secret } from '../../manifests/kubernetes';
import { constructHookPod } from '../../manifests/pod/hook-pod';
import { constructReplicaPod } from '../../manifests/pod/replica-pod';
import { COORDINATOR_PORT_NAME, LoopbackAddressBook, type AddressBook } from '../../model/frameworks/address-book';
import type { Replica } from '../../model/frameworks/contract';
import { progressAudience } from '../../model/progress/contract';
import { hasHelpers } from '../../model/training-job/replicas/helpers';
import { hookSuffix, type HookName } from '../../model/training-job/hooks';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import { GROUP_PORT_NAME } from '../../model/training-job/replicas/role-specs';
import { runFactsOf } from '../../model/training-job/run-facts';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import { ClockWatch, SYSTEM_CLOCK } from '../../operator/runtime/process/clock';
import { isFinished } from '../../operator/training/plan/finished';
import { isHookPod, observeHookPod, observePod } from '../../operator/training/plan/observe/observe-pod';
import { plan } from '../../operator/training/plan/plan';
import type { Action, Observation, ObservedPod } from '../../operator/training/plan/types';
import { onceEach } from '../output/terminal';

export interface LocalRunSettings extends PlannedRunSettings {
  /** Folder of the job's file, in which replicas without a working directory run. */
  readonly workingDir: string;
  /** Folder with the files of `spec.code`. @default - its archive is unpacked */
  readonly codeFolder?: string;
  /** ConfigMaps and Secrets in the file of the job. */
  readonly configMaps: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
  /** The user's own environment. */
  readonly env: NodeJS.ProcessEnv;
}

/** Folder with the process ids of workers, for the discovery of hosts. */
const WORKERS_FOLDER = 'workers';

/** A replica's pod and its processes. */
interface LivePod {
  readonly pod: Pod;
  readonly process: PodProcess;
  deletionTimestamp?: string;
}

export class LocalRun extends PlannedRun<LocalRunSettings> {
  private readonly pods = new Map<string, LivePod>();
  private readonly guard = new ProcessGuard();
  private readonly objects: MemoryObjectSource;
  private readonly services: readonly string[];
  private readonly warnOnce = onceEach((message) => this.settings.reporter.warning(message));
  private readonly noticeOnce = onceEach((message) => this.settings.reporter.notice(message));
  private readonly clockWatch = new ClockWatch(SYSTEM_CLOCK);
  /** Pods of the last attempts, with their final status. */
  private departed: readonly ObservedPod[] = [];
  private readonly logs: ReplicaLogs;
  private addresses?: { readonly attempt: number; readonly book: AddressBook };
  private progress?: LocalProgress;
  /** Note about checkpoints of an earlier run, from which a script may continue. */
  private readonly earlier: string;

  public constructor(settings: LocalRunSettings) {
    super(settings);
    const { job, namespace } = settings;
    this.logs = new ReplicaLogs(settings.state, (error) => this.fail(error));
    this.earlier = settings.state.hasCheckpoints ? ', with checkpoints of an earlier run' : '';
    prepareDiscovery(job, settings.state.file(WORKERS_FOLDER), true);
    const objects = constructJobObjects({ job, namespace });
    // MPI's keys are for ssh, which local replicas do not use, so their Secret is empty.
    const generated = objects.generatedSecrets.map(({ secret }) => secret);
    this.objects = new MemoryObjectSource({
      configMaps: [...settings.configMaps, ...objects.configMaps],
      secrets: [...settings.secrets, ...generated],
      token: (audience) => (audience === progressAudience({ namespace, name: job.name }) ? this.progress?.token : undefined),
    });
    this.services = objects.services.map((service) => service.metadata.name);
  }

  public async run(): Promise<TrainingJobStatus> {
    try {
      this.settings.reporter.started(this.settings.job);
      await this.listen();
      await this.reconcileUntilFinished();
    } finally {
      await Promise.all([...this.pods.values()].map(({ process }) => process.stop(this.graceSeconds)));
      await this.progress?.close();
      this.guard.close();
      this.logs.close();
    }
    if (isFinished(this.status)) {
      // Includes the final status of the last pods.
      this.setStatus(plan(this.observe()).status);
    }
    return this.status;
  }

  protected endAll(): void {
    this.pods.forEach(({ process }) => void process.stop(this.graceSeconds));
  }

  /** Starts to receive reports of the script. */
  private async listen(): Promise<void> {
    const { job, namespace } = this.settings;
    this.progress = await LocalProgress.start({
      jobName: job.name,
      namespace,
      onReport: (report) => {
        try {
          this.setStatus(withReport(this.status, report, Date.now()));
        } catch (error) {
          this.fail(error as Error);
        }
        this.wake();
      },
      warn: this.warnOnce,
    });
  }

  protected look(): Partial<Observation> {
    const live = [...this.pods.values()];
    const [hooks, replicas] = [live.filter(({ pod }) => isHookPod(pod)), live.filter(({ pod }) => !isHookPod(pod))];
    return {
      pods: replicas.map(observed),
      hookPods: hooks.map((live) => observeHookPod(podOf(live))),
      services: this.services,
      departed: this.departed,
      clockSteadySince: this.clockWatch.steadySince(),
    };
  }

  protected async execute(action: Action): Promise<void> {
    switch (action.type) {
      case 'createPod': return this.createPod(action.replica, action.attempt);
      case 'createHookPod': return this.createHookPod(action.hook, action.tries);
      case 'deletePod': return this.deletePod(action.name);
      // Objects are in memory from the start. There is no queue, no node and no job in an API server here. LocalSearch and LocalArray have children.
      default: return undefined;
    }
  }

  private async createPod(replica: Replica, attempt: number): Promise<void> {
    const { job, namespace, state, env } = this.settings;
    const addresses = await this.addressesOf(attempt);
    if (this.interrupted) {
      return;
    }
    const warn = this.warnOnce;
    const mpiAgent = state.file('run-on-host.sh');
    writeMpiAgent(mpiAgent);
    const gpus = sliceGpus(job, visibleGpus(env));
    if (gpus.warning) {
      warn(gpus.warning);
    }
    const manifest = constructReplicaPod({
      job, replica, namespace, attempt, addresses, facts: runFactsOf(this.status), progress: this.progress?.endpoint,
    });
    const adapted = localPod({ ...manifest, metadata: { ...manifest.metadata, uid: crypto.randomUUID() } }, {
      job, replica, gpus, mpiAgent, workersFolder: state.file(WORKERS_FOLDER), warn,
    });
    this.start(adapted, replica, attempt);
  }

  private createHookPod(hook: HookName, tries: number): void {
    const { job, namespace } = this.settings;
    const manifest = constructHookPod({ job, hook, tries, status: this.status, namespace });
    const { name: podName } = manifest.metadata as { readonly name: string };
    this.start({ ...manifest, metadata: { ...manifest.metadata, uid: crypto.randomUUID() } }, {
      role: hookSuffix(hook), index: tries, ordinal: job.replicas.length, podName,
    }, this.status.attempt ?? 0);
  }

  private start(adapted: Pod, replica: Replica, attempt: number): void {
    const { job, state, reporter, workingDir, codeFolder, env } = this.settings;
    const code = codeInPlace(job, adapted, codeFolder);
    const { pod } = code ?? { pod: adapted };
    if (code !== undefined) {
      this.noticeOnce(`${code.mapping.containerPath} (code) is ${code.mapping.localPath}`);
    }
    const checkpoints = checkpointMapping(job, pod, state.checkpoints);
    if (checkpoints) {
      this.noticeOnce(`${checkpoints.containerPath} (checkpointPath) is ${checkpoints.localPath}${this.earlier}`);
    }
    const process = new PodProcess({
      pod,
      folders: state.podFolders(replica.podName),
      objects: this.objects,
      guard: this.guard,
      inherited: inheritedEnvironment(env),
      workingDir,
      mappings: [...(code ? [code.mapping] : []), ...(checkpoints ? [checkpoints] : [])],
      onLine: (line) => {
        this.logs.write(replica, attempt, line);
        reporter.line(replica, line);
      },
      onStatus: () => this.wake(),
      warn: this.warnOnce,
    });
    this.pods.set(replica.podName, { pod, process });
  }

  private deletePod(name: string): void {
    const live = this.pods.get(name);
    if (live && live.deletionTimestamp === undefined) {
      live.deletionTimestamp = new Date().toISOString();
      void live.process.stop(this.graceSeconds).then(() => {
        const gone = observed(live);
        this.departed = [...this.departed.filter(({ attempt }) => attempt >= gone.attempt), gone];
        live.process.discard();
        this.pods.delete(name);
        this.wake();
      });
    }
  }

  private async addressesOf(attempt: number): Promise<AddressBook> {
    if (this.addresses?.attempt !== attempt) {
      this.addresses = { attempt, book: await loopbackAddresses(this.settings.job) };
    }
    return this.addresses.book;
  }
}

function observed(live: LivePod): ObservedPod {
  return observePod(podOf(live));
}

function podOf({ pod, process, deletionTimestamp }: LivePod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp }, status: process.status };
}

/** Finds a free port of 127.0.0.1 for each port of each replica. The next attempt gets other ports, which old connections cannot hold. */
async function loopbackAddresses(job: ResolvedTrainingJob): Promise<LoopbackAddressBook> {
  const names = [
    { name: COORDINATOR_PORT_NAME, roles: undefined },
    ...job.framework.ports,
    ...(hasHelpers(job) ? [{ name: GROUP_PORT_NAME, roles: undefined }] : []),
  ];
  const keys = job.replicas.flatMap((replica) => names
    .filter(({ roles }) => roles === undefined || roles.includes(replica.role))
    .map(({ name }) => portKey(replica, name)));
  const ports = await freePorts(keys.length);
  const byKey = new Map(keys.map((key, index) => [key, ports[index]]));
  return new LoopbackAddressBook((replica, portName) => {
    const port = byKey.get(portKey(replica, portName));
    if (port === undefined) {
      throw new Error(`Addresses of job ${job.name}: the ${job.framework.title} contract needs port '${portName}' of ${replica.podName}, which it does not declare.`);
    }
    return port;
  });
}

function portKey(replica: Replica, portName: string): string {
  return `${replica.ordinal}/${portName}`;
}
