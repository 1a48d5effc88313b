/** The job's larger features: checkpoints, elasticity, search, preflight, debugging, idleness. */
import { MAX_REPLICAS } from '../replicas/role-specs';
import * as field from '../schema/field';
import { matching } from '../../shapes';
import { expressionOf } from '../../text/expressions';

/** `spec.checkpoint`. */
export const CHECKPOINT = field.block('the checkpoint', 'Checkpoint settings other than the location.', {
  resumeFrom: field.text('Checkpoint to start from, given to the script as `RESUME_FROM`.', { minLength: 1, maxLength: 4096, otherwise: 'none' }),
  gracePeriodSeconds: field.seconds('Time that a replica has between SIGTERM and SIGKILL to save a checkpoint.', { otherwise: 'Kubernetes\' 30 seconds' }),
  claimName: field.objectName('Existing claim that every replica mounts at checkpointPath, which then has to be an absolute path.', { otherwise: 'none' }),
  subPath: field.text('Folder inside the claim.', {
    minLength: 1,
    maxLength: 4096,
    otherwise: 'its root',
    rules: [{ rule: '!self.startsWith(\'/\') && !(\'..\' in self.split(\'/\'))', message: 'must be a relative path without \'..\'' }],
  }),
  keepLast: field.integer('How many checkpoints the script should keep, given to it as `CHECKPOINT_KEEP_LAST`; it deletes the others itself.', { minimum: 1, otherwise: 'all' }),
}, {
  fixed: true,
  rules: [{
    rule: '!has(self.subPath) || has(self.claimName)',
    message: 'is a folder inside a claim. Set claimName',
    fieldPath: '.subPath',
  }],
});

/** `spec.elastic`. */
export const ELASTIC = field.block('the elastic range', 'Range in which the number of replicas may change while the job runs. The job continues while at least the minimum is running.', {
  minReplicas: field.integer('Fewest replicas that the job trains with.', { minimum: 1, maximum: MAX_REPLICAS, required: true }),
  maxReplicas: field.integer('Most replicas that the job may be scaled to.', { minimum: 1, maximum: MAX_REPLICAS, required: true }),
  maxRestarts: field.integer('PyTorch: how often torchrun itself restarts the processes of a replica. Each lost peer uses one restart.', { otherwise: '100' }),
}, {
  fixed: true,
  rules: [{
    rule: 'self.minReplicas <= self.maxReplicas',
    message: 'must be at least minReplicas. Raise it or lower minReplicas',
    fieldPath: '.maxReplicas',
  }],
});

/** `spec.preflight`. */
export const PREFLIGHT = field.block('preflight', 'Checks of the devices of each node, and of the network between nodes, before training starts.', {
  enabled: field.boolean('Whether the checks run.', { default: true, property: false }),
  image: field.image('Image that the checks run on; it needs `python3`.', { otherwise: 'the training image' }),
  timeoutSeconds: field.seconds('How long the checks may take once those of all replicas have begun.', { minimum: 1, default: 300 }),
}, { struct: 'Preflight', fixed: true, otherwise: 'no checks' });

/** `spec.debug`. */
export const DEBUG = field.block('debug', 'Presets for NCCL and torch, and stack dumps of hung processes.', {
  enabled: field.boolean('Whether they are on.', { default: true }),
}, { fixed: true });

/** `spec.idle`. */
export const IDLE = field.block('idle', 'What happens to a job that leaves its accelerators unused.', {
  belowPercent: field.integer('Utilization in percent below which accelerators are idle.', { maximum: 100, required: true }),
  forSeconds: field.seconds('How long that has to last.', { minimum: 1, required: true, property: 'duration' }),
  action: field.word('What happens then.', field.words('IdleAction', 'What happens to a job that leaves its accelerators unused.', {
    Warn: 'The condition `Idle` and an event.',
    Suspend: 'The job is suspended until its spec or its annotation `ml.collabnix.io/resume` changes.',
  }), { default: 'Warn' }),
}, { struct: 'IdlePolicy', fixed: true, otherwise: 'nothing' });

/** Most trials that run at a time: the status names each of them. */
export const MAX_PARALLEL_TRIALS = 64;

export const OBJECTIVE_MAX_LENGTH = 256;

/**
 * Name of a metric as `NAME=VALUE` can be found in a log: no blanks, controls, quotes or signs that assign or separate, and at least one letter,
 * digit or underscore. The two classes before the letter share nothing, so that there is one way to match.
 */
export const OBJECTIVE_PATTERN = '^[^\\s=:,;"\'\\x00-\\x1f\\x7fA-Za-z0-9_]*[A-Za-z0-9_][^\\s=:,;"\'\\x00-\\x1f\\x7f]*$';

const OBJECTIVE_NAME = expressionOf(OBJECTIVE_PATTERN);
const OBJECTIVE = matching((value) => typeof value === 'string' && value.length <= OBJECTIVE_MAX_LENGTH && OBJECTIVE_NAME.test(value),
  `must be the name of a metric as the script writes it (NAME=VALUE): at most ${OBJECTIVE_MAX_LENGTH} characters, with a letter, a digit or '_', without spaces, quotes, `
  + '\'=\', \':\', \',\' and \';\'.');

const VARIABLE_NAME = { minLength: 1, maxLength: 63, pattern: '^[A-Za-z_][A-Za-z0-9_]*$', says: 'becomes an environment variable: use letters, digits and \'_\', not starting with a digit.' } as const;

