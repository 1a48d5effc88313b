/**
 * Katib's services of algorithms run the searches that are valid here: they take the settings, and give values that are within the ranges and on the
 * steps, with scales or without. What is refused here because a service would end or leave a range is in `test/model/katib`.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describeFramework } from './support/describe-framework';
import { scriptFile } from './support/run-script';
import { findGoProgram, keptFile } from '../cluster/support/upstream/go-program';
import { ALGORITHM_VARIABLE, KATIB } from '../cluster/support/upstream/katib';
import { testUnless } from '../support/where-possible';
import { OPERATOR_ENGINE } from '../../src/manifests/engines/operator';
import { checkForeign } from '../../src/model/checks/foreign-rules';
import { constructExperiment } from '../../src/manifests/katib/experiment';
import { constructTrialTemplate } from '../../src/manifests/katib/trial-template';
import { KATIB_ALGORITHMS, type KatibSetting } from '../../src/model/katib/algorithms';
import type { KatibSearch } from '../../src/model/katib/spec';
import { validateKatibSearch } from '../../src/model/katib/validation';
import type { AutoTuningSpec, TuningParameterSpec } from '../../src/model/training-job/fields/features';
import type { TrainingJobSpec } from '../../src/model/training-job/spec';
import { validateTrainingJob } from '../../src/model/training-job/validation/validation';

/** Searches that each algorithm is asked about. */
const SEARCHES = 12;

const found = findGoProgram(KATIB.algorithms);
const testWithKatib = testUnless(found.missing, 'Katib\'s algorithms');

const JOB: TrainingJobSpec = { framework: 'pytorch', image: 'train:1', command: ['python', 'train.py'], replicas: 1 };

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const scale = optional(fc.constantFrom('linear' as const, 'log' as const));
const arbitraryParameter: fc.Arbitrary<TuningParameterSpec> = fc.oneof(
  fc.record({
    type: fc.constant('float' as const), min: fc.constantFrom(0.0001, 0.05, 0.1, -3, 0), max: fc.constantFrom(0.2, 1, 5, 1e6), scale,
    step: optional(fc.constantFrom(0.01, 0.05, 0.1, 0.3, 1)),
  }),
  fc.record({ type: fc.constant('int' as const), min: fc.constantFrom(1, 2, 0, -6), max: fc.constantFrom(5, 8, 12, 1000), scale, step: optional(fc.constantFrom(1, 2, 3)) }),
  fc.record({ type: fc.constant('categorical' as const), values: fc.constantFrom(['a', 'b'], ['a'], ['True', 'False'], ['a,b', 'c:d', '{e}']) }),
  fc.record({ type: fc.constant('int' as const), values: fc.constantFrom([1, 2, 3], [4], [32, 64, 512]) }),
  fc.record({ type: fc.constant('float' as const), values: fc.constantFrom([0.1, 0.2], [1e-7, 3], [0.5]) }),
);

function arbitrarySetting(setting: KatibSetting): fc.Arbitrary<string> {
  if ('oneOf' in setting) {
    return fc.constantFrom(...setting.oneOf);
  }
  return 'least' in setting ? fc.integer({ min: setting.least, max: setting.least + 5 }).map(String) : fc.constantFrom('0.001', '0.5', '0.99');
}

function arbitrarySearch(name: string): fc.Arbitrary<KatibSearch> {
  const { settings } = KATIB_ALGORITHMS[name];
  // These two are the model's own, which says more of them.
  const own: { readonly [algorithm: string]: readonly Partial<AutoTuningSpec>[] } = {
    grid: [{ algorithm: 'grid' }],
    hyperband: [9, 8, 27, 5].map((max) => ({ algorithm: 'hyperband', budget: { max, parameter: 'EPOCHS' }, parallelTrials: 27 })),
  };
  return fc.record({
    set: fc.record(Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, arbitrarySetting(setting)])), { requiredKeys: [] })
      .map((set) => set as { [name: string]: string }),
    seed: optional(fc.nat({ max: 100 })),
    goal: fc.constantFrom('minimize' as const, 'maximize' as const),
    parallelTrials: fc.constantFrom(1, 3, 5),
    more: fc.constantFrom(...own[name] ?? [{}]),
    parameters: fc.dictionary(fc.constantFrom('lr', 'bs', 'opt', 'a_b'), arbitraryParameter, { minKeys: 1, maxKeys: 3 }),
  }).map(({ set, more, ...tuning }): KatibSearch => ({
    name: 'tuned',
    job: JOB,
    tuning: { objective: 'loss', maxTrials: 30, ...tuning, ...more },
    settings: { collector: { kind: 'StdOut' }, ...(!(name in own) && { algorithm: { name, settings: set } }) },
  })).filter((search) => validateTrainingJob('tuned', { ...JOB, autoTuning: { enabled: true, ...search.tuning } }).length === 0 && validateKatibSearch(search).length === 0);
}

