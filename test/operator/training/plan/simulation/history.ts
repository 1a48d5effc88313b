/** One random history: a job lives through chaos, then there is peace, and everything has to end well. The seed decides everything. */
import { Chaos } from './chaos';
import { count, type FaultCounts } from './fault-counts';
import { InvariantViolation } from './invariants';
import { makePeace } from './peace';
import { JOB_NAME, randomSpec } from './random-job';
import { World, type HistoryOptions } from './world';

/** How a history went. */
export interface HistoryResult {
  /** Phase and reason in which the job ended; `Deleted` when it was gone before. */
  readonly outcome: string;
  readonly restarts: number;
  readonly disruptions: number;
  /** Pods that there ever were. */
  readonly pods: number;
  /** What went wrong, and how often. */
  readonly faults: FaultCounts;
}

/** Lines of a trace that a failure tells; of a world that never comes to rest there are thousands. */
const MAX_TRACE = 250;

/** A history that broke an invariant, with all that is needed to see why. */
export class HistoryFailure extends Error {
  public constructor(public readonly seed: number, public readonly steps: number, public readonly violation: Error, trace: readonly string[]) {
    super(`${violation.message}\n(seed ${seed}, ${steps} steps of chaos)${trace.length > 0 ? `\n  ${trace.slice(0, MAX_TRACE).join('\n  ')}` : ''}`, { cause: violation });
  }

  /** Name of the broken invariant. */
  public get invariant(): string {
    return this.violation instanceof InvariantViolation ? this.violation.invariant : this.violation.message;
  }
}

/** Of a history that {@link HistoryOptions.only} leaves out. */
const LEFT_OUT: HistoryResult = { outcome: 'Left out', restarts: 0, disruptions: 0, pods: 0, faults: new Map() };

/** Runs a history. @throws HistoryFailure */
export async function runHistory(options: HistoryOptions): Promise<HistoryResult> {
  const world = new World(options);
  const chaos = new Chaos(world, options);
  try {
    const spec = randomSpec(world.random);
    if (options.only?.(spec) === false) {
      return LEFT_OUT;
    }
    world.trace(() => JSON.stringify(spec));
    world.server.createJob(JOB_NAME, spec);
    world.startOperator();
    await chaos.run();
    const status = await makePeace(world);
    const reason = status?.conditions?.find((condition) => condition.type === 'Succeeded' || condition.type === 'Failed')?.reason;
    return {
      outcome: status === undefined ? 'Deleted' : `${status.phase}: ${reason}`,
      restarts: status?.restarts ?? 0,
      disruptions: status?.disruptions ?? 0,
      pods: world.nodes.truth.size,
      faults: world.client.faults,
    };
  } catch (error) {
    throw new HistoryFailure(options.seed, chaos.stepsDone, error as Error, world.traceLines);
  }
}

/** Runs a history that fails again with as little chaos as possible, and takes down what happens. */
export async function explainFailure(failure: HistoryFailure, options: HistoryOptions): Promise<Error> {
  for (let steps = 0; steps <= failure.steps; steps++) {
    try {
      await runHistory({ ...options, steps, traced: true });
    } catch (error) {
      return error as Error;
    }
  }
  return failure;
}

/** Numbers over many histories. */
export interface HistoriesSummary {
  readonly outcomes: ReadonlyMap<string, number>;
  readonly restarts: number;
  readonly disruptions: number;
  readonly pods: number;
  readonly faults: FaultCounts;
}

/** Adds up numbers. */
export function mergeSummaries(summaries: readonly HistoriesSummary[]): HistoriesSummary {
  const outcomes = new Map<string, number>();
  const faults: FaultCounts = new Map();
  for (const summary of summaries) {
    summary.outcomes.forEach((times, outcome) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times));
    summary.faults.forEach((times, kind) => count(faults, kind, times));
  }
  const sum = (field: 'restarts' | 'disruptions' | 'pods') => summaries.reduce((total, summary) => total + summary[field], 0);
  return { outcomes, faults, restarts: sum('restarts'), disruptions: sum('disruptions'), pods: sum('pods') };
}

/** Runs the histories of `times` seeds. @throws HistoryFailure of the first that breaks an invariant, explained */
export async function runHistories(firstSeed: number, times: number, options: Omit<HistoryOptions, 'seed'> = {}): Promise<HistoriesSummary> {
  const outcomes = new Map<string, number>();
  const faults: FaultCounts = new Map();
  let [restarts, disruptions, pods] = [0, 0, 0];
  for (let seed = firstSeed; seed < firstSeed + times; seed++) {
    let result: HistoryResult;
    try {
      result = await runHistory({ ...options, seed });
    } catch (error) {
      throw await explainFailure(error as HistoryFailure, { ...options, seed });
    }
    outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);
    result.faults.forEach((number, kind) => count(faults, kind, number));
    restarts += result.restarts;
    disruptions += result.disruptions;
    pods += result.pods;
  }
  return { outcomes, restarts, disruptions, pods, faults };
}
