/**
 * Katib's algorithms, and what each makes of a parameter. Its webhook takes any parameter with any algorithm; the services behind it pass over what
 * they do not know, so that a search would go through another space than the one that was written.
 * @see https://github.com/kubeflow/katib/tree/v0.19.0/pkg/suggestion/v1beta1
 */
import type { KatibAlgorithmSpec, KatibSearch } from './spec';
import { AUTO_TUNING_DEFAULTS } from '../tuning/search';

/** Values that a setting accepts: one of several texts, a whole number from `least`, or a number between `above` and `below`, both excluded. */
export type KatibSetting = { readonly oneOf: readonly string[] } | { readonly least: number } | { readonly above: number; readonly below?: number };

/** What an algorithm does with the fields of a parameter. */
export interface KatibAlgorithm {
  /** Library behind it, for messages. */
  readonly library: string;
  /** Logarithmic scales of fractions: as written, none, or on every fraction whether it is written or not. */
  readonly logFloats: 'written' | 'never' | 'always';
  readonly logInts: boolean;
  /**
   * Values of a range with a step: `min` plus whole steps; the same, but rounded past `max`; multiples of the step, which can be outside the range;
   * or any value.
   */
  readonly steps: 'from min' | 'past max' | 'multiples' | 'never';
  readonly seed: boolean;
  /** Settings that its library runs with; its service accepts more. Without the seed, and without those that follow from the budget. */
  readonly settings: { readonly [name: string]: KatibSetting };
}

/** By the name that Katib has for it, as its shipped configuration lists them. */
export const KATIB_ALGORITHMS: { readonly [name: string]: KatibAlgorithm } = {
  'random': { library: 'Hyperopt', logFloats: 'written', logInts: true, steps: 'multiples', seed: true, settings: {} },
  'tpe': {
    library: 'Hyperopt', logFloats: 'written', logInts: true, steps: 'multiples', seed: true,
    settings: { gamma: { above: 0, below: 1 }, prior_weight: { above: 0 }, n_EI_candidates: { least: 1 } },
  },
  'grid': { library: 'Optuna', logFloats: 'written', logInts: true, steps: 'from min', seed: true, settings: {} },
  'multivariate-tpe': {
    library: 'Optuna', logFloats: 'written', logInts: true, steps: 'from min', seed: true, settings: { n_startup_trials: { least: 0 }, n_ei_candidates: { least: 1 } },
  },
  // https://github.com/kubeflow/katib/issues/2688: neither library got the scale in 0.19.
  'bayesianoptimization': {
    library: 'Scikit-Optimize', logFloats: 'always', logInts: false, steps: 'never', seed: true,
    settings: {
      base_estimator: { oneOf: ['GP', 'RF', 'ET', 'GBRT'] },
      n_initial_points: { least: 1 },
      acq_func: { oneOf: ['gp_hedge', 'LCB', 'EI', 'PI'] },
      acq_optimizer: { oneOf: ['auto', 'sampling', 'lbfgs'] },
    },
  },
  'cmaes': {
    library: 'Goptuna', logFloats: 'never', logInts: false, steps: 'past max', seed: true, settings: { sigma: { above: 0 }, restart_strategy: { oneOf: ['none', 'ipop', 'bipop'] } },
  },
  'sobol': { library: 'Goptuna', logFloats: 'never', logInts: false, steps: 'past max', seed: false, settings: {} },
  'hyperband': { library: 'Katib', logFloats: 'never', logInts: false, steps: 'never', seed: false, settings: {} },
};

const NAMES = { bayesian: 'bayesianoptimization', random: 'random', grid: 'grid', hyperband: 'hyperband' } as const;

/** The algorithm of a search, with the settings that follow from it. */
export function katibAlgorithm({ tuning, settings }: Pick<KatibSearch, 'tuning' | 'settings'>): KatibAlgorithmSpec {
  const { budget, seed } = tuning;
  const seeded: { readonly [name: string]: string } = seed === undefined ? {} : { random_state: String(seed) };
  if (settings.algorithm !== undefined) {
    return { name: settings.algorithm.name, settings: { ...seeded, ...settings.algorithm.settings } };
  }
  const name = NAMES[tuning.algorithm ?? AUTO_TUNING_DEFAULTS.algorithm];
  return {
    name,
    settings: budget === undefined ? seeded : {
      ...seeded,
      r_l: String(budget.max),
      eta: String(budget.reductionFactor ?? AUTO_TUNING_DEFAULTS.budget.reductionFactor),
      resource_name: budget.parameter ?? '',
    },
  };
}

/** Trials that Katib's hyperband starts at once, as its service counts them. */
export function hyperbandParallelTrials(max: number, reductionFactor: number): number {
  return Math.ceil(reductionFactor ** Math.floor(Math.log(max) / Math.log(reductionFactor)));
}