/** One of `spec.autoTuning.parameters`. */
export const PARAMETER = field.block('a parameter', 'One dimension of the search space: a range or a list of values.', {
  type: field.word('Kind of its values.', ['float', 'int', 'categorical'], { required: true }),
  min: field.number('Smallest value.'),
  max: field.number('Largest value.'),
  step: field.number('Distance between two values.'),
  scale: field.word('How values are distributed over the range.', field.words('TuningScale', 'How the values of a range are distributed.', {
    linear: 'Evenly.',
    log: 'Evenly in their logarithms, as learning rates should be: as many values between 0.001 and 0.01 as between 0.01 and 0.1.',
  }), { default: 'linear' }),
  values: field.list('The values, numbers or strings.', field.custom<number | string>({
    // Numbers with a fraction are not int-or-string, and a structural schema knows no other union: anything but lists and objects. Rules
    // cannot see such a list; the model's own check says what is missing.
    'description': 'A number or a string.',
    'x-kubernetes-preserve-unknown-fields': true,
    'maxItems': 0,
    'maxProperties': 0,
  }, { shape: matching((value) => typeof value === 'string' || typeof value === 'number', 'must be a number or a string.') }), { minItems: 1, maxItems: 1024 }),
}, {
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
      rule: '!has(self.step) || !has(self.min) || !has(self.max) || self.step <= self.max - self.min',
      message: 'must fit between min and max',
      fieldPath: '.step',
    },
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

/** `spec.autoTuning.budget`. */
export const BUDGET = field.block('the budget', 'Training budget that hyperband gives its trials.', {
  parameter: field.text('Hyperparameter that is set to the budget, such as `EPOCHS`, in addition to `TRAINYARD_BUDGET`.', { ...VARIABLE_NAME, otherwise: 'none' }),
  min: field.integer('Smallest budget of a trial.', { minimum: 1, default: 1 }),
  max: field.integer('Budget of a full training: epochs, steps, or any unit that the script uses.', { minimum: 1, required: true }),
  reductionFactor: field.integer('One in this many trials continues, with this many times the budget.', { minimum: 2, maximum: 10, default: 3 }),
}, {
  struct: 'HyperbandOptions',
  property: false,
  rules: [{ rule: 'self.max >= self.min * self.reductionFactor', message: 'must be at least reductionFactor times min', fieldPath: '.max' }],
});

const EARLY_STOPPING = field.block('early stopping', 'Stops trials that are worse than most at the same point of their training (median rule): '
  + 'those whose best value so far is worse than the median of what earlier trials had on average. Needs scripts that report their progress and the objective.', {
  enabled: field.boolean('Whether trials are stopped early.', { default: true, property: false }),
  minTrials: field.integer('Number of trials that must have ended first.', { minimum: 1, default: 3 }),
  minProgressPercentage: field.integer('Progress below which no trial is stopped.', { minimum: 10, maximum: 100, default: 20 }),
}, { struct: 'EarlyStopping', otherwise: 'all run to completion' });

/** `spec.autoTuning`: the blog's block and what it left out. */
export const AUTO_TUNING = field.block('autoTuning', 'Hyperparameter search: the job is tried with one set of values after another, each in a job of its own.', {
  enabled: field.boolean('Whether the search runs.', { default: true, property: false }),
  objective: field.text('Metric that is optimised, under the name under which the script reports or prints it.', {
    minLength: 1,
    maxLength: OBJECTIVE_MAX_LENGTH,
    pattern: OBJECTIVE_PATTERN,
    required: 'the metric that is optimised.',
    shape: OBJECTIVE,
  }),
  parameters: field.map('The search space by name of the hyperparameter. Scripts find a value under this name and in capitals (`learningRate`, `LEARNING_RATE`).', PARAMETER, {
    minProperties: 1, maxProperties: 64, required: 'the search space.', type: '{ readonly [name: string]: TuningParameter }',
  }),
  algorithm: field.word('How the next trial is chosen.', ['bayesian', 'random', 'grid', 'hyperband'], { default: 'bayesian', type: 'TuningAlgorithm' }),
  maxTrials: field.integer('Maximum number of trials.', { minimum: 1, maximum: 100_000, default: 20 }),
  parallelTrials: field.integer('Trials at a time.', { minimum: 1, maximum: MAX_PARALLEL_TRIALS, default: 1 }),
  goal: field.word('Whether lower or higher values are better.', field.words('TuningGoal', 'Whether lower or higher values of the objective are better.', {
    maximize: 'Higher values: accuracy.',
    minimize: 'Lower values: loss.',
  }), { default: 'maximize' }),
  target: field.number('Value of the objective at which the search ends.', { otherwise: 'all trials run' }),
  seed: field.integer('Random seed: the same seed and results give the same trials.', { format: 'int64', otherwise: 'derived from the job\'s uid' }),
  maxFailedTrials: field.integer('If more trials fail, the search fails.', { otherwise: 'a quarter of maxTrials, at least 3' }),
  keepTrials: field.integer('Jobs of ended trials that are kept in addition to the best one: the latest.', { maximum: 1000, default: 20 }),
  budget: BUDGET,
  earlyStopping: EARLY_STOPPING,
}, {
  struct: 'AutoTuning',
  fixed: true,
  otherwise: 'a single job',
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

export type CheckpointSpec = field.ValueOf<typeof CHECKPOINT>;
export type IdleSpec = field.ValueOf<typeof IDLE>;
export type AutoTuningSpec = field.ValueOf<typeof AUTO_TUNING>;
export type TuningParameterSpec = field.ValueOf<typeof PARAMETER>;
