/** Results as the tables of docs/performance.md. */
import { totalOf } from './audit-log';
import type { BurstTimes, OperatorBurst } from './burst';
import type { FirstPod } from './first-pod';
import type { BenchResults, HarnessResult, SizeResult } from './results';
import { median, rounded } from './statistics';
import { sizeName } from './workload';
import { markdownTable } from '../page';

/** Times of the peers, as ../shared/bench/README.md has them: measured there, at another time, on the same kind of machine. */
const PEERS: { readonly [size: string]: readonly [v1: string, jobSet: string, trainer: string] } = {
  '100 x 4': ['6.6 / 9.4', '12.5 / 13.4', '14.7 / 15.6'],
  '500 x 4': ['40.4 / 56.8', '60.8 / 64.4', '96.3 / 100.1'],
  '50 x 64': ['65.1 / 84.2', '48.8 / 80.1', '46.9 / 69.8'],
  '1 x 1000': ['13.6 / 20.1', '9.4 / 17.4', '8.8 / 16.4'],
};

/** Requests that an operator may make for a job beside one for each pod and service. */
export const REQUESTS_ALLOWED = 4;

/** All tables. */
export function renderResults(results: BenchResults): string {
  return [
    renderMachine(results), '### Peers', renderPeers(results.sizes), '### Bursts', renderBursts(results.sizes),
    ...(results.harness ? ['### By the peers\' harness', renderHarness(results.harness)] : []),
    ...(results.firstPod ? ['### One job on an idle operator', renderFirstPod(results.firstPod)] : []),
    '### Requests and cost', renderRequests(results.sizes), '### Recovery', renderRecovery(results),
    '### Many jobs', renderPopulation(results),
  ].join('\n\n');
}

function renderMachine({ date, machine, load, quick, again = [] }: BenchResults): string {
  const { cpu, cores, memoryGiB, node, kubernetes } = machine;
  return `Measured on ${date}: ${cores} cores of ${cpu}, ${memoryGiB} GiB, Node.js ${node.slice(1)}, Kubernetes ${kubernetes.slice(1)}, 200 KWOK nodes. `
    + `Load average before ${load.before.toFixed(1)}, after ${load.after.toFixed(1)}.${quick ? ' **A quick run: its numbers prove nothing.**' : ''}`
    + (again.length > 0 ? ` Measured again afterwards, by itself: ${again.join(', ')}.` : '');
}

/** How many times as long as the bare client the operator takes to all pods: medians of a size. */
export function ratioOf({ bare, operator }: SizeResult): number {
  return rounded(of(operator, (burst) => burst.toAllPods) / of(bare, (burst) => burst.toAllPods));
}

/** Of each turn of the operator to the bare client's before it: how much a single one says. */
function rangeOfRatios({ bare, operator }: SizeResult): string {
  const ratios = operator.map((burst, turn) => rounded(burst.toAllPods / bare[turn].toAllPods));
  return `${Math.min(...ratios)} to ${Math.max(...ratios)}`;
}

function renderBursts(sizes: readonly SizeResult[]): string {
  return markdownTable(
    ['jobs x pods', 'runs', 'bare: all pods / all Running', 'operator: all pods / all Running', 'ratio to all pods (of single turns)', 'per job p50 / p99, bare', 'per job p50 / p99, operator'],
    sizes.map((result) => {
      const { size, bare, operator } = result;
      return [
        sizeName(size), operator.length,
        `${of(bare, (burst) => burst.toAllPods)} / ${of(bare, (burst) => burst.toAllPodsRunning)} s`,
        `${of(operator, (burst) => burst.toAllPods)} / ${of(operator, (burst) => burst.toAllJobsRunning)} s`,
        `${ratioOf(result)} (${rangeOfRatios(result)})`,
        `${of(bare, (burst) => burst.perJobP50)} / ${of(bare, (burst) => burst.perJobP99)} s`,
        `${of(operator, (burst) => burst.perJobP50)} / ${of(operator, (burst) => burst.perJobP99)} s`,
      ];
    }),
  );
}

