/** An operator as its container runs it: the bundle, one process, leader election and all. */
import fs from 'node:fs';
import path from 'node:path';
import { processStats, type ProcessStats } from './process-stats';
import { Child } from '../../src/local/control-plane/child-process';
import { OPERATOR_NODE_FLAGS } from '../../src/manifests/operator/settings';
import { operatorEnvironment, type Installation } from '../../test/cluster/support/operator';

const BUNDLE = path.resolve(__dirname, '..', '..', 'assets', 'operator.mjs');

/** How often the log is looked at while waiting, milliseconds. */
const LOOK_MS = 5;

/** How long an orderly end may take, milliseconds. */
const STOP_MS = 30_000;

/** What a burst needs to know of the operators that work. */
export interface Measured {
  readonly pids: readonly number[];
  stats(): ProcessStats;
}

/** Within which shards are divided evenly, milliseconds. */
const DIVISION_MS = 15_000;

/** See the top of this file. */
export class OperatorUnderTest implements Measured {
  private readonly child: Child;
  private readonly startedAt = performance.now();

  /** @param env further variables */
  public constructor(installation: Installation, private readonly logFile: string, env: { readonly [name: string]: string } = {}) {
    // `TRAINYARD_BENCH_NODE_ARGS`: `--cpu-prof --cpu-prof-dir=DIR`, say, to see where the time goes.
    const nodeArgs = (process.env.TRAINYARD_BENCH_NODE_ARGS ?? '').split(' ').filter(Boolean);
    this.child = new Child({
      name: 'operator',
      command: 'env',
      args: [...operatorEnvironment(installation, env), process.execPath, ...OPERATOR_NODE_FLAGS, ...nodeArgs, BUNDLE],
      logFile,
    });
  }

  /** Its process. */
  public get pids(): readonly number[] {
    return [this.child.pid!];
  }

  /** Waits until it reconciles. @returns seconds since its process was started */
  public async ready(): Promise<number> {
    return this.until('controller started');
  }

  /** Waits until it could take over: its caches are filled. */
  public async isReady(): Promise<void> {
    await this.until('operator starts');
    const { healthPort } = fs.readFileSync(this.logFile, 'utf8').split('\n').filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly healthPort?: number }).find(({ msg }) => msg === 'operator starts')!;
    while (!(await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** What its process has used so far. */
  public stats(): ProcessStats {
    this.checkRuns();
    return processStats(this.child.pid!);
  }

  /** SIGKILL. */
  public async kill(): Promise<void> {
    this.child.kill();
    await this.child.exited;
  }

  /** An orderly end. */
  public async stop(): Promise<void> {
    await this.child.stop(STOP_MS);
  }

  /** Waits until it has logged something. @returns seconds since its process was started */
  public async until(message: string): Promise<number> {
    while (!fs.readFileSync(this.logFile, 'utf8').includes(message)) {
      this.checkRuns();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return (performance.now() - this.startedAt) / 1000;
  }

  private checkRuns(): void {
    if (!this.child.running) {
      throw new Error(`the operator has ended: ${this.child.lastLogLines()}`);
    }
  }
}

/** Who starts operators. */
export interface OperatorStarter {
  startOperator(env?: { readonly [name: string]: string }): OperatorUnderTest;
}

/** Several operators, measured together: one that leads, or replicas with shards. */
export class OperatorGroup implements Measured {
  private operators: OperatorUnderTest[];

  public constructor(private readonly plane: OperatorStarter, replicas: number, private readonly shards: number) {
    this.operators = Array.from({ length: replicas }, (_, replica) => plane.startOperator(this.environment(replica)));
  }

  /** Processes of those that run. */
  public get pids(): readonly number[] {
    return this.operators.flatMap(({ pids }) => pids);
  }

  /** Waits until the first one works, or with shards each. */
  public async ready(): Promise<void> {
    await Promise.all((this.shards > 1 ? this.operators : this.operators.slice(0, 1)).map(async (operator) => operator.ready()));
    // The first one takes all shards, and gives them back in some rounds.
    await new Promise((resolve) => setTimeout(resolve, this.shards > 1 ? DIVISION_MS : 0));
  }

  /** Sums over those that run. */
  public stats(): ProcessStats {
    const all = this.operators.map((operator) => operator.stats());
    const sum = (field: keyof ProcessStats) => all.reduce((total, stats) => total + stats[field], 0);
    return { cpuSeconds: sum('cpuSeconds'), residentMiB: sum('residentMiB'), peakMiB: sum('peakMiB') };
  }

  /** Starts one more and waits until its caches are filled. It is not measured. */
  public async startStandby(): Promise<OperatorUnderTest> {
    const standby = this.plane.startOperator(this.environment(this.operators.length));
    await standby.isReady();
    return standby;
  }

  /** SIGKILL of all that run; the standby takes their place. */
  public async killLeader(standby: OperatorUnderTest): Promise<void> {
    const killed = this.operators;
    this.operators = [standby];
    await Promise.all(killed.map(async (operator) => operator.kill()));
  }

  /** An orderly end. */
  public async stop(): Promise<void> {
    await Promise.all(this.operators.map(async (operator) => operator.stop()));
  }

  private environment(replica: number): { readonly [name: string]: string } {
    return { POD_NAME: `operator-${replica}`, SHARDS: String(this.shards) };
  }
}
