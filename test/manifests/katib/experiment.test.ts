import type { Json } from './katib';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { constructExperiment } from '../../../src/manifests/katib/experiment';
import { constructTrialTemplate } from '../../../src/manifests/katib/trial-template';
import { METRICS_FORMAT, type KatibSearch, type KatibSettings } from '../../../src/model/katib/spec';
import type { AutoTuningSpec } from '../../../src/model/training-job/fields/features';

function specOf(tuning: Partial<AutoTuningSpec> = {}, settings: Partial<KatibSettings> = {}): Json {
  const search: KatibSearch = {
    name: 'tuned', job: { framework: 'pytorch', image: 'train:1', replicas: 1 }, settings: { collector: { kind: 'StdOut' }, ...settings },
    tuning: { objective: 'loss', parameters: { lr: { type: 'float', min: 0.001, max: 0.1, scale: 'log' } }, ...tuning },
  };
  return constructExperiment(OPERATOR_ENGINE, search, constructTrialTemplate(OPERATOR_ENGINE, search)).spec;
}

test('by default an Experiment means what autoTuning means', () => {
  const { trialTemplate, ...spec } = specOf();
  expect(spec).toEqual({
    objective: { type: 'maximize', objectiveMetricName: 'loss', metricStrategies: [{ name: 'loss', value: 'latest' }] },
    algorithm: { algorithmName: 'bayesianoptimization' },
    parallelTrialCount: 1,
    maxTrialCount: 20,
    maxFailedTrialCount: 5,
    parameters: [{ name: 'lr', parameterType: 'double', feasibleSpace: { min: '0.001', max: '0.1', distribution: 'logUniform' } }],
    metricsCollectorSpec: { collector: { kind: 'StdOut' }, source: { filter: { metricsFormat: [METRICS_FORMAT] } } },
  });
  expect(trialTemplate).toMatchObject({
    successCondition: 'status.conditions.#(type=="Succeeded")#|#(status=="True")#', failureCondition: 'status.conditions.#(type=="Failed")#|#(status=="True")#',
  });
});

test('all that a search can say', () => {
  expect(specOf({
    goal: 'minimize', target: 0.1, seed: 7, maxTrials: 15, parallelTrials: 4, maxFailedTrials: 2, earlyStopping: { minTrials: 5 },
    parameters: { n: { type: 'int', min: 1, max: 9, step: 2 }, b: { type: 'int', values: [16, 32] }, o: { type: 'categorical', values: ['sgd', 'adamw'] } },
  }, { algorithm: { name: 'tpe', settings: { gamma: '0.2' } }, additionalMetrics: ['accuracy'], startStep: 3, retainTrials: true, resumePolicy: 'LongRunning' })).toMatchObject({
    objective: {
      type: 'minimize', goal: 0.1, additionalMetricNames: ['accuracy'],
      metricStrategies: [{ name: 'loss', value: 'latest' }, { name: 'accuracy', value: 'latest' }],
    },
    algorithm: { algorithmName: 'tpe', algorithmSettings: [{ name: 'random_state', value: '7' }, { name: 'gamma', value: '0.2' }] },
    earlyStopping: { algorithmName: 'medianstop', algorithmSettings: [{ name: 'min_trials_required', value: '5' }, { name: 'start_step', value: '3' }] },
    parallelTrialCount: 4,
    maxTrialCount: 15,
    maxFailedTrialCount: 2,
    resumePolicy: 'LongRunning',
    parameters: [
      { name: 'n', parameterType: 'int', feasibleSpace: { min: '1', max: '9', step: '2' } },
      { name: 'b', parameterType: 'categorical', feasibleSpace: { list: ['16', '32'] } },
      { name: 'o', parameterType: 'categorical', feasibleSpace: { list: ['sgd', 'adamw'] } },
    ],
    trialTemplate: { retain: true },
  });
});

test('a grid has no more trials than points, and no more at a time', () => {
  expect(specOf({ algorithm: 'grid', maxTrials: 30, parallelTrials: 10, parameters: { o: { type: 'categorical', values: ['a', 'b'] } } }))
    .toMatchObject({ maxTrialCount: 2, parallelTrialCount: 2, maxFailedTrialCount: 2 });
});

test('hyperband divides its budget by a parameter', () => {
  const spec = specOf({ algorithm: 'hyperband', parallelTrials: 9, budget: { max: 9, parameter: 'EPOCHS' } });
  expect(spec.algorithm).toEqual({
    algorithmName: 'hyperband', algorithmSettings: [{ name: 'r_l', value: '9' }, { name: 'eta', value: '3' }, { name: 'resource_name', value: 'EPOCHS' }],
  });
  expect(spec.parameters[1]).toEqual({ name: 'EPOCHS', parameterType: 'int', feasibleSpace: { min: '1', max: '9' } });
});

test.each<[KatibSettings['collector'], object]>([
  [{ kind: 'StdOut', formats: ['(a) (b)'] }, { collector: { kind: 'StdOut' }, source: { filter: { metricsFormat: ['(a) (b)'] } } }],
  [{ kind: 'File', path: '/m/m.log' }, {
    collector: { kind: 'File' }, source: { filter: { metricsFormat: [METRICS_FORMAT] }, fileSystemPath: { kind: 'File', path: '/m/m.log', format: 'TEXT' } },
  }],
  [{ kind: 'File', path: '/m/m.log', json: true }, { collector: { kind: 'File' }, source: { fileSystemPath: { kind: 'File', path: '/m/m.log', format: 'JSON' } } }],
  [{ kind: 'TensorFlowEvent', path: '/m/' }, { collector: { kind: 'TensorFlowEvent' }, source: { fileSystemPath: { kind: 'Directory', path: '/m/' } } }],
  [{ kind: 'PrometheusMetric', path: '/metrics', port: 8080 }, { collector: { kind: 'PrometheusMetric' }, source: { httpGet: { path: '/metrics', port: 8080 } } }],
  [{ kind: 'Push' }, { collector: { kind: 'Push' } }],
])('a collector %o', (collector, expected) => {
  expect(specOf({}, { collector }).metricsCollectorSpec).toEqual(expected);
});
