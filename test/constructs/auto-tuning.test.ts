import { App, Testing } from 'cdk8s';
import {
  type AutoTuning, Framework, TrainingJob, TuningAlgorithm, TuningGoal, TuningParameter, TuningScale,
} from '../../src';

function specOf(autoTuning: AutoTuning) {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'image', replicas: 1, autoTuning });
  const errors = chart.node.findAll().flatMap((child) => child.node.validate());
  return { spec: (Testing.synth(chart) as { spec: { autoTuning: object } }[])[0].spec.autoTuning, errors, app: App.of(chart) };
}

const LR = TuningParameter.float({ min: 0.0001, max: 0.1, scale: TuningScale.LOG });

test('says no more than it was told', () => {
  expect(specOf({ objective: 'val_accuracy', parameters: { learningRate: LR } })).toMatchObject({
    spec: { objective: 'val_accuracy', parameters: { learningRate: { type: 'float', min: 0.0001, max: 0.1, scale: 'log' } } }, errors: [],
  });
  expect(Object.keys(specOf({ objective: 'y', parameters: { lr: LR } }).spec)).toEqual(['objective', 'parameters']);
});

test('says all that there is', () => {
  const { spec, errors } = specOf({
    objective: 'loss',
    goal: TuningGoal.MINIMIZE,
    algorithm: TuningAlgorithm.bayesian(),
    maxTrials: 40,
    parallelTrials: 4,
    target: 0.1,
    seed: 7,
    maxFailedTrials: 2,
    keepTrials: 5,
    earlyStopping: { minTrials: 4, minProgressPercentage: 30 },
    parameters: {
      lr: LR,
      layers: TuningParameter.int({ min: 1, max: 9, step: 2 }),
      batchSize: TuningParameter.ints(16, 32),
      dropout: TuningParameter.floats(0, 0.5),
      optimizer: TuningParameter.categorical('sgd', 'adam'),
    },
  });
  expect(errors).toEqual([]);
  expect(spec).toEqual({
    objective: 'loss', goal: 'minimize', algorithm: 'bayesian', maxTrials: 40, parallelTrials: 4, target: 0.1, seed: 7, maxFailedTrials: 2, keepTrials: 5,
    earlyStopping: { minTrials: 4, minProgressPercentage: 30 },
    parameters: {
      lr: { type: 'float', min: 0.0001, max: 0.1, scale: 'log' },
      layers: { type: 'int', min: 1, max: 9, step: 2 },
      batchSize: { type: 'int', values: [16, 32] },
      dropout: { type: 'float', values: [0, 0.5] },
      optimizer: { type: 'categorical', values: ['sgd', 'adam'] },
    },
  });
});

test('hyperband brings its budget along', () => {
  const { spec, errors } = specOf({ objective: 'y', parameters: { lr: LR }, algorithm: TuningAlgorithm.hyperband({ max: 27, parameter: 'EPOCHS' }) });
  expect(errors).toEqual([]);
  expect(spec).toMatchObject({ algorithm: 'hyperband', budget: { max: 27, parameter: 'EPOCHS' } });
});

test('a search that cannot be made is an error of synth', () => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', {
    metadata: { name: 'job' }, framework: Framework.pytorch(), image: 'image', replicas: 1,
    autoTuning: { objective: 'y', algorithm: TuningAlgorithm.grid(), parameters: { lr: LR } },
  });
  const errors = chart.node.findAll().flatMap((child) => child.node.validate());
  expect(errors).toEqual([expect.stringContaining('TrainingJob \'job\': spec.autoTuning.parameters.lr: ')]);
});
