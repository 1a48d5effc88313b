/** Rules on `spec.autoTuning`. */
import type { AutoTuningSpec, TuningParameterSpec } from '../../../../src/model/training-job/fields/features';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

const BLOG: AutoTuningSpec = {
  enabled: true,
  algorithm: 'bayesian',
  maxTrials: 20,
  objective: 'val_accuracy',
  parameters: { learningRate: { type: 'float', min: 0.0001, max: 0.1 }, batchSize: { type: 'int', values: [16, 32, 64, 128] } },
};

const job = (autoTuning: Partial<AutoTuningSpec>, fields: Partial<TrainingJobSpec> = {}): TrainingJobSpec => ({
  framework: 'pytorch', image: 'image', replicas: 4, autoTuning: { ...BLOG, ...autoTuning }, ...fields,
});
const one = (parameter: object, name = 'lr') => job({ parameters: { [name]: parameter as TuningParameterSpec } });
const P = 'spec.autoTuning.parameters.lr';

test.each<[string, TrainingJobSpec]>([
  ['the blog\'s search', job({})],
  ['a search beside the blog\'s hyperparameters, which have the same names in capitals', job({}, { hyperparameters: { LEARNING_RATE: '0.1', EPOCHS: '3' } })],
  ['a range in steps', one({ type: 'float', min: 0, max: 1, step: 0.1 })],
  ['whole numbers on a log scale', one({ type: 'int', min: 1, max: 1024, scale: 'log' })],
  ['categories that are words and numbers', one({ type: 'categorical', values: ['adam', 3] })],
  ['a grid that fits', job({ algorithm: 'grid', maxTrials: 4, parameters: { a: { type: 'int', min: 1, max: 4 } } })],
  ['hyperband with its budget', job({ algorithm: 'hyperband', budget: { max: 81, parameter: 'EPOCHS' } })],
  ['a search that is switched off, with names that trials could not have', job({ enabled: false, parameters: { RANK: { type: 'int', min: 1, max: 3 } } })],
])('%s is right', (_what, spec) => {
  expect(validateTrainingJob('net', spec)).toEqual([]);
});