interface Parameter {
  readonly name: string;
  readonly parameterType: string;
  readonly feasibleSpace: { readonly min: string; readonly max: string; readonly step?: string; readonly list?: readonly string[] };
}

/** Whether a value is one that the Experiment lets in. */
function isWithin(value: string, { parameterType, feasibleSpace: { min, max, step, list } }: Parameter): boolean {
  if (list !== undefined) {
    return list.includes(value);
  }
  const number = Number(value);
  const [slack, steps] = [1e-9 * Math.max(1, Math.abs(Number(max))), step === undefined ? 0 : (number - Number(min)) / Number(step)];
  return number >= Number(min) - slack && number <= Number(max) + slack && (parameterType !== 'int' || /^-?\d+$/.test(value))
    && Math.abs(steps - Math.round(steps)) < 1e-6;
}

/** What Katib's services say to Experiments. */
function asked(python: string, experiments: readonly object[]): { refused?: string; values?: { [name: string]: string }[] }[] {
  const { stdout, stderr } = spawnSync(python, ['-W', 'ignore', scriptFile('katib_algorithms.py'), keptFile(KATIB.algorithms, ''), found.program!, ALGORITHM_VARIABLE], {
    input: experiments.map((experiment) => `${JSON.stringify(experiment)}\n`).join(''), encoding: 'utf8', maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const answers = stdout.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line) as ReturnType<typeof asked>[number]);
  expect({ count: answers.length, stderr }).toEqual({ count: experiments.length, stderr: expect.anything() });
  return answers;
}

describeFramework('optimizers', 'Katib\'s algorithms', (python) => {
  testWithKatib.each(Object.keys(KATIB_ALGORITHMS))('%s takes what is valid, and gives values of the space', (name) => {
    const searches = fc.sample(arbitrarySearch(name), { numRuns: SEARCHES, seed: 1 });
    const experiments = searches.map((search) => constructExperiment(OPERATOR_ENGINE, search, constructTrialTemplate(OPERATOR_ENGINE, search)));
    asked(python, experiments).forEach(({ refused, values = [] }, index) => {
      const { parameters, algorithm } = experiments[index].spec as { parameters: Parameter[]; algorithm: object };
      expect({ algorithm, parameters, refused }).toEqual({ algorithm, parameters, refused: undefined });
      expect(values).not.toEqual([]);
      const each = values.flatMap((given) => parameters.map((parameter) => ({ parameter, value: given[parameter.name] })));
      expect(each.filter(({ value, parameter }) => !isWithin(value, parameter))).toEqual([]);
    });
  });

  testWithKatib('hyperband refuses the discrete lists that are refused here, and takes the others', () => {
    const experiments = [['0.5', '1'], ['1e1', '2'], ['1.0', '2'], ['x', '2'], ['1', '2'], [' +3', '-9']].map((list) => ({
      apiVersion: 'kubeflow.org/v1beta1', kind: 'Experiment', metadata: { name: 'tuned' }, spec: {
        objective: { type: 'minimize', objectiveMetricName: 'loss' }, maxTrialCount: 30, parallelTrialCount: 27,
        algorithm: { algorithmName: 'hyperband', algorithmSettings: [{ name: 'r_l', value: '9' }, { name: 'resource_name', value: 'EPOCHS' }] },
        parameters: [{ name: 'n', parameterType: 'discrete', feasibleSpace: { list } }, { name: 'EPOCHS', parameterType: 'int', feasibleSpace: { min: '1', max: '9' } }],
      },
    }));
    const refused = asked(python, experiments).map((answer) => answer.refused !== undefined);
    expect(experiments.map((experiment) => checkForeign(experiment, [experiment]).length > 0)).toEqual(refused);
    expect(refused).toEqual([true, true, true, true, false, false]);
  });
});
