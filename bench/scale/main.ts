/**
 * The bench: an operator against a client that creates the same pods without one, on a control plane of its own; recovery; many jobs.
 *
 *     npm run bench                     all of it, less than half an hour, and writes the tables of docs/performance.md
 *     npm run bench -- --quick          two minutes, to see that it works; docs/performance.md stays as it is
 *     npm run bench -- --only 100x4     bursts of these sizes alone, `--times N` on each control plane, or `recovery`, or `first-pod` (one job on an
 *                                       idle operator); the page stays as it is
 *     npm run bench -- --only 100x4 --into FILE
 *                                       the same, and puts them into the results of a whole run and its tables, which say so
 *     npm run bench -- --harness FOLDER [--into FILE]
 *                                       100x4, or `--size 500x4`, by the peers' load harness, which is in that folder (needs Go); `--into` as above
 *     npm run bench -- --only scale [--size 1000x4,2500x4] [--nodes 5000] [--shards N --replicas R] [--into FILE]
 *                                       growing numbers of jobs (hours); all sizes write docs/scale.md, some of them only with `--into`, which puts
 *                                       them among what FILE has
 *     npm run bench -- --only dashboard the dashboard with 2,000 jobs, a job of 1,000 replicas and a history of 100,000; writes the page dashboard
 *                                       (with `--quick`: a tenth of them, and the page stays as it is)
 *     npm run bench -- --json FILE      results as JSON [default: bench-results.json in the system's folder for temporary files]
 *
 * Run it on a machine that does nothing else. The bare client and the operator take turns, so that a slow minute meets both. Bursts have control
 * planes of their own, which have just started and have been warmed up by one burst of each.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BenchPlane } from './bench-plane';
import { bareBurst, operatorBurst, type BurstTimes, type OperatorBurst } from './burst';
import { DASHBOARD, measureDashboard, renderDashboard } from './dashboard/dashboard';
import { measureFirstPod } from './first-pod';
import { GROWTH, measureGrowth, renderGrowth, withRows, type GrowthPlan, type GrowthResults, type GrowthRow, type Operators } from './growth';
import { ratioOf, renderHarness, renderResults } from './markdown';
import type { OperatorUnderTest } from './operator-under-test';
import { FULL, QUICK, WARM_UP, burstPlan, type BenchPlan, type BurstPlan } from './plan';
import { PeersHarness } from './peers-harness';
import { createFinished, createRunning, measureIdle, measurePopulation } from './population';
import { measureRecovery, type Recovery } from './recovery';
import { thisMachine, type BenchResults, type HarnessResult, type SizeResult } from './results';
import { measureStepsLost } from './steps-lost';
import { sizeName, sizeOf, type Size } from './workload';
import { writeBetween, type Marks } from '../page';

const PAGE = path.resolve(__dirname, '..', '..', 'docs', 'performance.md');

/** Between these lines the page is written by the bench. */
const MARKS: Marks = ['<!-- bench:begin -->', '<!-- bench:end -->'];

/** Kills of the training process, in a full run and in a quick one. */
const KILLS = { full: 25, quick: 2 };

/** What the peers' harness measures here. It asks for three rounds at least. */
const HARNESS: BurstPlan = { size: { jobs: 100, pods: 4 }, planes: 4, times: 2 };

/** The page with growing numbers of jobs; it has the same marks. */
const SCALE_PAGE = path.resolve(__dirname, '..', '..', 'docs', 'scale.md');

/** Name of growing numbers of jobs among what `--only` measures. */
const SCALE = 'scale';

/** The page of the dashboard; it has the same marks. */
const DASHBOARD_PAGE = path.resolve(__dirname, '..', '..', 'docs', 'operator', 'dashboard.md');

/** Names of the recovery and of one job on an idle operator among what `--only` measures. */
const [RECOVERY, FIRST_POD] = ['recovery', 'first-pod'];

const startedAt = performance.now();

