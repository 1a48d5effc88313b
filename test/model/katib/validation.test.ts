import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { constructExperiment } from '../../../src/manifests/katib/experiment';
import { constructTrialTemplate } from '../../../src/manifests/katib/trial-template';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import { KATIB_ALGORITHMS, hyperbandParallelTrials, katibAlgorithm } from '../../../src/model/katib/algorithms';
import type { KatibCollectorSpec, KatibSearch, KatibSettings } from '../../../src/model/katib/spec';
import { validateKatibSearch } from '../../../src/model/katib/validation';
import type { AutoTuningSpec, TuningParameterSpec } from '../../../src/model/training-job/fields/features';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { formatViolation } from '../../../src/model/violations';

const LOG: TuningParameterSpec = { type: 'float', min: 0.001, max: 0.1, scale: 'log' };
const LINEAR: TuningParameterSpec = { type: 'float', min: 0.001, max: 0.1 };
const WHOLE: TuningParameterSpec = { type: 'int', min: 1, max: 9 };
const STDOUT: KatibCollectorSpec = { kind: 'StdOut' };

function search(
  tuning: Partial<AutoTuningSpec> = {}, settings: Partial<KatibSettings> = {}, job: Partial<TrainingJobSpec> = {}, name = 'tuned',
): KatibSearch {
  return {
    name,
    job: { framework: 'pytorch', image: 'train:1', command: ['python', 'train.py'], replicas: 1, ...job } as TrainingJobSpec,
    tuning: { objective: 'loss', parameters: { lr: LOG }, ...tuning },
    settings: { collector: STDOUT, ...settings },
  };
}

function algorithm(name: string, settings: { readonly [name: string]: string } = {}): Partial<KatibSettings> {
  return { algorithm: { name, settings } };
}

const tpe = algorithm('tpe');
const HYPERBAND: Partial<AutoTuningSpec> = { algorithm: 'hyperband', parallelTrials: 9, budget: { max: 9, parameter: 'EPOCHS' }, parameters: { lr: LINEAR } };

