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
import type { HarnessResult } from './results';
import type { Size } from './workload';

const execute = promisify(execFile);

/** Both clients have as many requests in flight. */
const CONCURRENCY = '50';

/** Rest between two bursts, milliseconds: each leaves a namespace that goes. */
const REST_MS = 5_000;

/** Makes so many rounds of the three, in turns, on a control plane with an operator. */
type Rounds = (plane: BenchPlane, times: number) => Promise<void>;

/** @param onPlanes calls for rounds on one control plane after the other */
export async function measureByHarness(
  folder: string, size: Size, onPlanes: (rounds: Rounds) => Promise<void>, say: (text: string) => void,
): Promise<HarnessResult> {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-harness-'));
  try {
    const program = path.join(workspace, 'load-harness');
    await execute('go', ['build', '-o', program, '.'], { cwd: folder });
    const kubeconfig = path.join(workspace, 'kubeconfig');
    const seconds = async (args: readonly string[]) => {
      const { stdout } = await execute(program, [...args, '--kubeconfig', kubeconfig, '--concurrency', CONCURRENCY]);
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      return toAllPods(stdout);
    };
    const result = { size, bareOfHarness: [] as number[], bare: [] as number[], operator: [] as number[] };
    await onPlanes(async (plane, times) => {
      fs.writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
      for (let round = 0; round < times; round++) {
        result.bareOfHarness.push(await seconds(['bare', '--pods', String(size.jobs * size.pods), '--services', String(size.jobs)]));
        result.bare.push((await bareBurst(plane, size)).toAllPods);
        result.operator.push(await seconds(['run', '--kind', 'mltj', '--jobs', String(size.jobs), '--replicas', String(size.pods)]));
        say(`to all pods: harness's bare client ${result.bareOfHarness.at(-1)} s, bare client of the same objects ${result.bare.at(-1)} s, `
          + `operator by the harness ${result.operator.at(-1)} s`);
      }
    });
    return result;
  } finally {
    fs.rmSync(workspace, { recursive: true, force: true });
  }
}

/** What the harness tells on its last line. */
function toAllPods(stdout: string): number {
  const told = JSON.parse(stdout.trim().split('\n').at(-1)!) as { readonly t_pods_all?: number; readonly errors?: number; readonly create_errors?: number };
  if (typeof told.t_pods_all !== 'number' || told.errors || told.create_errors) {
    throw new Error(`The harness did not get all pods: ${stdout.trim()}`);
  }
  return told.t_pods_all;
}
