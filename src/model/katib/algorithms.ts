/**
 * Katib's algorithms, and what each makes of a parameter. Its webhook takes any parameter with any algorithm; the services behind it pass over what
 * they do not know, so that a search would go through another space than the one that was written.
 * @see https://github.com/kubeflow/katib/tree/v0.19.0/pkg/suggestion/v1beta1
 */
import type { KatibAlgorithmSpec, KatibSearch } from './spec';
import { AUTO_TUNING_DEFAULTS } from '../tuning/search';

/** What an algorithm does with the fields of a parameter. */
export interface KatibAlgorithm {
  /** Library behind it, for messages. */
  readonly library: string;
  /** Logarithmic scales of fractions: as written, none, or on every fraction whether it is written or not. */
  readonly logFloats: 'written' | 'never' | 'always';
  readonly logInts: boolean;
  readonly steps: boolean;
  readonly seed: boolean;
  /** Settings in addition to the seed that its service knows. */
  readonly settings: readonly string[];
}

/** By the name that Katib has for it, as its shipped configuration lists them. */
export const KATIB_ALGORITHMS: { readonly [name: string]: KatibAlgorithm } = {
  'random': { library: 'Hyperopt', logFloats: 'written', logInts: true, steps: true, seed: true, settings: [] },
  'tpe': { library: 'Hyperopt', logFloats: 'written', logInts: true, steps: true, seed: true, settings: ['gamma', 'prior_weight', 'n_EI_candidates'] },
  'grid': { library: 'Optuna', logFloats: 'written', logInts: true, steps: true, seed: true, settings: [] },
  'multivariate-tpe': {
    library: 'Optuna', logFloats: 'written', logInts: true, steps: true, seed: true, settings: ['n_startup_trials', 'n_ei_candidates'],
  },
  // https://github.com/kubeflow/katib/issues/2688: neither library got the scale in 0.19.
  'bayesianoptimization': {
    library: 'Scikit-Optimize', logFloats: 'always', logInts: false, steps: false, seed: true,
    settings: ['base_estimator', 'n_initial_points', 'acq_func', 'acq_optimizer'],
  },
  'cmaes': { library: 'Goptuna', logFloats: 'never', logInts: false, steps: true, seed: true, settings: ['sigma', 'restart_strategy'] },
  'sobol': { library: 'Goptuna', logFloats: 'never', logInts: false, steps: true, seed: false, settings: [] },
  'hyperband': { library: 'Katib', logFloats: 'never', logInts: false, steps: false, seed: false, settings: ['eta', 'r_l', 'resource_name'] },
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