/** One size by two clocks. */
export function renderHarness({ size, bareOfHarness, bare, operator }: HarnessResult): string {
  const row = (name: string, runs: readonly number[]) =>
    [name, `${rounded(median(runs))} s`, `${Math.min(...runs)} to ${Math.max(...runs)} s`, rounded(median(operator) / median(runs))];
  return markdownTable([`${sizeName(size)}, ${operator.length} runs in turns`, 'to all pods', 'range', 'the operator takes times as long'], [
    row('operator, by the harness', operator),
    row('bare client of the same objects, by this bench', bare),
    row('bare client of the harness: smaller objects, stopped at the last answer', bareOfHarness),
  ]);
}

function renderFirstPod({ jobs, podsPerJob, firstP50, firstP99, allP50, allP99 }: FirstPod): string {
  return markdownTable([`${jobs} jobs of ${podsPerJob} pods, one after the other`, 'p50', 'p99'], [
    ['from the request for the job to its first pod', `${firstP50} s`, `${firstP99} s`], ['to all of its pods', `${allP50} s`, `${allP99} s`],
  ]);
}

function renderRequests(sizes: readonly SizeResult[]): string {
  return markdownTable(
    ['jobs x pods', 'requests per job', 'allowed', 'by kind, all jobs', 'CPU s of the operator (bare client)', 'CPU s of the API server (bare)', 'memory / peak'],
    sizes.map(({ size, bare, operator }) => {
      const last = operator[operator.length - 1];
      return [
        sizeName(size),
        of(operator, (burst) => burst.requestsPerJob),
        size.pods + last.servicesPerJob + REQUESTS_ALLOWED,
        Object.entries(last.requests).map(([name, count]) => `${count} ${name}`).join(', ') || totalOf(last.requests),
        `${of(operator, (burst) => burst.cpu.operator)} (${of(bare, (burst) => burst.cpu.bench)})`,
        `${of(operator, (burst) => burst.cpu['kube-apiserver'])} (${of(bare, (burst) => burst.cpu['kube-apiserver'])})`,
        `${last.residentMiB} / ${last.peakMiB} MiB`,
      ];
    }),
  );
}

function renderRecovery({ recoveries, stepsLost }: BenchResults): string {
  const rows = recoveries.map(({ loss, jobs, createdP50, createdP99, runningP50, runningP99 }) =>
    [loss === 'operator' ? 'operator (SIGKILL) and a pod at once' : loss, jobs, `${createdP50} / ${createdP99} s`, `${runningP50} / ${runningP99} s`]);
  const { kills, interval, mean, p50, p99, most, restartP50, restartP99 } = stepsLost;
  return `${markdownTable(['lost', 'jobs hit', 'replacement created p50 / p99', 'job Running again p50 / p99'], rows)}\n\n`
    + `Steps lost per kill, of a process that saves a checkpoint every ${interval} steps, killed ${kills} times: mean ${mean}, p50 ${p50}, p99 ${p99}, most ${most}; `
    + `the next process starts after ${restartP50} s (p50) and ${restartP99} s (p99).`;
}

function renderPopulation({ idle, coldList, finished }: BenchResults): string {
  return markdownTable(['what', 'measured'], [
    [`${idle.jobs} running jobs of ${idle.podsPerJob} pod, nothing happens for ${idle.seconds} s`, `${idle.cpuSeconds} CPU s, ${idle.residentMiB} MiB`],
    [`cold list of ${coldList.running + coldList.finished} jobs (${coldList.running} running, ${coldList.finished} finished): process start to ready`,
      `${coldList.readyMedian} s (${coldList.readySeconds.join(', ')}); ${coldList.residentMiB} MiB, peak ${coldList.peakMiB}`],
    [`${finished.finished} finished jobs`, `${finished.residentMiB} MiB, peak ${finished.peakMiB}; ready in ${finished.readyMedian} s`],
  ]);
}

function renderPeers(sizes: readonly SizeResult[]): string {
  const rows = sizes.filter(({ size }) => PEERS[sizeName(size)] !== undefined).map(({ size, operator }) => [
    sizeName(size), `${of(operator, (burst) => burst.toAllPods)} / ${of(operator, (burst) => burst.toAllJobsRunning)}`, ...PEERS[sizeName(size)],
  ]);
  return markdownTable(['seconds to all pods / all Running', 'Trainyard, here', 'training-operator v1.9.4', 'JobSet 0.12', 'Trainer 2.3 + JobSet'], rows);
}

/** The median of a number over the runs of a size. */
function of<T extends BurstTimes | OperatorBurst>(runs: readonly T[], value: (run: T) => number): number {
  return rounded(median(runs.map(value)));
}