/** One broken rule each, and how its line begins. */
const BROKEN: readonly (readonly [string, KatibSearch, string])[] = [
  // The algorithm.
  ['an algorithm that Katib has not', search({}, algorithm('bayesianoptimisation')), 'katib.algorithm: "bayesianoptimisation": Katib\'s configuration has random, tpe'],
  ['a setting of another algorithm', search({}, algorithm('tpe', { acq_func: 'EI' })), 'katib.algorithm.settings.acq_func: "EI": Katib\'s tpe has gamma, prior_weight, n_EI_candidates.'],
  ['a setting where there is none', search({}, algorithm('random', { gamma: '0.2' })), 'katib.algorithm.settings.gamma: "0.2": Katib\'s random has no settings.'],
  ['the seed as a setting', search({}, algorithm('tpe', { random_state: '1' })), 'katib.algorithm.settings.random_state: "1": is derived from spec.autoTuning.seed.'],
  ['a seed for hyperband', search({ ...HYPERBAND, seed: 1 }), 'spec.autoTuning.seed: 1: Katib\'s hyperband does not accept a seed.'],
  ['a seed for Sobol', search({ seed: 1, parameters: { lr: LINEAR } }, algorithm('sobol')), 'spec.autoTuning.seed: 1: Katib\'s sobol does not accept a seed.'],
  ['a negative seed', search({ seed: -1 }), 'spec.autoTuning.seed: -1: Katib accepts seeds from 0'],
  ['more trials at a time than at all', search({ maxTrials: 4, parallelTrials: 5 }), 'spec.autoTuning.parallelTrials: 5: is more than maxTrials (4)'],
  ['more failures than trials', search({ maxTrials: 4, maxFailedTrials: 5 }), 'spec.autoTuning.maxFailedTrials: 5: is more than maxTrials (4)'],
  ['trials that are kept by number', search({ keepTrials: 5 }), 'spec.autoTuning.keepTrials: 5: Katib keeps the jobs of all trials or of none.'],
  ['a name that its webhook rejects', search({}, {}, {}, 'n'.repeat(41)), 'metadata.name: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": has 41 characters, and Katib rejects longer names. Use at most '
    + '40 characters.'],
  ['a name with a dot', search({}, {}, {}, 'tuned.v2'), 'metadata.name: "tuned.v2": must be a DNS-1035 label'],
  ['a setting that every object has', search({}, algorithm('tpe', { constructor: '1' })), 'katib.algorithm.settings.constructor: "1": Katib\'s tpe has gamma'],
  ['a setting that is no number', search({}, algorithm('tpe', { gamma: 'much' })), 'katib.algorithm.settings.gamma: "much": must be a number above 0 and below 1'],
  ['a setting out of bounds', search({}, algorithm('tpe', { gamma: '1' })), 'katib.algorithm.settings.gamma: "1": must be a number above 0 and below 1'],
  ['half a candidate', search({}, algorithm('tpe', { n_EI_candidates: '1.5' })), 'katib.algorithm.settings.n_EI_candidates: "1.5": must be a whole number from 1'],
  ['no initial points', search({}, algorithm('bayesianoptimization', { n_initial_points: '0' })), 'katib.algorithm.settings.n_initial_points: "0": must be a whole number from 1'],
  ['a function that wants times', search({}, algorithm('bayesianoptimization', { acq_func: 'EIps' })), 'katib.algorithm.settings.acq_func: "EIps": must be one of gp_hedge, LCB, EI, PI'],
  ['gradients that a forest has not', search({}, algorithm('bayesianoptimization', { acq_optimizer: 'lbfgs', base_estimator: 'RF' })),
    'katib.algorithm.settings.acq_optimizer: "lbfgs": needs base_estimator GP and a parameter with a range'],
  ['gradients between lists', search({ parameters: { o: { type: 'categorical', values: ['a', 'b'] } } }, algorithm('bayesianoptimization', { acq_optimizer: 'lbfgs' })),
    'katib.algorithm.settings.acq_optimizer: "lbfgs": needs base_estimator GP and a parameter with a range'],
  ['a grid without steps', search({ maxTrials: 3 }, algorithm('grid')), 'spec.autoTuning.parameters.lr.step: is required: Katib rejects a grid of ranges without steps.'],
  ['more trials than a grid has points', search({ maxTrials: 10, parameters: { n: WHOLE } }, algorithm('grid')), 'spec.autoTuning.maxTrials: 10: is more than the 9 points of the grid'],
  // Hyperband.
  ['hyperband without a parameter', search({ ...HYPERBAND, budget: { max: 9 } }), 'spec.autoTuning.budget.parameter: is required with Katib'],
  ['a budget that is searched too', search({ ...HYPERBAND, budget: { max: 9, parameter: 'lr' } }), 'spec.autoTuning.budget.parameter: "lr": is already one of the search parameters.'],
  ['a least budget', search({ ...HYPERBAND, budget: { min: 3, max: 9, parameter: 'EPOCHS' } }), 'spec.autoTuning.budget.min: 3: Katib\'s hyperband begins with 1.'],
  ['a fraction that goes on', search({ ...HYPERBAND, budget: { max: 9, parameter: 'EPOCHS', reductionFactor: 2.5 } }), 'spec.autoTuning.budget.reductionFactor: 2.5: Katib accepts only whole numbers.'],
  ['too few trials at a time for hyperband', search({ ...HYPERBAND, parallelTrials: 8 }), 'spec.autoTuning.parallelTrials: 8: Katib\'s hyperband starts 9 trials at once'],
  ['hyperband by name', search({ parameters: { lr: LINEAR } }, algorithm('hyperband')), 'katib.algorithm: "hyperband": needs a budget: the settings r_l and resource_name in YAML'],
  // Early stopping.
  ['a progress that Katib does not see', search({ earlyStopping: { minProgressPercentage: 30 } }), 'spec.autoTuning.earlyStopping.minProgressPercentage: 30: Katib does not see progress'],
  ['early stopping of what is pushed', search({ earlyStopping: {} }, { collector: { kind: 'Push' } }), 'spec.autoTuning.earlyStopping: "Push": Katib stops trials early only if'],
  ['a first step of nothing', search({}, { startStep: 3 }), 'katib.earlyStoppingStartStep: 3: sets when trials may be stopped early, but early stopping is off.'],
  ['no first step at all', search({ earlyStopping: {} }, { startStep: 0 }), 'katib.earlyStoppingStartStep: 0: must be a whole number, 1 or more'],
  // Parameters.
  ['a linear fraction for the model of Scikit-Optimize', search({ parameters: { lr: LINEAR } }), 'spec.autoTuning.parameters.lr.scale: "linear": Katib 0.19\'s bayesianoptimization'],
  ['whole numbers on a log scale there', search({ parameters: { n: { ...WHOLE, scale: 'log' } } }), 'spec.autoTuning.parameters.n.scale: "log": Katib 0.19\'s bayesianoptimization'],
  ['steps there', search({ parameters: { n: { ...WHOLE, step: 2 } } }), 'spec.autoTuning.parameters.n.step: 2: Katib 0.19\'s bayesianoptimization (Scikit-Optimize) takes any value'],
  ['steps that Hyperopt counts from 0', search({ parameters: { n: { type: 'float', min: 0.1, max: 5, step: 1 } } }, tpe),
    'spec.autoTuning.parameters.n.step: 1: Katib 0.19\'s tpe (Hyperopt) rounds to multiples of the step, and so below min (0.1) or above max (5). Use multiples'],
  ['a last step past the end', search({ parameters: { n: { type: 'float', min: 0.1, max: 5, step: 1 } } }, algorithm('sobol')),
    'spec.autoTuning.parameters.n.step: 1: Katib 0.19\'s sobol (Goptuna) rounds to whole steps from min, and so above max (5). Use a range of whole steps'],
  ['a log scale for hyperband', search({ ...HYPERBAND, parameters: { lr: LOG } }), 'spec.autoTuning.parameters.lr.scale: "log": Katib 0.19\'s hyperband'],
  ['a log scale for Goptuna', search({}, algorithm('sobol')), 'spec.autoTuning.parameters.lr.scale: "log": Katib 0.19\'s sobol (Goptuna) spreads this parameter evenly.'],
  ['CMA-ES along one line', search({ parameters: { lr: LINEAR, o: { type: 'categorical', values: ['a', 'b'] } } }, algorithm('cmaes')), 'spec.autoTuning.parameters: 1: Katib\'s cmaes needs 2 or more ranges'],
  ['a value with a quote', search({ parameters: { o: { type: 'categorical', values: ['a', 'b"c'] } } }), 'spec.autoTuning.parameters.o.values[1]: "b\\"c": has a quote, a backslash'],
  ['a value with a reference', search({ parameters: { o: { type: 'categorical', values: ['$(HOME)'] } } }), 'spec.autoTuning.parameters.o.values[0]: "$(HOME)": has a quote'],
  // Metrics.
  ['an objective that no text has', search({ objective: 'val loss' }), 'spec.autoTuning.objective: "val loss": cannot be parsed from text'],
  ['a metric with the sign that parts metrics', search({ objective: 'a;b' }, { collector: { kind: 'Push' } }), 'spec.autoTuning.objective: "a;b": contains \';\''],
  ['the objective among the others', search({}, { additionalMetrics: ['loss'] }), 'katib.additionalMetrics[0]: "loss": is collected already.'],
  ['a relative file', search({}, { collector: { kind: 'File', path: 'out/metrics.log' } }), 'katib.metrics.path: "out/metrics.log": must be an absolute path'],
  ['a file at the top', search({}, { collector: { kind: 'File', path: '/metrics.log' } }), 'katib.metrics.path: "/metrics.log": must be a file in a separate folder'],
  ['events all over the container', search({}, { collector: { kind: 'TensorFlowEvent', path: '/' } }), 'katib.metrics.path: "/": would hide the container\'s root filesystem.'],
  ['a request without a slash', search({}, { collector: { kind: 'PrometheusMetric', port: 80, path: 'metrics' } }), 'katib.metrics.path: "metrics": must begin with \'/\''],
  ['a port that is none', search({}, { collector: { kind: 'PrometheusMetric', port: 0, path: '/metrics' } }), 'katib.metrics.port: 0: must be a whole number from 1 to 65535.'],
  ['a format of one group', search({}, { collector: { ...STDOUT, formats: ['(\\w+)=\\d+'] } }), 'katib.metrics.formats[0]: "(\\\\w+)=\\\\d+": needs two groups'],
  ['a format with the sign between formats', search({}, { collector: { ...STDOUT, formats: ['(a;b)=(.*)'] } }), 'katib.metrics.formats[0]: "(a;b)=(.*)": contains \';\', which'],
  ['a format that is none', search({}, { collector: { ...STDOUT, formats: ['([a-z)'] } }), 'katib.metrics.formats[0]: "([a-z)": is not a regular expression.'],
  ['a format of JSON', search({}, { collector: { kind: 'File', path: '/m/m.log', json: true, formats: ['(a)=(b)'] } }), 'katib.metrics.formats: "(a)=(b)": applies to text'],
  // The job.
  ['a search that waits', search({}, {}, { suspend: false }), 'spec.suspend: false: Katib cannot suspend a search.'],
  ['jobs that go by themselves', search({}, {}, { runPolicy: { ttlSecondsAfterFinished: 60 } }), 'spec.runPolicy.ttlSecondsAfterFinished: 60: would delete the job'],
  ['trials that each run the hooks', search({}, {}, { hooks: { before: { command: ['x'] } } }), 'spec.hooks: ["before"]: would run for each trial.'],
  ['trials of many jobs', search({}, {}, { array: { count: 3 } }), 'spec.array: 3: a trial is one job.'],
  ['a text of Katib\'s', search({}, {}, { args: ['--lr=${trialParameters.lr}'] }), 'spec: "${trialParameters.": appears in the job'],
  ['arguments for a program that nobody here knows', search({}, {}, { command: undefined, args: ['--note=a b'] }), 'spec.args: "--note=a b": Katib puts the image\'s entry point'],
  ['such arguments of a role', search({}, {}, { command: undefined, replicas: undefined, roles: [{ name: 'worker', replicas: 1, args: ['$(lr)'] }] }), 'spec.roles[0].args: "$(lr)": Katib puts'],
];