function say(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  load ${os.loadavg()[0].toFixed(1)}  ${text}\n`);
}

/** Bursts of one size, in turns. */
async function measureSize({ size, planes, times }: BurstPlan): Promise<SizeResult> {
  const bare: BurstTimes[] = [];
  const withOperator: OperatorBurst[] = [];
  await onFreshPlanes(planes, async (plane, operator) => {
    for (let run = 0; run < times; run++) {
      const one = await bareBurst(plane, size);
      const other = await operatorBurst(plane, operator, size);
      bare.push(one);
      withOperator.push(other);
      say(`${sizeName(size)}: bare ${one.toAllPods} / ${one.toAllPodsRunning} s, operator ${other.toAllPods} / ${other.toAllJobsRunning} s, `
        + `${other.requestsPerJob} requests per job`);
    }
  });
  return { size, bare, operator: withOperator };
}

/** Measures on control planes one after the other, each with an operator, and each warmed up. */
async function onFreshPlanes(planes: number, measureIt: (plane: BenchPlane, operator: OperatorUnderTest) => Promise<void>): Promise<void> {
  for (let index = 0; index < planes; index++) {
    await withOperator(async (plane, operator) => {
      await bareBurst(plane, WARM_UP);
      await operatorBurst(plane, operator, WARM_UP);
      await measureIt(plane, operator);
    });
  }
}

async function measure(plan: BenchPlan, quick: boolean): Promise<BenchResults> {
  const before = os.loadavg()[0];
  const sizes: SizeResult[] = [];
  for (const bursts of plan.bursts) {
    sizes.push(await measureSize(bursts));
  }
  const plane = await BenchPlane.start();
  try {
    let operator = plane.startOperator();
    await operator.ready();

    const firstPod = await measureFirstPod(plane, plan.firstPod);
    say(JSON.stringify(firstPod));

    say(`recovery at ${sizeName(plan.recovery.size)}`);
    const recovered = await recover(plane, operator, plan);
    const { recoveries } = recovered;
    operator = recovered.operator;
    recoveries.forEach((recovery) => say(JSON.stringify(recovery)));

    const stepsLost = await measureStepsLost(quick ? KILLS.quick : KILLS.full);
    say(JSON.stringify(stepsLost));

    const namespace = await plane.namespace();
    await createRunning(plane, namespace, plan.idle.size);
    const idle = await measureIdle(operator, plan.idle.size, plan.idle.seconds);
    say(JSON.stringify(idle));
    await operator.stop();

    const archive = await plane.namespace();
    const finishedAtFirst = plan.coldList.jobs - plan.idle.size.jobs;
    await createFinished(plane, archive, 0, finishedAtFirst);
    const cold = await measurePopulation(plane, plan.idle.size.jobs, finishedAtFirst, plan.coldList.starts, 5);
    say(JSON.stringify(cold.cost));
    await plane.clear(namespace);
    await cold.operator.stop();
    await createFinished(plane, archive, finishedAtFirst, plan.finished.jobs - finishedAtFirst);
    const finished = await measurePopulation(plane, 0, plan.finished.jobs, 1, plan.finished.settleSeconds);
    say(JSON.stringify(finished.cost));
    await finished.operator.stop();
    return {
      date: new Date().toISOString().slice(0, 10), machine: thisMachine(), load: { before, after: os.loadavg()[0] }, quick,
      sizes, firstPod, recoveries, stepsLost, idle, coldList: cold.cost, finished: finished.cost,
    };
  } finally {
    await plane.stop();
  }
}

/** Jobs that run lose pods, nodes and their operator. */
async function recover(
  plane: BenchPlane, operator: OperatorUnderTest, plan: BenchPlan,
): Promise<{ readonly recoveries: readonly Recovery[]; readonly operator: OperatorUnderTest }> {
  const namespace = await plane.namespace();
  await createRunning(plane, namespace, plan.recovery.size);
  const recovered = await measureRecovery(plane, operator, namespace, plan.recovery);
  await plane.clear(namespace);
  return recovered;
}

/** Measures with an operator on a control plane of its own. */
async function withOperator<T>(measureIt: (plane: BenchPlane, operator: OperatorUnderTest) => Promise<T>): Promise<T> {
  const plane = await BenchPlane.start();
  try {
    const operator = plane.startOperator();
    await operator.ready();
    const result = await measureIt(plane, operator);
    await operator.stop();
    return result;
  } finally {
    await plane.stop();
  }
}

/** What `--only` measures. */
type Part = Pick<BenchResults, 'sizes'> & Partial<Pick<BenchResults, 'recoveries' | 'firstPod'>>;

/** Bursts of some sizes, the recovery, one job alone, or several of these: `100x4`, `1x1000`, `recovery`, `first-pod`. */
async function measureOnly(parts: readonly string[], times: number | undefined): Promise<Part> {
  const sizes: SizeResult[] = [];
  for (const text of parts.filter((part) => part !== RECOVERY && part !== FIRST_POD)) {
    const result = await measureSize(burstPlan(sizeOf(text), times));
    say(`${sizeName(result.size)}: ratio ${ratioOf(result)}; ${JSON.stringify(result.operator.at(-1))}`);
    sizes.push(result);
  }
  const firstPod = parts.includes(FIRST_POD) ? await withOperator(async (plane) => measureFirstPod(plane, FULL.firstPod)) : undefined;
  if (firstPod !== undefined) {
    say(JSON.stringify(firstPod));
  }
  const recoveries = parts.includes(RECOVERY) ? await withOperator(async (plane, operator) => {
    const { recoveries: measured, operator: last } = await recover(plane, operator, FULL);
    measured.forEach((recovery) => say(JSON.stringify(recovery)));
    await last.stop();
    return measured;
  }) : undefined;
  return { sizes, firstPod, recoveries };
}

/** The same bursts by the clock of the peers' harness, whose program lies in a folder. */
async function measureByHarness(folder: string, size: Size, times: number): Promise<HarnessResult> {
  const harness = await PeersHarness.build(folder, size, say);
  try {
    await onFreshPlanes(HARNESS.planes, async (plane) => harness.measure(plane, times));
    return harness.result;
  } finally {
    harness.remove();
  }
}

/** Puts what was measured again into the results of a whole run. */
function mergeInto(file: string, { sizes, firstPod, recoveries }: Part): BenchResults {
  const whole = readResults(file);
  const again = [
    ...sizes.map(({ size }) => `the bursts of ${sizeName(size)}`), ...firstPod ? ['one job alone'] : [], ...recoveries ? ['the recovery'] : [],
  ];
  return {
    ...whole,
    sizes: whole.sizes.map((result) => sizes.find(({ size }) => sizeName(size) === sizeName(result.size)) ?? result),
    firstPod: firstPod ?? whole.firstPod,
    recoveries: recoveries ?? whole.recoveries,
    again: [...new Set([...whole.again ?? [], ...again])],
  };
}

function readResults(file: string): BenchResults {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as BenchResults;
}

/** Growing numbers of jobs. @param into file with the rows of former runs, which those of this run join */
async function growth(plan: GrowthPlan, operators: Operators, isWhole: boolean, into: string | undefined): Promise<void> {
  let rows: GrowthRow[] = into !== undefined && fs.existsSync(into) ? [...(JSON.parse(fs.readFileSync(into, 'utf8')) as GrowthResults).rows] : [];
  const results = (): GrowthResults => ({ machine: thisMachine(), rows });
  for (const size of plan.sizes) {
    const row = await measureGrowth(size, operators, plan);
    say(`${sizeName(size)}: ${JSON.stringify(row)}`);
    rows = withRows(rows, [row]);
    if (into !== undefined) {
      // A larger one may end with the memory of this machine.
      fs.writeFileSync(into, `${JSON.stringify(results(), null, 2)}\n`);
    }
  }
  process.stdout.write(`\n${renderGrowth(results())}\n`);
  if (isWhole || into !== undefined) {
    writeBetween(SCALE_PAGE, MARKS, renderGrowth(results()));
    say(`wrote ${SCALE_PAGE}`);
  }
}

function publish(results: BenchResults, file: string): void {
  fs.writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(`wrote ${file}`);
  process.stdout.write(`\n${renderResults(results)}\n`);
  if (!results.quick) {
    writeBetween(PAGE, MARKS, renderResults(results));
    say(`wrote ${PAGE}`);
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      into: { type: 'string' },
      harness: { type: 'string' },
      times: { type: 'string' },
      size: { type: 'string' },
      nodes: { type: 'string', default: String(GROWTH.nodes) },
      shards: { type: 'string', default: '1' },
      replicas: { type: 'string', default: '1' },
      json: { type: 'string', default: path.join(os.tmpdir(), 'bench-results.json') },
    },
  });
  const times = options.times === undefined ? undefined : Number(options.times);
  if (options.only === SCALE) {
    const sizes = options.size === undefined ? GROWTH.sizes : options.size.split(',').map(sizeOf);
    const plan = { ...GROWTH, sizes, nodes: Number(options.nodes), ...(options.quick && { idleSeconds: 5 }) };
    const operators = { shards: Number(options.shards), replicas: Number(options.replicas) };
    return growth(plan, operators, options.size === undefined && !options.quick, options.into);
  }
  if (options.only === DASHBOARD) {
    const before = os.loadavg()[0];
    const sizes = options.quick ? { jobs: 200, ranks: 100, recorded: 10_000 } : { jobs: 2_000, ranks: 1_000, recorded: 100_000 };
    const measured = await withOperator(async (plane, operator) => measureDashboard(plane, operator, sizes, say));
    const load = { before, after: os.loadavg()[0] };
    const text = renderDashboard(measured, { date: new Date().toISOString().slice(0, 10), machine: thisMachine(), load });
    process.stdout.write(`\n${text}\n`);
    if (!options.quick) {
      writeBetween(DASHBOARD_PAGE, MARKS, text);
      say(`wrote ${DASHBOARD_PAGE}`);
    }
    return;
  }
  if (options.only !== undefined) {
    const measured = await measureOnly(options.only.split(','), times);
    if (options.into !== undefined) {
      publish(mergeInto(options.into, measured), options.into);
    }
    return;
  }
  if (options.harness !== undefined) {
    const size = options.size === undefined ? HARNESS.size : sizeOf(options.size);
    const harness = await measureByHarness(path.resolve(options.harness), size, times ?? HARNESS.times);
    process.stdout.write(`\n${renderHarness(harness)}\n`);
    if (options.into !== undefined) {
      publish({ ...readResults(options.into), harness }, options.into);
    }
    return;
  }
  publish(await measure(options.quick ? QUICK : FULL, options.quick), options.json);
}

main().then(() => process.exit(0), (error: unknown) => {
  console.error(error);
  process.exit(1);
});
