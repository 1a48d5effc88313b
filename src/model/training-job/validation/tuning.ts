/** Rules on `spec.autoTuning`: the search space, what each algorithm needs, and that every trial would be a valid job. */
import { MAX_PARALLEL_TRIALS, type AutoTuningSpec, type TuningParameterSpec } from '../fields/features';
import type { TrainingJobSpec } from '../spec';
import { hyperbandDepth, largestRung } from '../../tuning/hyperband';
import { HYPERBAND_MAX_RUNG } from '../../tuning/memory';
import { AUTO_TUNING_DEFAULTS } from '../../tuning/search';
import { SearchSpace } from '../../tuning/search-space';
import { isSearch, searchOf, trialSpec, trialValues, upperSnake } from '../../tuning/trial-spec';
import { inTermsOf, trialJobName } from '../../names';
import { fieldPath } from '../../shapes';
import { ViolationCollector, type Violation } from '../../violations';

const MAX_PARAMETERS = 64;

/** Longest name of a parameter, and longest text among its values; the status of the job repeats those of the best trial. */
const MAX_NAME_LENGTH = 63;
const MAX_VALUE_LENGTH = 128;

const PATH = 'spec.autoTuning';
const PARAMETERS = `${PATH}.parameters`;

/** Checks the rules of any job; `validation.ts`, which this file cannot import without a circle. */
export type ValidateJob = (name: string, spec: TrainingJobSpec) => Violation[];

/** Checks the search of a job whose shape is right. */
export function validateTuning(name: string, spec: TrainingJobSpec, validateJob: ValidateJob): Violation[] {
  const tuning = spec.autoTuning;
  if (tuning === undefined) {
    return [];
  }
  const violations = new ViolationCollector();
  const names = Object.keys(tuning.parameters);
  if (!isSearch(spec)) {
    // The definition does not ask whether the search is enabled before it looks at its parts.
    names.forEach((parameter) => validateParameter(parameter, tuning.parameters[parameter], violations));
    if (tuning.budget !== undefined) {
      validateBudget(tuning.budget, violations);
    }
    return violations.violations;
  }
  if (names.length === 0 || names.length > MAX_PARAMETERS) {
    violations.add(PARAMETERS, names.length, `a search has 1 to ${MAX_PARAMETERS} parameters.`);
  }
  names.forEach((parameter) => validateParameter(parameter, tuning.parameters[parameter], violations));
  validateNames(tuning, violations);
  if ((tuning.parallelTrials ?? 1) > MAX_PARALLEL_TRIALS) {
    violations.add(`${PATH}.parallelTrials`, tuning.parallelTrials, `at most ${MAX_PARALLEL_TRIALS} trials run at a time.`);
  }
  if (violations.violations.length === 0) {
    validateAlgorithm(tuning, violations);
  }
  return violations.violations.length > 0 ? violations.violations : validateTrial(name, spec, validateJob);
}

function validateParameter(name: string, spec: TuningParameterSpec, violations: ViolationCollector): void {
  const path = fieldPath(PARAMETERS, name);
  const range = [spec.min, spec.max, spec.step].some((field) => field !== undefined);
  if (spec.values !== undefined) {
    if (range || spec.scale === 'log') {
      violations.add(`${path}.values`, spec.values, 'cannot be combined with a range (min, max, step or scale). Remove one of the two.');
    }
    validateValues(path, spec, spec.values, violations);
    return;
  }
  if (spec.type === 'categorical') {
    violations.add(`${path}.values`, undefined, 'are required: a categorical parameter lists its values.');
    return;
  }
  if (spec.min === undefined || spec.max === undefined) {
    violations.add(spec.min === undefined ? `${path}.min` : `${path}.max`, undefined, 'is required: give min and max, or values.');
    return;
  }
  if (!(spec.min < spec.max)) {
    violations.add(`${path}.max`, spec.max, `must be more than min (${spec.min}).`);
  }
  if (spec.step !== undefined && !(spec.step > 0 && spec.step <= spec.max - spec.min)) {
    violations.add(`${path}.step`, spec.step, `must be more than 0 and fit between min and max (${spec.min} to ${spec.max}).`);
  }
  if (spec.scale === 'log' && !(spec.min > 0)) {
    violations.add(`${path}.min`, spec.min, 'must be more than 0 on a log scale. Raise it, or use the linear scale.');
  }
  if (spec.scale === 'log' && spec.step !== undefined) {
    violations.add(`${path}.step`, spec.step, 'makes steps of one size, which a log scale does not have. Remove it, or list the values.');
  }
  for (const field of ['min', 'max', 'step'] as const) {
    if (spec.type === 'int' && spec[field] !== undefined && !Number.isSafeInteger(spec[field])) {
      violations.add(`${path}.${field}`, spec[field], 'must be a whole number, because the type is int.');
    }
  }
}