/** What is said of an Experiment in YAML. */
function toldOfSpec(spec: object, name = 'tuned'): string[] {
  const object = { apiVersion: 'kubeflow.org/v1beta1', kind: 'Experiment', metadata: { name }, spec: JSON.parse(JSON.stringify(spec)) as object };
  return checkForeign(object, [object]).map(formatViolation);
}

/** The same of the Experiment that a search is rendered to, without paths, which are those of Katib there. */
function messagesOfObject(broken: KatibSearch): string[] {
  const { spec } = constructExperiment(OPERATOR_ENGINE, broken, constructTrialTemplate(OPERATOR_ENGINE, broken));
  return toldOfSpec(spec, broken.name).map(messageOf);
}

const messageOf = (line: string) => line.slice(line.indexOf(': ') + 2);

/** What an Experiment does not have, or may have, by the reason. */
const ONLY_IN_CODE: readonly string[] = [
  // Not fields of Katib.
  'trials that are kept by number', 'a least budget', 'a progress that Katib does not see', 'a first step of nothing',
  // A seed is a setting there, and who says nothing of the scale has that of the algorithm.
  'the seed as a setting', 'a linear fraction for the model of Scikit-Optimize',
  // Rendered so that they are right; told of objects below.
  'more trials at a time than at all', 'more failures than trials', 'more trials than a grid has points', 'a format of JSON',
  // Breaks no manifest.
  'a value with a reference',
  // Trials are any objects.
  'a search that waits', 'jobs that go by themselves', 'trials of many jobs', 'trials that each run the hooks', 'a text of Katib\'s', 'arguments for a program that nobody here knows', 'such arguments of a role',
];

