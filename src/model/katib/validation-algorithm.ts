/** Rules on the algorithm of a search by Katib, on its numbers of trials and on the names that follow from both. */
import { KATIB_ALGORITHMS, hyperbandParallelTrials, katibAlgorithm, type KatibSetting } from './algorithms';
import type { KatibSearch } from './spec';
import { checkBaseName } from '../names';
import { fieldPath } from '../shapes';
import { AUTO_TUNING_DEFAULTS } from '../tuning/search';
import { SearchSpace } from '../tuning/search-space';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

const PATH = 'spec.autoTuning';

/** Length of an Experiment's name. @see https://github.com/kubeflow/katib/blob/v0.19.0/pkg/webhook/v1beta1/experiment/validator/validator.go */
const NAME_MAX_LENGTH = 40;

/** Settings that follow from other fields. */
const OURS: { readonly [setting: string]: string } = {
  random_state: `${PATH}.seed`, r_l: `${PATH}.budget.max`, eta: `${PATH}.budget.reductionFactor`, resource_name: `${PATH}.budget.parameter`,
};

export function validateKatibAlgorithm(search: KatibSearch): Violation[] {
  const violations = new ViolationCollector();
  const { tuning } = search;
  const { name } = katibAlgorithm(search);
  const known = KATIB_ALGORITHMS[name];
  if (known === undefined) {
    violations.add('katib.algorithm', name, `Katib's configuration has ${Object.keys(KATIB_ALGORITHMS).join(', ')}.${didYouMean(name, Object.keys(KATIB_ALGORITHMS))}`);
    return violations.violations;
  }
  validateSettings(search, name, violations);
  validateTrials(search, violations);
  checkBaseName(search.name, 'Services are named after it', violations, { length: NAME_MAX_LENGTH, because: 'Katib rejects longer names' });
  if (tuning.seed !== undefined && !known.seed) {
    violations.add(`${PATH}.seed`, tuning.seed, `Katib's ${name} does not accept a seed. Remove it, or choose another algorithm.`);
  } else if (tuning.seed !== undefined && tuning.seed < 0) {
    violations.add(`${PATH}.seed`, tuning.seed, 'Katib accepts seeds from 0 (random_state). Use another one.');
  }
  validateBudget(search, violations);
  validateEarlyStopping(search, violations);
  if (tuning.keepTrials !== undefined) {
    violations.add(`${PATH}.keepTrials`, tuning.keepTrials, 'Katib keeps the jobs of all trials or of none. Remove it, and set retainTrials to keep them all.');
  }
  return violations.violations;
}

function validateSettings({ settings: { algorithm }, tuning: { parameters } }: KatibSearch, name: string, violations: ViolationCollector): void {
  const { settings: known } = KATIB_ALGORITHMS[name];
  const settings = algorithm?.settings ?? {};
  for (const [setting, value] of Object.entries(settings)) {
    const path = fieldPath('katib.algorithm.settings', setting);
    if (Object.hasOwn(OURS, setting)) {
      violations.add(path, value, `is derived from ${OURS[setting]}. Set that one.`);
    } else if (!Object.hasOwn(known, setting)) {
      const names = Object.keys(known);
      const has = names.length === 0 ? 'has no settings' : `has ${names.join(', ')}`;
      violations.add(path, value, `Katib's ${name} ${has}.${didYouMean(setting, names)} Remove it.`);
    } else if (!isSetting(value, known[setting])) {
      violations.add(path, value, `must be ${described(known[setting])}, or Katib's ${name} does not run.`);
    }
  }
  const { acq_optimizer: optimizer, base_estimator: estimator = 'GP' } = settings;
  if (optimizer === 'lbfgs' && (estimator !== 'GP' || Object.values(parameters).every(({ values }) => values !== undefined))) {
    violations.add('katib.algorithm.settings.acq_optimizer', optimizer, 'needs base_estimator GP and a parameter with a range, or Katib\'s bayesianoptimization does not run. Remove it.');
  }
}

function isSetting(text: string, setting: KatibSetting): boolean {
  if ('oneOf' in setting) {
    return setting.oneOf.includes(text);
  }
  const value = text.trim() === '' ? NaN : Number(text);
  return 'least' in setting ? /^\d+$/.test(text) && value >= setting.least : value > setting.above && value < (setting.below ?? Infinity);
}

function described(setting: KatibSetting): string {
  if ('oneOf' in setting) {
    return `one of ${setting.oneOf.join(', ')}`;
  }
  return 'least' in setting ? `a whole number from ${setting.least}` : `a number above ${setting.above}${setting.below === undefined ? '' : ` and below ${setting.below}`}`;
}

