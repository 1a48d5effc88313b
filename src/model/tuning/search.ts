/** A search with all defaults filled in, and what is known of its trials: the two things that a suggestion follows from. */
import { SearchSpace, type Point } from './search-space';
import type { AutoTuningSpec } from '../training-job/fields/features';

export type SearchAlgorithm = NonNullable<AutoTuningSpec['algorithm']>;

/** Defaults of `spec.autoTuning`, also written into the CRD's schema and the docs. */
export const AUTO_TUNING_DEFAULTS = {
  algorithm: 'bayesian',
  maxTrials: 20,
  parallelTrials: 1,
  goal: 'maximize',
  keepTrials: 20,
  budget: { min: 1, reductionFactor: 3 },
  earlyStopping: { minTrials: 3, minProgressPercentage: 20 },
} as const;

export interface SearchBudget {
  readonly min: number;
  readonly max: number;
  readonly reductionFactor: number;
}

/** `spec.autoTuning` with its defaults. */
export interface Search {
  readonly space: SearchSpace;
  readonly algorithm: SearchAlgorithm;
  readonly objective: string;
  readonly goal: 'maximize' | 'minimize';
  /** Trials at most: `maxTrials`, or the number of points when there are fewer. */
  readonly maxTrials: number;
  readonly parallelTrials: number;
  readonly maxFailedTrials: number;
  readonly keepTrials: number;
  readonly target?: number;
  readonly seed: string;
  /** With hyperband only. */
  readonly budget?: SearchBudget;
  /** @default - trials are not stopped early */
  readonly earlyStopping?: { readonly minTrials: number; readonly minProgressPercentage: number };
}

/** A trial: one training with one point. */
export interface Trial {
  /** From 1. */
  readonly number: number;
  readonly point: Point;
  /** With hyperband: how much training it gets. */
  readonly budget?: number;
  /** With hyperband: the first trial of this point, from whose checkpoints this one continues with a larger budget. @default - it is the first */
  readonly continues?: number;
}

export interface FinishedTrial extends Trial {
  /** Its objective; absent when it failed. */
  readonly value?: number;
}

/** What a suggestion rests on. */
export interface SearchHistory {
  /** Trials that have ended, or those of them that are remembered, in any order. */
  readonly finished: readonly FinishedTrial[];
  /** Trials that are under way. */
  readonly active: readonly Trial[];
  /** Number of the trial that is asked for. */
  readonly next: number;
}

/**
 * Fills the defaults in.
 * @param spec a valid `spec.autoTuning`
 * @param defaultSeed seed of a search that names none
 */
export function resolveSearch(spec: AutoTuningSpec, defaultSeed: string): Search {
  const space = new SearchSpace(spec.parameters);
  const algorithm = spec.algorithm ?? AUTO_TUNING_DEFAULTS.algorithm;
  const maxTrials = spec.maxTrials ?? AUTO_TUNING_DEFAULTS.maxTrials;
  const { earlyStopping, budget } = spec;
  return {
    space,
    algorithm,
    objective: spec.objective,
    goal: spec.goal ?? AUTO_TUNING_DEFAULTS.goal,
    // With hyperband a point is tried again with more budget.
    maxTrials: algorithm === 'hyperband' ? maxTrials : Math.min(maxTrials, space.size),
    parallelTrials: spec.parallelTrials ?? AUTO_TUNING_DEFAULTS.parallelTrials,
    maxFailedTrials: spec.maxFailedTrials ?? defaultMaxFailedTrials(maxTrials),
    keepTrials: spec.keepTrials ?? AUTO_TUNING_DEFAULTS.keepTrials,
    target: spec.target,
    seed: spec.seed === undefined ? defaultSeed : String(spec.seed),
    budget: budget && {
      min: budget.min ?? AUTO_TUNING_DEFAULTS.budget.min,
      max: budget.max,
      reductionFactor: budget.reductionFactor ?? AUTO_TUNING_DEFAULTS.budget.reductionFactor,
    },
    earlyStopping: earlyStopping && earlyStopping.enabled !== false ? {
      minTrials: earlyStopping.minTrials ?? AUTO_TUNING_DEFAULTS.earlyStopping.minTrials,
      minProgressPercentage: earlyStopping.minProgressPercentage ?? AUTO_TUNING_DEFAULTS.earlyStopping.minProgressPercentage,
    } : undefined,
  };
}

/** A quarter of the trials, and at least three: some values crash a training, and a script that always crashes should not do it a hundred times. */
function defaultMaxFailedTrials(maxTrials: number): number {
  return Math.max(3, Math.floor(maxTrials / 4));
}

/** Whether one value of the objective is better than another. */
export function isBetter(goal: Search['goal'], value: number, than: number): boolean {
  return goal === 'maximize' ? value > than : value < than;
}

/** Sorts the best first; trials that failed last; equal ones by number. */
export function order(goal: Search['goal'], a: FinishedTrial, b: FinishedTrial): number {
  if (a.value === undefined || b.value === undefined || a.value === b.value) {
    return Number(a.value === undefined) - Number(b.value === undefined) || a.number - b.number;
  }
  return isBetter(goal, a.value, b.value) ? -1 : 1;
}