test.each(BROKEN)('%s is one violation', (what, broken, line) => {
  const lines = validateKatibSearch(broken).map(formatViolation);
  expect(lines).toEqual([expect.stringContaining(line)]);
  expect(messagesOfObject(broken)).toEqual(ONLY_IN_CODE.includes(what) ? [] : lines.map(messageOf));
});

describe('of an Experiment in YAML', () => {
  const double = (name: string, more: object = {}) => ({ name, parameterType: 'double', feasibleSpace: { min: '0.01', max: '0.1', ...more } });
  const least = (algorithmName: string, settings: { readonly [name: string]: string } = {}, more: object = {}) => ({
    objective: { type: 'maximize', objectiveMetricName: 'loss' },
    algorithm: { algorithmName, algorithmSettings: Object.entries(settings).map(([name, value]) => ({ name, value })) },
    parameters: [double('lr'), double('momentum')],
    ...more,
  });
  const hyperband = { r_l: '9', resource_name: 'epochs' };

  test.each<[string, object, string]>([
    ['too many trials at a time', least('random', {}, { maxTrialCount: 2, parallelTrialCount: 3 }), 'spec.parallelTrialCount: 3: is more than maxTrials (2)'],
    ['too many points', least('grid', {}, { maxTrialCount: 4, parallelTrialCount: 1, parameters: [double('lr', { step: '0.045' })] }), 'spec.maxTrialCount: 4: is more than the 3 points'],
    ['no step of a grid', least('grid', {}, { parameters: [double('lr')] }), 'spec.parameters[0].feasibleSpace.step: is required: Katib rejects a grid'],
    ['too many failures', least('random', {}, { maxTrialCount: 2, parallelTrialCount: 1, maxFailedTrialCount: 3 }), 'spec.maxFailedTrialCount: 3: is more than maxTrials (2)'],
    ['a setting', least('tpe', { gamma: '0.2', gama: '0.3' }), 'spec.algorithm.algorithmSettings[1].value: "0.3": Katib\'s tpe has gamma'],
    ['a setting whose name begins like another', least('tpe', { gamma: '0.2', gamma_min: '0.3' }), 'spec.algorithm.algorithmSettings[1].value: "0.3"'],
    ['a seed', least('random', { random_state: '-1' }), 'spec.algorithm.algorithmSettings[0].value: -1: Katib accepts seeds from 0'],
    ['a distribution', least('bayesianoptimization', {}, { parameters: [double('a.b', { distribution: 'logUniform' }), { ...double('n'), parameterType: 'int', feasibleSpace: { min: '1', max: '9', distribution: 'logUniform' } }] }),
      'spec.parameters[1].feasibleSpace.distribution: "log": Katib 0.19\'s bayesianoptimization'],
    ['a uniform distribution', least('bayesianoptimization', {}, { parameters: [double('a.b', { distribution: 'uniform' })] }), 'spec.parameters[0].feasibleSpace.distribution: "linear"'],
    ['a value', least('random', {}, { parameters: [{ name: 'o', parameterType: 'categorical', feasibleSpace: { list: ['a', 'b"c'] } }] }), 'spec.parameters[0].feasibleSpace.list[1]: "b\\"c"'],
    ['a filter of JSON', least('random', {}, {
      metricsCollectorSpec: { collector: { kind: 'File' }, source: { fileSystemPath: { kind: 'File', path: '/m/m.log', format: 'JSON' }, filter: { metricsFormat: ['(a)=(b)'] } } },
    }), 'spec.metricsCollectorSpec.source.filter.metricsFormat: "(a)=(b)": applies to text'],
    ['a request', least('random', {}, { metricsCollectorSpec: { collector: { kind: 'PrometheusMetric' }, source: { httpGet: { path: 'metrics', port: '8080' } } } }),
      'spec.metricsCollectorSpec.source.httpGet.path: "metrics": must begin with \'/\''],
    ['a start', least('random', {}, { earlyStopping: { algorithmName: 'medianstop', algorithmSettings: [{ name: 'start_step', value: '0' }] } }), 'spec.earlyStopping.algorithmSettings[0].value: 0: must be a whole number'],
    ['a fraction in a discrete list of hyperband', least('hyperband', hyperband, {
      parallelTrialCount: 9, parameters: [{ name: 'n', parameterType: 'discrete', feasibleSpace: { list: ['1', 0.5] } }, { ...double('epochs'), parameterType: 'int' }],
    }), 'spec.parameters[0].feasibleSpace.list[1]: "0.5": must be a whole number: Katib 0.19\'s hyperband'],
    ['few trials of hyperband', least('hyperband', hyperband, { parallelTrialCount: 3, parameters: [double('lr'), { ...double('epochs'), parameterType: 'int' }] }), 'spec.parallelTrialCount: 3: Katib\'s hyperband starts 9 trials'],
  ])('%s is told with its place', (_what, spec, line) => {
    expect(toldOfSpec(spec)).toEqual([expect.stringContaining(line)]);
  });

  test.each<[string, object]>([
    ['an algorithm of one\'s own', least('my-search', { depth: '3' })],
    ['a search for networks', least('enas', { controller_hidden_size: '64' }, { parameters: undefined, nasConfig: {} })],
    ['a seed of a setting', least('tpe', { random_state: '7' })],
    ['a scale that nobody writes', least('bayesianoptimization', { random_state: '7' })],
    ['other distributions', least('hyperband', hyperband, { parallelTrialCount: 9, parameters: [double('lr', { distribution: 'normal' }), { ...double('epochs'), parameterType: 'int' }] })],
    ['whole numbers in a discrete list of hyperband', least('hyperband', hyperband, {
      parallelTrialCount: 9, parameters: [{ name: 'n', parameterType: 'discrete', feasibleSpace: { list: ['-1', 8, ' +9'] } }, { ...double('epochs'), parameterType: 'int' }],
    })],
    ['fractions in a discrete list', least('tpe', {}, { parameters: [{ name: 'n', parameterType: 'discrete', feasibleSpace: { list: ['0.5', '1'] } }] })],
    ['values with signs of a shell', least('grid', {}, { parameters: [{ name: 'o', parameterType: 'categorical', feasibleSpace: { list: ['$(HOME)', 'it\'s'] } }] })],
    ['a collector of one\'s own with early stopping', least('random', {}, { metricsCollectorSpec: { collector: { kind: 'Custom' }, source: { fileSystemPath: { path: '/m/m.log', kind: 'File' } } }, earlyStopping: {} })],
    ['a filter with flags of Go', least('random', {}, { metricsCollectorSpec: { collector: { kind: 'StdOut' }, source: { filter: { metricsFormat: ['(?i)([a-z]+)=(?P<value>.*)'] } } } })],
  ])('%s is right', (_what, spec) => {
    expect(toldOfSpec(spec)).toEqual([]);
  });

  test.each([[], 'x', null, { algorithm: 'x', objective: [], parameters: { a: 1 } }, { parameters: [null, { name: 1, feasibleSpace: 'x' }], metricsCollectorSpec: 1, earlyStopping: 'x' },
    { algorithm: { algorithmName: 'hyperband', algorithmSettings: [null, { name: 'r_l', value: {} }, { name: 'eta', value: [] }, { name: 'resource_name' }] } },
  ])('%j ends nothing', (spec) => {
    expect(() => toldOfSpec(spec as object)).not.toThrow();
  });
});

