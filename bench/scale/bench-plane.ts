/** The control plane of the measurements: all of Kubernetes' own programs, fake nodes on which pods run at once, and an audit log. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ApiSession } from './api-session';
import { AuditLog } from './audit-log';
import { OperatorUnderTest, type Measured } from './operator-under-test';
import { cpuSeconds, processStats } from './process-stats';
import { jobsPath, podsPath, servicesPath } from './workload';
import { ControlPlane, type FakeNodesOptions } from '../../src/local/control-plane';
import { OPERATOR_NAME } from '../../src/manifests/operator/settings';
import { eventually } from '../../test/cluster/support/cluster';
import { installOperator, type Installation } from '../../test/cluster/support/operator';
import { TestApi } from '../../test/cluster/support/test-api';

/** As ../shared/bench has them: room for everything, so that the scheduler never has to wait. */
const NODES: FakeNodesOptions = { count: 200, capacity: { 'cpu': '256', 'memory': '2Ti', 'pods': '1000', 'nvidia.com/gpu': '64' } };

/** Requests of one client at the same time; the peers' harness has as many. */
const CONCURRENCY = 50;

/** Rest of the cluster after everything of a namespace is gone, milliseconds. */
const SETTLE_MS = 1_500;

/** Thousands of nodes take a while to be ready; milliseconds. */
const START_LIMIT_MS = 300_000;

/** Audit events that may still be on their way into the file, milliseconds. */
const AUDIT_DELAY_MS = 500;

/** Options of {@link BenchPlane.start}. */
export interface BenchPlaneOptions {
  /** Fake nodes. @default 200 */
  readonly nodes?: number;
  /** Parts that the operator divides jobs into. @default 1 */
  readonly shards?: number;
}

/** See the top of this file. */
export class BenchPlane {
  /** Starts it and installs the operator's rights and definition, but no operator. */
  public static async start({ nodes = NODES.count, shards = 1 }: BenchPlaneOptions = {}): Promise<BenchPlane> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-bench-'));
    const auditFile = path.join(folder, 'audit.log');
    fs.writeFileSync(auditFile, '');
    const plane = await ControlPlane.start({
      controllerManager: true,
      scheduler: true,
      fakeNodes: { ...NODES, count: nodes },
      startTimeoutMs: START_LIMIT_MS,
      auditLogPath: auditFile,
      // One file that is never rotated, and no event lost when its buffer is full.
      apiServerArgs: ['--audit-log-mode=blocking', '--audit-log-maxsize=0'],
    });
    const api = new TestApi(plane.access());
    const installation = await installOperator(api, await api.createNamespace('operator'), [], shards);
    return new BenchPlane(plane, api, installation, new AuditLog(auditFile), folder, { ...NODES, count: nodes });
  }

  /** The client of the measurements. */
  public readonly session: ApiSession;
  private namespaces = 0;
  private operators = 0;

  private constructor(
    public readonly plane: ControlPlane,
    private readonly api: TestApi,
    private readonly installation: Installation,
    public readonly audit: AuditLog,
    private readonly folder: string,
    /** The fake nodes. */
    public readonly nodes: FakeNodesOptions & { readonly count: number },
  ) {
    this.session = new ApiSession(plane.access(), CONCURRENCY);
  }

  /** The operator's name in the audit log. */
  public get operatorUser(): string {
    return `system:serviceaccount:${this.installation.namespace}:${OPERATOR_NAME}`;
  }

  /** As much of a kubeconfig as clients need that look for a server and a token in it and for nothing else. */
  public kubeconfig(): string {
    const { url, token } = this.plane.access();
    return `server: ${url}\ntoken: ${token}\n`;
  }

  /** A fresh namespace that pods are taken in. */
  public async namespace(): Promise<string> {
    return this.api.createNamespace(`bench-${this.namespaces++}`);
  }

  /** Starts an operator; {@link OperatorUnderTest.ready} says when it works. */
  public startOperator(env?: { readonly [name: string]: string }): OperatorUnderTest {
    return new OperatorUnderTest(this.installation, path.join(this.folder, `operator-${this.operators++}.log`), env);
  }

  /** Seconds of CPU so far, by program; this process, which is the bare client, among them. */
  public cpu(operator?: Measured): { [program: string]: number } {
    const programs = cpuSeconds({ ...this.plane.pids, bench: process.pid });
    return operator === undefined ? programs : { ...programs, operator: operator.stats().cpuSeconds };
  }

  /** MiB that each program has now. */
  public memory(operator: Measured): { [program: string]: number } {
    const sizes = Object.entries(this.plane.pids).map(([name, pid]) => [name, processStats(pid!).residentMiB] as const);
    return Object.fromEntries([...sizes, ['operator', operator.stats().residentMiB] as const].map(([name, size]) => [name, Math.round(size)]));
  }

  /** Removes jobs, pods and services of a namespace, whoever made them, and waits until they are gone. */
  public async clear(namespace: string): Promise<void> {
    await this.session.remove(`${jobsPath(namespace)}?propagationPolicy=Background`);
    await eventually(`namespace ${namespace} to be empty`, async () => {
      await this.session.remove(`${podsPath(namespace)}?gracePeriodSeconds=0`);
      await this.session.remove(servicesPath(namespace));
      const { items } = (await this.session.read<{ items: unknown[] }>(`${podsPath(namespace)}?limit=1`))!;
      const jobs = (await this.session.read<{ items: unknown[] }>(`${jobsPath(namespace)}?limit=1`))!;
      return items.length === 0 && jobs.items.length === 0;
    }, 240_000);
    // What follows shall not be measured together with what others do about the end of this.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  }

  /** Waits until the audit log has everything. */
  public async auditSettled(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, AUDIT_DELAY_MS));
  }

  /** Stops everything and removes all files. */
  public async stop(): Promise<void> {
    this.session.close();
    await this.plane.stop();
    this.installation.removeFiles();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
