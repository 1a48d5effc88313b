/** The pages with many jobs: how soon a list and a large job are there, what the server takes, and how much a browser loads. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { measureBeside, VIEWS, type BesideResult } from './beside';
import { measureHistory, type HistoryResult } from './history';
import { startServer, type Server } from './server';
import type { BenchPlane } from '../bench-plane';
import type { OperatorUnderTest } from '../operator-under-test';
import { createRunning } from '../population';
import { processStats } from '../process-stats';
import type { BenchResults } from '../results';
import { median, rounded } from '../statistics';
import { jobName } from '../workload';
import { markdownTable } from '../../page';
import { browserProgram } from '../../../scripts/install-browser.cjs';

/** Name of it among what `--only` measures. */
export const DASHBOARD = 'dashboard';

const ROOT = path.resolve(__dirname, '..', '..', '..');

/** How often each thing is measured, and how many pages look at the list while the memory is read. */
const [TIMES, VIEWERS] = [15, 10];

/** Milliseconds for which they look: several answers. */
const LOOKING_MS = 15_000;

/** Milliseconds between two lists: pages that look within a second share an answer. */
const PAUSE_MS = 1_300;

/** What was found. Times are milliseconds. */
interface DashboardResult {
  readonly jobs: number;
  readonly ranks: number;
  readonly listFirst: number;
  /** Of all namespaces, before they are watched. */
  readonly listElsewhere: number;
  readonly list: readonly number[];
  readonly open: readonly number[];
  readonly residentMiB: number;
  readonly peakMiB: number;
  readonly firstLoadKiB: number;
  readonly history: HistoryResult;
  readonly beside: BesideResult;
}

/** How much is measured. */
export interface DashboardSizes {
  /** Jobs that run. */
  readonly jobs: number;
  /** Replicas of a large job. */
  readonly ranks: number;
  /** Jobs of the history. */
  readonly recorded: number;
}

/** Measures it. @throws Error without Chromium, or a Node.js that has SQLite */
export async function measureDashboard(
  plane: BenchPlane, operator: OperatorUnderTest, { jobs, ranks, recorded }: DashboardSizes, say: (text: string) => void,
): Promise<DashboardResult> {
  const executablePath = browserProgram();
  if (executablePath === undefined) {
    throw new Error('The dashboard is measured in Chromium. Install it: npm run browser:install');
  }
  const beside = await measureBeside(plane, operator);
  say('bursts with and without a dashboard are measured');
  const [many, wide] = [await plane.namespace(), await plane.namespace()];
  await createRunning(plane, many, { jobs, pods: 1 });
  await createRunning(plane, wide, { jobs: 1, pods: ranks });
  say(`${jobs} jobs, and one of ${ranks} replicas, run`);
  const server = await startServer(plane, many);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const list: number[] = [];
    for (let time = 0; time <= TIMES; time++) {
      list.push(await firstEvent(server, `/api/jobs?namespace=${many}`));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    const listElsewhere = await firstEvent(server, '/api/jobs');
    const page = await browser.newPage();
    await page.goto(server.address);
    const open: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      await page.evaluate("location.hash = '#/queues'");
      await page.getByRole('heading', { name: 'Queues' }).waitFor();
      open.push(await page.evaluate(openedAfter(`#/job/${wide}/mltrainingjob.ml.collabnix.io/${jobName(0)}`, ranks)));
    }
    const viewers = await Promise.all(Array.from({ length: VIEWERS }, async () => browser.newPage()));
    await Promise.all(viewers.map(async (viewer) => viewer.goto(server.origin)));
    await new Promise((resolve) => setTimeout(resolve, LOOKING_MS));
    const { residentMiB, peakMiB } = processStats(server.child.pid!);
    const assets = path.join(ROOT, 'assets', 'ui');
    const bytes = fs.readdirSync(assets).reduce((sum, name) => sum + gzipSync(fs.readFileSync(path.join(assets, name))).length, 0);
    const [listFirst, ...later] = list.map(Math.round);
    const history = await measureHistory(recorded);
    const result = {
      jobs, ranks, listFirst, listElsewhere: Math.round(listElsewhere), list: later, history, beside, open: open.map(Math.round),
      residentMiB: Math.round(residentMiB), peakMiB: Math.round(peakMiB), firstLoadKiB: rounded(bytes / 1024),
    };
    say(JSON.stringify(result));
    return result;
  } finally {
    await browser.close();
    server.child.kill();
  }
}