test('every violation says what to do', () => {
  const messages = BROKEN.flatMap(([, broken]) => validateKatibSearch(broken)).map(({ message }) => message);
  expect(messages.filter((message) => !/\.$|\?$/.test(message))).toEqual([]);
});

const VALID: readonly (readonly [string, KatibSearch])[] = [
  ['the least', search()],
  ['a name that just fits', search({}, {}, {}, 'n'.repeat(40))],
  ['every kind of parameter with TPE', search({ parameters: { a: LOG, b: { ...LINEAR, step: 0.001 }, c: { ...WHOLE, scale: 'log' }, d: { type: 'int', values: [1, 2] } } }, tpe)],
  ['a grid, whose scales and steps are points', search({ algorithm: 'grid', parameters: { a: { ...LINEAR, step: 0.001 }, b: { ...WHOLE, scale: 'log' } } })],
  ['whole numbers with a step of one', search({ parameters: { n: { ...WHOLE, step: 1 } } })],
  ['steps between multiples, with a scale', search({ parameters: { a: { type: 'float', min: 0.1, max: 0.7, step: 0.1 }, b: { type: 'int', min: 2, max: 8, step: 2, scale: 'log' } } }, tpe)],
  ['a range of whole steps for Sobol', search({ parameters: { a: { type: 'float', min: 0.05, max: 0.35, step: 0.1 } } }, algorithm('sobol'))],
  ['any step for Optuna', search({ parameters: { a: { type: 'float', min: 0.05, max: 0.4, step: 0.1 } } }, algorithm('multivariate-tpe'))],
  ['settings of every kind', search({}, algorithm('bayesianoptimization', { base_estimator: 'GP', n_initial_points: '3', acq_func: 'EI', acq_optimizer: 'lbfgs' }))],
  ['hyperband', search(HYPERBAND)],
  ['CMA-ES in two dimensions', search({ parameters: { a: LINEAR, b: WHOLE } }, algorithm('cmaes', { sigma: '0.1' }))],
  ['early stopping that is switched off', search({ earlyStopping: { enabled: false, minProgressPercentage: 5 } }, { collector: { kind: 'Push' } })],
  ['early stopping of a file', search({ earlyStopping: { minTrials: 5 } }, { startStep: 2, collector: { kind: 'File', path: '/out/metrics.log' } })],
  ['any name in formats of one\'s own', search({ objective: 'val loss' }, { collector: { ...STDOUT, formats: ['(val loss) is (.*)'] } })],
  ['any arguments where no shell starts the program', search({}, { collector: { kind: 'Push' } }, { command: undefined, args: ['a b'] })],
  ['plain arguments for the image\'s entry point', search({}, {}, { command: undefined, args: ['--epochs=3', '/data'] })],
  ['any arguments behind a command', search({}, {}, { args: ['--lr=$(lr)', 'a b; c'] })],
];

test.each(VALID)('%s is valid', (_what, valid) => {
  expect(validateKatibSearch(valid).map(formatViolation)).toEqual([]);
});

test('each of our algorithms is one of Katib\'s', () => {
  const names = (['bayesian', 'random', 'grid', 'hyperband'] as const).map((ours) => katibAlgorithm(search({ algorithm: ours })).name);
  expect(names).toEqual(['bayesianoptimization', 'random', 'grid', 'hyperband']);
  expect(Object.keys(KATIB_ALGORITHMS)).toEqual(expect.arrayContaining(names));
});

test.each([[9, 3, 9], [10, 3, 9], [81, 3, 81], [16, 4, 16], [2, 3, 1]])('hyperband with a budget of %i and 1 of %i going on starts %i trials', (max, factor, trials) => {
  expect(hyperbandParallelTrials(max, factor)).toBe(trials);
});
