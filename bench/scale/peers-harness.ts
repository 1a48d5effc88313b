/**
 * The same operator, measured by the load harness that peers are measured with (`load-harness.go`, plain Go, in a folder that is told): a clock that
 * is not ours. It starts its clock with the first request and stops it when its watch has shown the last pod, as this bench does, so its time for the
 * operator and this bench's time for the bare client of the same objects can be set against each other. Its own bare client makes smaller objects (no
 * owners, five variables a pod, services that select no pod) and stops its clock at the last answer, not at the watch; its time is told too.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchPlane } from './bench-plane';
import { bareBurst } from './burst';
import type { Size } from './workload';

const execute = promisify(execFile);

/** Both clients have as many requests in flight. */
const CONCURRENCY = '50';

/** Rest between two bursts, milliseconds: each leaves a namespace that goes. */
const REST_MS = 5_000;

/** The harness, built, and what it has measured. */
export class PeersHarness {
  /** @param folder of the harness's program, in Go */
  public static async build(folder: string, size: Size, say: (text: string) => void): Promise<PeersHarness> {
    const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-harness-'));
    await execute('go', ['build', '-o', programIn(workspace), '.'], { cwd: folder });
    return new PeersHarness(workspace, size, say);
  }

  /** Seconds to all pods of each round so far. */
  public readonly result: { readonly size: Size; readonly bareOfHarness: number[]; readonly bare: number[]; readonly operator: number[] };

  private constructor(private readonly workspace: string, private readonly size: Size, private readonly say: (text: string) => void) {
    this.result = { size, bareOfHarness: [], bare: [], operator: [] };
  }

  /** Makes so many rounds of the three, in turns, on a control plane with an operator. */
  public async measure(plane: BenchPlane, times: number): Promise<void> {
    const { jobs, pods } = this.size;
    const { bareOfHarness, bare, operator } = this.result;
    fs.writeFileSync(this.kubeconfig, plane.kubeconfig(), { mode: 0o600 });
    for (let round = 0; round < times; round++) {
      bareOfHarness.push(await this.seconds(['bare', '--pods', String(jobs * pods), '--services', String(jobs)]));
      bare.push((await bareBurst(plane, this.size)).toAllPods);
      operator.push(await this.seconds(['run', '--kind', 'mltj', '--jobs', String(jobs), '--replicas', String(pods)]));
      this.say(`to all pods: harness's bare client ${bareOfHarness.at(-1)} s, bare client of the same objects ${bare.at(-1)} s, `
        + `operator by the harness ${operator.at(-1)} s`);
    }
  }

  /** Removes what was built. */
  public remove(): void {
    fs.rmSync(this.workspace, { recursive: true, force: true });
  }

  private get kubeconfig(): string {
    return path.join(this.workspace, 'kubeconfig');
  }

  private async seconds(args: readonly string[]): Promise<number> {
    const { stdout } = await execute(programIn(this.workspace), [...args, '--kubeconfig', this.kubeconfig, '--concurrency', CONCURRENCY]);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    return toAllPods(stdout);
  }
}

function programIn(workspace: string): string {
  return path.join(workspace, 'load-harness');
}

/** What the harness tells on its last line. */
function toAllPods(stdout: string): number {
  const told = JSON.parse(stdout.trim().split('\n').at(-1)!) as { readonly t_pods_all?: number; readonly errors?: number; readonly create_errors?: number };
  if (typeof told.t_pods_all !== 'number' || told.errors || told.create_errors) {
    throw new Error(`The harness did not get all pods: ${stdout.trim()}`);
  }
  return told.t_pods_all;
}
