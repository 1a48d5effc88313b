/** Schema of `spec.autoTuning`. */
import { boolean, integer, list, map, number, object, text, word, type JsonSchema } from './json-schema';
import {
  MAX_PARALLEL_TRIALS, OBJECTIVE_MAX_LENGTH, OBJECTIVE_PATTERN, type AutoTuningSpec, type EarlyStoppingSpec, type TuningBudgetSpec,
  type TuningParameterSpec,
} from '../fields/features';

/** Parameters become environment variables. */
const VARIABLE_PATTERN = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Schema of AutoTuningSpec. */
export function autoTuningSchema(): JsonSchema {
  return object<AutoTuningSpec>('Hyperparameter search for this job.', {
    enabled: boolean('Whether the search runs.', { default: true }),
    algorithm: word('How the next trial is chosen.', ['bayesian', 'random', 'grid', 'hyperband'], { default: 'bayesian' }),
    maxTrials: integer('Maximum number of trials.', { minimum: 1, maximum: 100_000, default: 20 }),
    parallelTrials: integer('Trials at a time.', { minimum: 1, maximum: MAX_PARALLEL_TRIALS, default: 1 }),
    objective: text('Metric that is optimised.', { minLength: 1, maxLength: OBJECTIVE_MAX_LENGTH, pattern: OBJECTIVE_PATTERN }),
    goal: word('Whether lower or higher values are better.', ['maximize', 'minimize'], { default: 'maximize' }),
    target: number('Value of the objective at which the search ends.'),
    seed: integer('Random seed. Derived from the job\'s uid by default.', { minimum: 0, format: 'int64' }),
    maxFailedTrials: integer('If more trials fail, the search fails. A quarter of maxTrials by default, and at least 3.', { minimum: 0 }),
    keepTrials: integer('Jobs of ended trials that are kept in addition to the best one: the latest.', { minimum: 0, maximum: 1000, default: 20 }),
    budget: object<TuningBudgetSpec>('Training budget that hyperband gives its trials.', {
      parameter: text('Hyperparameter that is set to the budget, in addition to TRAINYARD_BUDGET.', { minLength: 1, maxLength: 63, pattern: VARIABLE_PATTERN }),
      min: integer('Smallest budget of a trial.', { minimum: 1, default: 1 }),
      max: integer('Largest budget of a trial: epochs, steps, or any unit that the script uses.', { minimum: 1 }),
      reductionFactor: integer('One in this many trials continues, with this many times the budget.', { minimum: 2, maximum: 10, default: 3 }),
    }, {
      required: ['max'],
      rules: [{ rule: 'self.max >= self.min * self.reductionFactor', message: 'must be at least reductionFactor times min', fieldPath: '.max' }],
    }),
    earlyStopping: object<EarlyStoppingSpec>('Stops trials that are worse than most at the same point of their training (median rule).', {
      enabled: boolean('Whether trials are stopped early.', { default: true }),
      minTrials: integer('Number of trials that must have ended first.', { minimum: 1, default: 3 }),
      minProgressPercentage: integer('Progress below which no trial is stopped.', { minimum: 10, maximum: 100, default: 20 }),
    }),
    parameters: map('The search space by name of the hyperparameter.', tuningParameterSchema(), 64, { minProperties: 1 }),
  }, {
    required: ['objective', 'parameters'],
    rules: [
      {
        rule: '(self.algorithm == \'hyperband\') == has(self.budget) || !self.enabled',
        message: 'is required for hyperband, and not allowed with other algorithms',
        fieldPath: '.budget',
      },
      {
        rule: 'self.algorithm != \'hyperband\' || !has(self.earlyStopping) || !self.earlyStopping.enabled || !self.enabled',
        message: 'cannot be combined with hyperband, which stops bad trials itself. Remove it',
        fieldPath: '.earlyStopping',
      },
    ],
  });
}

function tuningParameterSchema(): JsonSchema {
  return object<TuningParameterSpec>('One dimension of the search space: a range or a list of values.', {
    type: word('Kind of its values.', ['float', 'int', 'categorical']),
    min: number('Smallest value.'),
    max: number('Largest value.'),
    step: number('Distance between two values.'),
    scale: word('How values are distributed over the range.', ['linear', 'log'], { default: 'linear' }),
    values: list('The values, numbers or strings.', {
      // Numbers with a fraction are no int-or-string, and a structural schema knows no other union: anything but lists and objects. Rules
      // cannot see such a list; the model's own check says what is missing.
      'description': 'A number or a string.',
      'x-kubernetes-preserve-unknown-fields': true,
      'maxItems': 0,
      'maxProperties': 0,
    }, 1024, { minItems: 1 }),
  }, {
    required: ['type'],
    rules: [
      {
        rule: 'has(self.min) == has(self.max) && (!has(self.min) || self.min < self.max)',
        message: 'needs min and max together, min below max',
        fieldPath: '.max',
      },
      {
        rule: 'self.type != \'categorical\' || !(has(self.min) || has(self.max) || has(self.step))',
        message: 'is categorical and takes values, not a range',
        fieldPath: '.type',
      },
      { rule: '!has(self.step) || self.step > 0.0', message: 'must be more than 0', fieldPath: '.step' },
      {
        rule: 'self.scale != \'log\' || (has(self.min) && self.min > 0.0)',
        message: 'is log and needs a range above 0',
        fieldPath: '.scale',
      },
      {
        rule: 'self.scale != \'log\' || !has(self.step)',
        message: 'cannot be combined with a log scale, which has no steps of one size. Remove it, or list the values',
        fieldPath: '.step',
      },
    ],
  });
}
