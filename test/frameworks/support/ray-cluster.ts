/**
 * A Ray cluster of processes, as KubeRay would start it of pods: a head, and a node for each replica with the environment of its pod's container and
 * an address of its own on the loopback.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { DriverRun, killGroup, systemEnvironment } from './driver-run';
import { rayEngine } from '../../../src/manifests/engines/ray';
import type { PodSpec } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { variablesOf } from '../../manifests/engines/support/launched-programs';

/** A node of a group. */
export interface RayNode {
  readonly process: ChildProcess;
  readonly address: string;
  /** Folder that the node's container has for itself. */
  readonly folder: string;
  readonly env: { readonly [name: string]: string };
}

interface WorkerGroup {
  readonly groupName: string;
  readonly replicas: number;
  readonly rayStartParams: { readonly resources: string };
  readonly template: { readonly spec: PodSpec };
}

/** See the top of this file. */
export class RayCluster {
  /** Those that have not been killed. */
  public readonly nodes: RayNode[] = [];
  public driver: DriverRun;
  private port = 0;
  private started = 0;
  private head: ChildProcess | undefined;
  private readonly groups: readonly WorkerGroup[];

  /** @param python interpreter that Ray is installed for */
  public constructor(private readonly python: string, job: Omit<TrainingJobSpec, 'image'>) {
    this.driver = new DriverRun('ray', rayEngine(), job);
    this.groups = groupsOf(this.driver);
  }

  /** Starts the head and all nodes, and the driver. */
  public async start(): Promise<void> {
    this.port = await freePort();
    this.head = this.ray(['start', '--head', `--port=${this.port}`, '--node-ip-address=127.0.0.1', '--num-cpus=0', '--include-dashboard=false', '--block'], {});
    await isStarted(this.head);
    for (const { groupName, replicas } of this.groups) {
      for (let index = 0; index < replicas; index++) {
        await this.addNode(groupName);
      }
    }
    this.startDriver();
  }

  /**
   * Runs another job, whose driver alone is new. A cluster takes its time to start, and serves any job whose pods are the same.
   * @param files of the folder of both: a text, or undefined for what the job before has left there
   */
  public runNext(job: Omit<TrainingJobSpec, 'image'>, files: { readonly [name: string]: string | undefined }): void {
    this.driver = new DriverRun('ray', rayEngine(), job, this.driver.folder);
    expect(groupsOf(this.driver)).toEqual(this.groups);
    for (const [name, text] of Object.entries(files)) {
      if (text === undefined) {
        rmSync(path.join(this.driver.folder, name), { force: true });
      } else {
        this.driver.write(name, text);
      }
    }
    this.startDriver();
  }

  /** Whether another job can be run: all of its nodes are there, and the job before has ended. */
  public get isWhole(): boolean {
    return this.driver.hasEnded && this.nodes.length === this.groups.reduce((sum, { replicas }) => sum + replicas, 0);
  }

  /** Starts a node, as KubeRay does it for a pod that is missing. */
  public async addNode(groupName: string): Promise<RayNode> {
    const { template: { spec }, rayStartParams } = this.group(groupName);
    const number = this.started++;
    const folder = path.join(this.driver.folder, `node-${number}`);
    mkdirSync(folder);
    const env = {
      ...await variablesOf(spec, spec.containers[0].env), TRAINYARD_LAUNCH_STATE: folder, TRAINYARD_LAUNCH_LOG: path.join(folder, 'log'),
    };
    const address = `127.0.1.${number + 1}`;
    const ray = this.ray(['start', `--address=127.0.0.1:${this.port}`, `--node-ip-address=${address}`, '--num-cpus=1',
      `--resources=${rayStartParams.resources.replaceAll('\'', '')}`, '--object-store-memory=80000000', '--block'], env, folder);
    const node = { process: ray, address, folder, env };
    this.nodes.push(node);
    // One after the other: nodes on one machine race for the names of their sockets.
    await isStarted(ray);
    return node;
  }

  /** Ends a node at once, as when its machine is lost. */
  public kill(node: RayNode): void {
    killGroup(node.process);
    this.nodes.splice(this.nodes.indexOf(node), 1);
  }

  /** What the kubelet runs before it stops the container of a group's pod. */
  public stopHook(groupName: string): readonly string[] {
    const { template: { spec } } = this.group(groupName);
    return (spec.containers[0].lifecycle as { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }).preStop.exec.command;
  }

  /** What the container of a node has written to its own log. */
  public logOf({ folder }: RayNode): string {
    const log = path.join(folder, 'log');
    return existsSync(log) ? readFileSync(log, 'utf8') : '';
  }

  /** Ends all that was started. */
  public stop(): void {
    [...this.nodes.map((node) => node.process), this.head].forEach(killGroup);
    this.driver.stop();
  }

  private startDriver(): void {
    this.driver.start(this.python, { RAY_ADDRESS: `127.0.0.1:${this.port}`, RAY_USAGE_STATS_ENABLED: '0' });
  }

  private group(name: string): WorkerGroup {
    return this.groups.find(({ groupName }) => groupName === name)!;
  }

  private ray(args: readonly string[], env: { readonly [name: string]: string }, folder = this.driver.folder): ChildProcess {
    // A process group of its own: what `ray start` starts ends with it.
    return spawn(path.join(path.dirname(this.python), 'ray'), args, {
      cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...systemEnvironment(), RAY_TMPDIR: this.driver.folder, RAY_USAGE_STATS_ENABLED: '0', ...env },
    });
  }
}

function groupsOf({ objects }: DriverRun): readonly WorkerGroup[] {
  return (objects.job.spec as { readonly rayClusterSpec: { readonly workerGroupSpecs: readonly WorkerGroup[] } }).rayClusterSpec.workerGroupSpecs;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Waits until `ray start` says that it has started. */
function isStarted({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('Ray runtime started')) {
        resolve();
      }
    }).once('close', () => reject(new Error(`ray start has ended:\n${text}`)));
  });
}
