/** Bursts of jobs with and without somebody who looks: whether the operator is slower for a dashboard with open pages and a recorder. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { startServer, type Server } from './server';
import type { BenchPlane } from '../bench-plane';
import { operatorBurst, type OperatorBurst } from '../burst';
import type { OperatorUnderTest } from '../operator-under-test';
import { median, rounded } from '../statistics';
import type { Size } from '../workload';
import { nodeWithSqlite } from '../../../test/support/history-stores';

/** Live views of all jobs that are open. */
export const VIEWS = 10;

const SIZE: Size = { jobs: 100, pods: 4 };
const TURNS = 5;
const DASHBOARD_BUNDLE = path.resolve(__dirname, '..', '..', '..', 'assets', 'dashboard.mjs');

/** Medians of the bursts of one kind: seconds. */
export interface BesideTimes {
  readonly toAllPods: number;
  readonly toAllJobsRunning: number;
  readonly operatorCpu: number;
  readonly apiServerCpu: number;
  readonly requestsPerJob: number;
}

/** What was found. */
export interface BesideResult {
  readonly size: Size;
  readonly turns: number;
  readonly alone: BesideTimes;
  readonly looked: BesideTimes;
}

/** Measures both in turns, after one burst of each that does not count. */
export async function measureBeside(plane: BenchPlane, operator: OperatorUnderTest): Promise<BesideResult> {
  const [alone, looked]: [OperatorBurst[], OperatorBurst[]] = [[], []];
  for (let turn = 0; turn <= TURNS; turn++) {
    alone.push(await operatorBurst(plane, operator, SIZE));
    const observers = await Observers.start(plane);
    try {
      looked.push(await operatorBurst(plane, operator, SIZE));
    } finally {
      observers.stop();
    }
  }
  return { size: SIZE, turns: TURNS, alone: mediansOf(alone.slice(1)), looked: mediansOf(looked.slice(1)) };
}

function mediansOf(bursts: readonly OperatorBurst[]): BesideTimes {
  const of = (value: (burst: OperatorBurst) => number) => rounded(median(bursts.map(value)));
  return {
    toAllPods: of((burst) => burst.toAllPods), toAllJobsRunning: of((burst) => burst.toAllJobsRunning), operatorCpu: of(({ cpu }) => cpu.operator),
    apiServerCpu: of(({ cpu }) => cpu['kube-apiserver']), requestsPerJob: of((burst) => burst.requestsPerJob),
  };
}

/** A dashboard with open pages, and a recorder that writes to SQLite. */
class Observers {
  public static async start(plane: BenchPlane): Promise<Observers> {
    const node = nodeWithSqlite();
    if (node === undefined) {
      throw new Error('The recorder writes to SQLite. Install a Node.js that has it: npm run history-stores:install');
    }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-beside-'));
    const recorder = spawn(node, ['--no-warnings', DASHBOARD_BUNDLE], {
      env: {
        PATH: process.env.PATH, KUBECONFIG: plane.plane.kubeconfigPath, PROGRAM: 'recorder', PORT: '0', HEALTH_PORT: '0', HISTORY_FOLDER: folder,
        DASHBOARD_NAMESPACE: 'default', LOG_FORMAT: 'json',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      recorder.stderr.on('data', (chunk: Buffer) => chunk.includes('"origin"') && resolve());
      recorder.once('exit', () => reject(new Error('the recorder ended before it answered')));
    });
    const server = await startServer(plane, 'default');
    const views = Array.from({ length: VIEWS }, () => openView(server));
    await Promise.all(views.map(async ({ answered }) => answered));
    return new Observers(() => {
      views.forEach(({ request }) => request.destroy());
      server.child.kill();
      recorder.removeAllListeners('exit').kill();
      fs.rmSync(folder, { recursive: true, force: true });
    });
  }

  private constructor(public readonly stop: () => void) {}
}

/** A page that shows all jobs, as far as the server knows. */
function openView({ origin, cookie }: Server): { readonly request: http.ClientRequest; readonly answered: Promise<void> } {
  const request = http.get(`${origin}/api/jobs`, { headers: { cookie } });
  const answered = new Promise<void>((resolve, reject) => {
    request.once('response', (response) => response.once('data', () => resolve()).resume());
    request.once('error', reject);
  });
  // It is ended in the middle.
  request.on('error', () => undefined);
  return { request, answered };
}