/** In a page: milliseconds from a new address until every replica is drawn. */
function openedAfter(hash: string, ranks: number): string {
  return `new Promise((resolve) => {
    const start = performance.now();
    location.hash = ${JSON.stringify(hash)};
    const look = () => document.querySelectorAll('.grid .cell').length === ${ranks} ? resolve(performance.now() - start) : requestAnimationFrame(look);
    look();
  })`;
}

/** Milliseconds from a request for a live view to the whole of its first answer. */
async function firstEvent({ origin, cookie }: Server, place: string): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(`${origin}${place}`, { headers: { cookie } }, (response) => {
      let last = '';
      response.on('data', (chunk: Buffer) => {
        const text = last + chunk.toString('latin1');
        last = text.slice(-2);
        if (text.endsWith('\n\n')) {
          resolve(performance.now() - start);
          request.destroy();
        }
      });
    });
    request.on('error', reject);
  });
}

/** As the table of docs/operator/dashboard.md. */
export function renderDashboard(result: DashboardResult, { date, machine, load }: Pick<BenchResults, 'date' | 'machine' | 'load'>): string {
  const { jobs, ranks, list, listFirst, listElsewhere, open, residentMiB, peakMiB, firstLoadKiB, history, beside } = result;
  const { cpu, cores, memoryGiB, node, kubernetes } = machine;
  const words = (times: readonly number[]) => `${median(times)} ms (${Math.min(...times)} to ${Math.max(...times)})`;
  return `Measured on ${date}: ${cores} cores of ${cpu}, ${memoryGiB} GiB, Node.js ${node.slice(1)}, Kubernetes ${kubernetes.slice(1)}, `
    + `shared by the API server, the operator, the dashboard and Chromium. Load average before ${load.before.toFixed(1)}, after ${load.after.toFixed(1)}.\n\n${markdownTable(['what', 'measured', 'goal'], [
      [`list of ${jobs} running jobs that is already watched, until the complete response, median of ${list.length}`, words(list), '200 ms'],
      ['first list of all namespaces, not watched yet', `${listElsewhere} ms`, ''],
      ['first list after the server starts', `${listFirst} ms`, ''],
      [`a job of ${ranks} replicas opens, all of them drawn, median of ${open.length}`, words(open), '500 ms'],
      [`memory of the server, with ${VIEWERS} pages of that list open`, `${residentMiB} MiB, peak ${peakMiB}`, '300 MiB'],
      ['first load, compressed', `${firstLoadKiB} KiB`, '300 KiB'],
      ...besideRows(beside),
      ...history.answers.map(({ question, times }) => [`history of ${history.jobs} jobs in SQLite: ${question}, median of ${times.length}`, words(times.map(Math.round)), '200 ms']),
    ])}`;
}

function besideRows({ size: { jobs, pods }, turns, alone, looked }: BesideResult): string[][] {
  const words = ({ toAllPods, toAllJobsRunning, operatorCpu, apiServerCpu, requestsPerJob }: typeof alone) => (
    `${toAllPods} s to all pods, ${toAllJobsRunning} s to all Running; CPU ${operatorCpu} s of the operator, ${apiServerCpu} s of the API server; ${requestsPerJob} requests a job`);
  return [
    [`${jobs} jobs of ${pods} pods at once, median of ${turns}`, words(alone), ''],
    [`the same with a recorder, and a dashboard with ${VIEWS} open lists of all jobs, in turns with the former`, words(looked), 'as without'],
  ];
}