test.each<[string, TrainingJobSpec, string, string]>([
  ['no parameters', job({ parameters: {} }), 'spec.autoTuning.parameters', '1 to 64'],
  ['an objective of blanks', job({ objective: ' ' }), 'spec.autoTuning.objective', 'must be the name of a metric'],
  ['an objective that ends its line', job({ objective: 'a\npwned()' }), 'spec.autoTuning.objective', 'without spaces'],
  ['an objective of signs', job({ objective: '/.-' }), 'spec.autoTuning.objective', 'with a letter, a digit'],
  ['an objective that is longer than any name', job({ objective: 'a'.repeat(257) }), 'spec.autoTuning.objective', 'at most 256 characters'],
  ['a range upside down in a search that is switched off', job({ enabled: false, parameters: { lr: { type: 'int', min: 3, max: 1 } } }), 'spec.autoTuning.parameters.lr.max', 'more than min (3)'],
  ['a range upside down', one({ type: 'float', min: 1, max: 0.1 }), `${P}.max`, 'more than min (1)'],
  ['a range of one value', one({ type: 'int', min: 1, max: 1 }), `${P}.max`, 'more than min'],
  ['half a range', one({ type: 'float', min: 1 }), `${P}.max`, 'give min and max, or values'],
  ['no range and no values', one({ type: 'float' }), `${P}.min`, 'give min and max, or values'],
  ['a range and values', one({ type: 'int', min: 1, max: 2, values: [1] }), `${P}.values`, 'Remove one of the two'],
  ['a log scale of values', one({ type: 'int', scale: 'log', values: [1] }), `${P}.values`, 'Remove one of the two'],
  ['categories without values', one({ type: 'categorical', min: 1, max: 2 }), `${P}.values`, 'lists its values'],
  ['no values', one({ type: 'int', values: [] }), `${P}.values`, 'at least 1'],
  ['words among numbers', one({ type: 'int', values: [1, 'two'] }), `${P}.values[1]`, 'Use the type categorical'],
  ['fractions among whole numbers', one({ type: 'int', values: [1.5] }), `${P}.values[0]`, 'whole number'],
  ['a value twice', one({ type: 'categorical', values: ['a', 'b', 'a'] }), `${P}.values[2]`, 'is listed twice'],
  ['a very long value', one({ type: 'categorical', values: ['x'.repeat(129)] }), `${P}.values[0]`, 'at most 128'],
  ['a fraction as bound of whole numbers', one({ type: 'int', min: 0.5, max: 3 }), `${P}.min`, 'whole number'],
  ['a step of nothing', one({ type: 'float', min: 0, max: 1, step: 0 }), `${P}.step`, 'more than 0'],
  ['a step over the whole range and beyond', one({ type: 'float', min: 0, max: 1, step: 2 }), `${P}.step`, 'fit between min and max'],
  ['a log scale from zero', one({ type: 'float', min: 0, max: 1, scale: 'log' }), `${P}.min`, 'more than 0 on a log scale'],
  ['steps on a log scale', one({ type: 'int', min: 1, max: 9, step: 2, scale: 'log' }), `${P}.step`, 'which a log scale does not have'],
  ['a name that is no variable', one({ type: 'int', values: [1] }, 'learning rate'), 'spec.autoTuning.parameters[\'learning rate\']', 'environment variable'],
  ['a name of the contract\'s family', one({ type: 'int', values: [1] }, 'TRAINYARD_X'), 'spec.autoTuning.parameters.TRAINYARD_X', 'reserved for variables'],
  ['two names that are one in capitals', job({ parameters: { batchSize: { type: 'int', values: [1] }, BATCH_SIZE: { type: 'int', values: [2] } } }),
    'spec.autoTuning.parameters.BATCH_SIZE', 'and so is batchSize'],
  ['a name that is the framework\'s in capitals', one({ type: 'int', values: [1] }, 'rank'), 'spec.autoTuning.parameters.rank', 'passed to scripts as RANK'],
  ['a name that stands in env', job({}, { env: [{ name: 'LEARNING_RATE', value: '1' }] }), 'spec.env[\'LEARNING_RATE\']', 'is also a hyperparameter'],
  ['a grid over any value', job({ algorithm: 'grid' }), 'spec.autoTuning.parameters.learningRate', 'Set a step, or list the values'],
  ['a grid of more points than trials', job({ algorithm: 'grid', maxTrials: 3, parameters: { a: { type: 'int', min: 1, max: 4 } } }),
    'spec.autoTuning.maxTrials', 'less than the 4 points of the grid'],
  ['hyperband without a budget', job({ algorithm: 'hyperband' }), 'spec.autoTuning.budget', 'is required for hyperband'],
  ['hyperband with nothing to divide', job({ algorithm: 'hyperband', budget: { max: 2 } }), 'spec.autoTuning.budget.max', 'at least 3 times'],
  ['hyperband of too many trials at once', job({ algorithm: 'hyperband', budget: { max: 1000 } }), 'spec.autoTuning.budget.min', 'the maximum is 81'],
  ['hyperband with early stopping', job({ algorithm: 'hyperband', budget: { max: 9 }, earlyStopping: {} }), 'spec.autoTuning.earlyStopping', 'Remove it'],
  ['a budget without hyperband', job({ budget: { max: 9 } }), 'spec.autoTuning.budget', 'the algorithm is bayesian'],
  ['a budget that is a parameter too', job({ algorithm: 'hyperband', budget: { max: 9, parameter: 'batchSize' } }), 'spec.autoTuning.budget.parameter', 'and so is batchSize'],
  ['too many trials at a time', job({ parallelTrials: 65 }), 'spec.autoTuning.parallelTrials', '64'],
])('%s is refused, with the place and the fix', (_what, spec, path, words) => {
  const violations = validateTrainingJob('net', spec);
  expect(violations.map((violation) => violation.path)).toContain(path);
  expect(violations.find((violation) => violation.path === path)!.message).toContain(words);
});

test('a name that is too long for the names of trials is refused with the length that fits', () => {
  const name = 'n'.repeat(48);
  const [violation, ...more] = validateTrainingJob(name, job({}));
  expect(more).toEqual([]);
  expect(violation).toMatchObject({ path: 'metadata.name', value: name });
  const most = Number(/Use at most (\d+) characters/.exec(violation.message)![1]);
  expect(validateTrainingJob('n'.repeat(most), job({}))).toEqual([]);
  expect(validateTrainingJob('n'.repeat(most + 1), job({}))).not.toEqual([]);
});
