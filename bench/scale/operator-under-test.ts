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

/** See the top of this file. */
export class OperatorUnderTest {
  private readonly child: Child;
  private readonly startedAt = performance.now();

  public constructor(installation: Installation, private readonly logFile: string) {
    // `TRAINYARD_BENCH_NODE_ARGS`: `--cpu-prof --cpu-prof-dir=DIR`, say, to see where the time goes.
    const nodeArgs = (process.env.TRAINYARD_BENCH_NODE_ARGS ?? '').split(' ').filter(Boolean);
    this.child = new Child({
      name: 'operator',
      command: 'env',
      args: [...operatorEnvironment(installation), process.execPath, ...OPERATOR_NODE_FLAGS, ...nodeArgs, BUNDLE],
      logFile,
    });
  }

  /** Its process. */
  public get pid(): number {
    return this.child.pid!;
  }

  /** Waits until it reconciles. @returns seconds since its process was started */
  public async ready(): Promise<number> {
    return this.until('controller started');
  }

  /** What its process has used so far. */
  public stats(): ProcessStats {
    return processStats(this.pid);
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

  private async until(message: string): Promise<number> {
    while (!fs.readFileSync(this.logFile, 'utf8').includes(message)) {
      if (!this.child.running) {
        throw new Error(`the operator has ended: ${this.child.lastLogLines()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return (performance.now() - this.startedAt) / 1000;
  }
}
