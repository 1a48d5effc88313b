/** Results as the tables of docs/performance.md. */
import type { ColdResult, ColdRun, WarmResult } from './measure';
import { LIMIT_JOBS, LIMIT_RATIO } from './plan';
import { markdownTable } from '../page';
import type { Machine } from '../scale/results';
import { median, rounded } from '../scale/statistics';

/** All results. */
export interface SynthResults {
  readonly date: string;
  readonly machine: Machine;
  readonly load: { readonly before: number; readonly after: number };
  readonly quick: boolean;
  /** Of cdk8s. */
  readonly cdk8s: string;
  /** What the column of kustomize says at its head. */
  readonly kustomize: string;
  readonly cold: readonly ColdResult[];
  readonly warm: readonly WarmResult[];
}

/** All tables. */
export function renderResults(results: SynthResults): string {
  const { date, machine, load, quick, cdk8s, cold } = results;
  const oneChart = cold.filter(({ size }) => size.charts === 1);
  return [
    `Measured on ${date}: ${machine.cores} cores of ${machine.cpu}, Node.js ${machine.node.slice(1)}, cdk8s ${cdk8s}. `
    + `Load average before ${load.before.toFixed(1)}, after ${load.after.toFixed(1)}.${quick ? ' **A quick run: its numbers prove nothing.**' : ''}`,
    'First synth, in a process of its own (medians):',
    coldTable(oneChart, results.kustomize),
    growthLine(oneChart),
    'The whole of these processes, and synths in a process that has made 3,000 jobs before:',
    processTable(oneChart, results.warm),
    'First synth, each job in a chart of its own:',
    coldTable(cold.filter(({ size }) => size.charts > 1), undefined),
  ].join('\n\n');
}

/** How many times as long as raw objects typed ones take at the size that the limit is about: medians. NaN when it was not measured. */
export function limitRatios({ cold, warm }: SynthResults): { readonly cold: number; readonly warm: number } {
  const coldest = cold.find(({ size }) => size.jobs === LIMIT_JOBS && size.charts === 1);
  const warmest = warm.find(({ size }) => size.jobs === LIMIT_JOBS && size.charts === 1);
  return {
    cold: coldest ? ratio(coldest, (run) => run.synth.wallMs) : NaN,
    warm: warmest ? ratio(warmest, (turn) => turn.wallMs) : NaN,
  };
}

/** A line that says whether the limit holds. */
export function verdict(results: SynthResults): string {
  const { cold, warm } = limitRatios(results);
  const holds = cold <= LIMIT_RATIO && warm <= LIMIT_RATIO;
  return `${LIMIT_JOBS} jobs: the first synth takes ${cold} times as long as raw objects, a warm one ${warm} times; `
    + `the limit of ${LIMIT_RATIO} ${holds ? 'holds' : 'DOES NOT HOLD'}`;
}

function coldTable(cold: readonly ColdResult[], kustomize: string | undefined): string {
  const head = ['jobs', 'charts', 'runs', 'raw `ApiObject`s', '`TrainingJob`s', 'ratio', 'ratio of CPU time'];
  const rows = cold.map((result) => {
    const { size, raw, typed } = result;
    return [
      size.jobs, size.charts, typed.length,
      timeAndPerJob(raw.map((run) => run.synth.wallMs), size.jobs), timeAndPerJob(typed.map((run) => run.synth.wallMs), size.jobs),
      ratio(result, (run) => run.synth.wallMs), ratio(result, (run) => run.synth.cpuMs),
    ];
  });
  if (kustomize === undefined) {
    return markdownTable(head, rows);
  }
  return markdownTable([...head, kustomize], rows.map((cells, index) => [...cells, kustomizeCell(cold[index])]));
}

function kustomizeCell({ kustomize, size }: ColdResult): string {
  const times = kustomize.map((run) => run?.wallMs ?? Infinity);
  if (times.length === 0) {
    return '';
  }
  return median(times) === Infinity ? 'over 2 minutes' : `${timeAndPerJob(times, size.jobs)}${times.length === 1 ? ', one run' : ''}`;
}

function processTable(cold: readonly ColdResult[], warm: readonly WarmResult[]): string {
  const head = ['jobs', 'imports, raw / typed', 'process, raw / typed', 'ratio', 'warm synth, raw / typed', 'ratio', 'ratio of CPU time'];
  return markdownTable(head, cold.map((result) => {
    const again = warm.find(({ size }) => size.jobs === result.size.jobs && size.charts === result.size.charts);
    return [
      result.size.jobs,
      pair(result, (run) => run.imports.wallMs),
      pair(result, (run) => run.wallMs), ratio(result, (run) => run.wallMs),
      ...again ? [pair(again, (turn) => turn.wallMs), ratio(again, (turn) => turn.wallMs), ratio(again, (turn) => turn.cpuMs)] : ['', '', ''],
    ];
  }));
}

/** Growth between the two largest sizes, as the exponent of the number of jobs: 1 is linear. */
function growthLine(cold: readonly ColdResult[]): string {
  const [smaller, larger] = [...cold].sort((one, other) => one.size.jobs - other.size.jobs).slice(-2);
  const time = (runs: readonly ColdRun[]) => median(runs.map((run) => run.synth.wallMs));
  const exponent = (of: (result: ColdResult) => readonly ColdRun[]) =>
    rounded(Math.log(time(of(larger)) / time(of(smaller))) / Math.log(larger.size.jobs / smaller.size.jobs));
  return `From ${smaller.size.jobs} to ${larger.size.jobs} jobs the first synth grows with the number of jobs to the power of ${exponent(({ raw }) => raw)} (raw) `
    + `and ${exponent(({ typed }) => typed)} (typed); 1 is linear.`;
}

interface Pair<T> {
  readonly raw: readonly T[];
  readonly typed: readonly T[];
}

function ratio<T>({ raw, typed }: Pair<T>, value: (run: T) => number): number {
  return Number((median(typed.map(value)) / median(raw.map(value))).toFixed(2));
}

function pair<T>({ raw, typed }: Pair<T>, value: (run: T) => number): string {
  return `${Math.round(median(raw.map(value)))} / ${Math.round(median(typed.map(value)))} ms`;
}

function timeAndPerJob(times: readonly number[], jobs: number): string {
  const wallMs = median(times);
  return `${wallMs < 1000 ? `${Math.round(wallMs)} ms` : `${rounded(wallMs / 1000)} s`} (${Math.round((wallMs * 1000) / jobs)} µs)`;
}