/** Numbers that Katib compares with each other. */
function validateTrials({ tuning, settings }: KatibSearch, violations: ViolationCollector): void {
  const { maxTrials = AUTO_TUNING_DEFAULTS.maxTrials, parallelTrials, maxFailedTrials } = tuning;
  if (settings.algorithm?.name === 'grid') {
    const { dimensions, size } = new SearchSpace(tuning.parameters);
    for (const { name } of dimensions.filter(({ countable }) => !countable)) {
      violations.add(`${fieldPath(`${PATH}.parameters`, name)}.step`, undefined, 'is required: Katib rejects a grid of ranges without steps. Set it, or list the values.');
    }
    if (Number.isFinite(maxTrials) && maxTrials > size) {
      violations.add(`${PATH}.maxTrials`, maxTrials, `is more than the ${size} points of the grid, which Katib rejects. Lower it; in code, use TuningAlgorithm.grid().`);
    }
  }
  if (parallelTrials !== undefined && parallelTrials > maxTrials) {
    violations.add(`${PATH}.parallelTrials`, parallelTrials, `is more than maxTrials (${maxTrials}), which Katib rejects. Lower it.`);
  }
  if (maxFailedTrials !== undefined && maxFailedTrials > maxTrials) {
    violations.add(`${PATH}.maxFailedTrials`, maxFailedTrials, `is more than maxTrials (${maxTrials}), which Katib rejects. Lower it.`);
  }
}

function validateBudget({ tuning, settings }: KatibSearch, violations: ViolationCollector): void {
  const { budget, parameters, parallelTrials = AUTO_TUNING_DEFAULTS.parallelTrials } = tuning;
  if (budget === undefined) {
    if (settings.algorithm?.name === 'hyperband') {
      violations.add('katib.algorithm', 'hyperband', 'needs a budget: the settings r_l and resource_name in YAML, TuningAlgorithm.hyperband in code. Set it.');
    }
    return;
  }
  const path = `${PATH}.budget`;
  const { min, max, parameter, reductionFactor = AUTO_TUNING_DEFAULTS.budget.reductionFactor } = budget;
  if (parameter === undefined) {
    violations.add(`${path}.parameter`, undefined, 'is required with Katib, which gives trials their budget as a parameter. Name it, such as EPOCHS.');
  } else if (parameter in parameters) {
    violations.add(`${path}.parameter`, parameter, 'is already one of the search parameters. Remove it there.');
  }
  if (min !== undefined && min !== 1) {
    violations.add(`${path}.min`, min, 'Katib\'s hyperband begins with 1. Remove it, and count in larger units.');
  }
  if (!Number.isInteger(reductionFactor)) {
    violations.add(`${path}.reductionFactor`, reductionFactor, 'Katib accepts only whole numbers. Round it.');
    return;
  }
  const needed = hyperbandParallelTrials(max, reductionFactor);
  if (parallelTrials < needed) {
    violations.add(`${PATH}.parallelTrials`, parallelTrials, `Katib's hyperband starts ${needed} trials at once, and does not run with fewer. `
      + `Set it to ${needed}, or lower budget.max.`);
  }
}

function validateEarlyStopping({ tuning, settings: { startStep, collector } }: KatibSearch, violations: ViolationCollector): void {
  const { earlyStopping } = tuning;
  const stops = earlyStopping !== undefined && earlyStopping.enabled !== false;
  if (startStep !== undefined && !stops) {
    violations.add('katib.earlyStoppingStartStep', startStep, 'sets when trials may be stopped early, but early stopping is off. Set earlyStopping, or remove it.');
  } else {
    violations.whole('katib.earlyStoppingStartStep', startStep, 1, Infinity, ': the number of objective values.');
  }
  if (!stops) {
    return;
  }
  if (earlyStopping.minProgressPercentage !== undefined) {
    violations.add(`${PATH}.earlyStopping.minProgressPercentage`, earlyStopping.minProgressPercentage,
      'Katib does not see progress, but counts objective values. Remove it, and set earlyStoppingStartStep.');
  }
  if (collector.kind !== 'StdOut' && collector.kind !== 'File') {
    violations.add(`${PATH}.earlyStopping`, collector.kind, 'Katib stops trials early only if its collector reads what they print or write to a file. '
      + 'Use KatibMetrics.stdOut or KatibMetrics.file, or remove it.');
  }
}