function validateValues(path: string, spec: TuningParameterSpec, values: readonly (number | string)[], violations: ViolationCollector): void {
  const seen = new Set<string>();
  values.forEach((value, index) => {
    const where = `${path}.values[${index}]`;
    if (spec.type !== 'categorical' && typeof value !== 'number') {
      violations.add(where, value, `must be a number, because the type is ${spec.type}. Use the type categorical for strings.`);
    } else if (spec.type === 'int' && !Number.isSafeInteger(value)) {
      violations.add(where, value, 'must be a whole number, because the type is int.');
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      violations.add(where, value, 'must be a finite number.');
    }
    if (String(value).length > MAX_VALUE_LENGTH) {
      violations.add(where, value, `must have at most ${MAX_VALUE_LENGTH} characters.`);
    }
    if (seen.has(String(value))) {
      violations.add(where, value, 'is listed twice. Remove one of the two.');
    }
    seen.add(String(value));
  });
}

/** Each parameter becomes a variable of its own name and one in capitals. */
function validateNames(tuning: AutoTuningSpec, violations: ViolationCollector): void {
  const owners = new Map<string, string>();
  const budget = tuning.budget?.parameter;
  const names = [
    ...Object.keys(tuning.parameters).map((name) => ({ name, path: fieldPath(PARAMETERS, name) })),
    ...(budget === undefined ? [] : [{ name: budget, path: `${PATH}.budget.parameter` }]),
  ];
  for (const { name, path } of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > MAX_NAME_LENGTH) {
      violations.add(path, name, `becomes an environment variable: use letters, digits and '_', at most ${MAX_NAME_LENGTH}, not starting with a digit.`);
    } else if (name.toUpperCase().startsWith('TRAINYARD_')) {
      violations.add(path, name, 'begins with TRAINYARD_, which is reserved for variables of the contract. Rename it.');
    }
    for (const variable of new Set([name, upperSnake(name)])) {
      const owner = owners.get(variable);
      if (owner !== undefined) {
        violations.add(path, name, `is passed to scripts as ${variable}, and so is ${owner}. Rename one of the two.`);
      }
      owners.set(variable, name);
    }
  }
}

function validateAlgorithm(tuning: AutoTuningSpec, violations: ViolationCollector): void {
  const { algorithm = AUTO_TUNING_DEFAULTS.algorithm, maxTrials = AUTO_TUNING_DEFAULTS.maxTrials, budget, earlyStopping } = tuning;
  if (algorithm === 'grid') {
    const space = new SearchSpace(tuning.parameters);
    const endless = space.dimensions.find(({ countable }) => !countable);
    if (endless) {
      violations.add(fieldPath(PARAMETERS, endless.name), tuning.parameters[endless.name],
        'has too many values for a grid. Set a step, or list the values.');
    } else if (space.size > maxTrials) {
      violations.add(`${PATH}.maxTrials`, maxTrials, `is less than the ${space.size} points of the grid. Raise it, or give fewer values.`);
    }
  }
  if (algorithm === 'hyperband') {
    validateBudget(budget, violations);
    if (earlyStopping !== undefined && earlyStopping.enabled !== false) {
      violations.add(`${PATH}.earlyStopping`, earlyStopping, 'cannot be combined with hyperband, which stops bad trials itself. Remove it.');
    }
  } else if (budget !== undefined) {
    violations.add(`${PATH}.budget`, budget, `is for hyperband, but the algorithm is ${algorithm}. Remove it, or use hyperband.`);
  }
}

function validateBudget(spec: AutoTuningSpec['budget'], violations: ViolationCollector): void {
  if (spec === undefined) {
    violations.add(`${PATH}.budget`, undefined, 'is required for hyperband: set budget.max, the epochs (or steps) of a full training.');
    return;
  }
  const { min = AUTO_TUNING_DEFAULTS.budget.min, max, reductionFactor = AUTO_TUNING_DEFAULTS.budget.reductionFactor } = spec;
  const budget = { min, max, reductionFactor };
  if (hyperbandDepth(budget) < 1) {
    violations.add(`${PATH}.budget.max`, max, `must be at least ${reductionFactor} times budget.min (${min}): hyperband has nothing to divide otherwise.`);
  } else if (largestRung(budget) > HYPERBAND_MAX_RUNG) {
    violations.add(`${PATH}.budget.min`, min,
      `would make hyperband start ${largestRung(budget)} trials at once, and the maximum is ${HYPERBAND_MAX_RUNG}. Raise budget.min or lower budget.max.`);
  }
}

/** The job of the last trial, whose name is the longest. */
function validateTrial(name: string, spec: TrainingJobSpec, validateJob: ValidateJob): Violation[] {
  const search = searchOf(spec, '');
  const number = Math.min(spec.autoTuning?.maxTrials ?? AUTO_TUNING_DEFAULTS.maxTrials, search.maxTrials);
  const trial = { number, point: search.space.dimensions.map(() => 0), budget: search.budget?.max };
  const trialName = trialJobName(name, number);
  const parameters = Object.keys(spec.autoTuning!.parameters);
  const owners = new Map(parameters.flatMap((parameter) => [parameter, upperSnake(parameter)].map((variable) => [variable, parameter])));
  const values = trialValues(spec, search, trial);
  return validateJob(trialName, trialSpec(spec, search, trial)).map((violation): Violation => {
    const variable = Object.keys(values).find((candidate) => violation.path === fieldPath('spec.hyperparameters', candidate));
    const owner = variable === undefined ? undefined : owners.get(variable);
    return owner === undefined ? inTermsOf(name, trialName, violation) : {
      path: fieldPath(PARAMETERS, owner), value: owner, message: `is passed to scripts as ${variable}, which ${violation.message}`,
    };
  });
}
