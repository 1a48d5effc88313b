import path from 'node:path';
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Checkpoint, CodeBundle, Engine, Framework, Gpu, TrainingJob, TuningAlgorithm, TuningGoal, TuningParameter, TuningScale, type TrainingJobProps,
} from '../../../src';
import {
  HyperparameterSearch, KatibAlgorithm, KatibMetrics, KatibResume, SearchEngine, type HyperparameterSearchProps, type KatibOptions,
} from '../../../src/constructs/tuning';
import { HUGGING_FACE_TOKEN } from '../../model/secrets/sample-tokens';
import { errorsOf } from '../../support/synth-errors';

const JOB: TrainingJobProps = { framework: Framework.pytorch(), image: 'train:1', command: ['python', 'train.py'], replicas: 2 };
const LR = TuningParameter.float({ min: 0.001, max: 0.1, scale: TuningScale.LOG });
const LEAST: HyperparameterSearchProps = { job: JOB, objective: 'loss', parameters: { lr: LR } };

function objectsOf(props: Partial<HyperparameterSearchProps>, chart = Testing.chart()) {
  new HyperparameterSearch(chart, 'Tuned', { ...LEAST, metadata: { name: 'tuned' }, ...props });
  return Testing.synth(chart);
}

function experiment(options: KatibOptions = {}, props: Partial<HyperparameterSearchProps> = {}) {
  return objectsOf({ searchEngine: SearchEngine.katib(options), ...props }).find(({ kind }) => kind === 'Experiment');
}

function problemsOf(props: Partial<HyperparameterSearchProps>): string[] {
  const app = new App();
  new HyperparameterSearch(new Chart(app, 'chart'), 'Tuned', { ...LEAST, metadata: { name: 'tuned' }, ...props });
  return errorsOf(app).map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

describe('by our operator', () => {
  test('a search is the job with autoTuning, as TrainingJob writes it', () => {
    const chart = Testing.chart();
    new TrainingJob(chart, 'Same', { ...JOB, metadata: { name: 'tuned' }, autoTuning: { objective: 'loss', parameters: { lr: LR } } });
    expect(objectsOf({})).toEqual(Testing.synth(chart));
  });

  test('it is the default, and can be named', () => {
    const chart = Testing.chart();
    const search = new HyperparameterSearch(chart, 'Tuned', LEAST);
    expect(search.searchEngine.name).toBe('operator');
    expect(search.resourceType).toBe('mltrainingjobs');
    expect(search.kind).toBe('MLTrainingJob');
    expect(objectsOf({ searchEngine: SearchEngine.operator() })).toEqual(objectsOf({}));
  });

  test('an engine that has no search is refused, with those that have one', () => {
    expect(problemsOf({ job: { ...JOB, engine: Engine.jobSet() } })).toEqual([
      expect.stringMatching(/^HyperparameterSearch 'tuned': spec\.autoTuning.*choose the Trainyard operator\.$/),
    ]);
  });
});

describe('by Katib', () => {
  test('the least is an Experiment in the namespace of the chart', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'ml', labels: { team: 'a' } });
    const search = new HyperparameterSearch(chart, 'Tuned', { ...LEAST, searchEngine: SearchEngine.katib() });
    expect(search.resourceType).toBe('experiments');
    expect(search.name).toMatch(/^chart-tuned-/);
    const [object] = Testing.synth(chart);
    expect(object).toMatchObject({ apiVersion: 'kubeflow.org/v1beta1', kind: 'Experiment', metadata: { namespace: 'ml', labels: { team: 'a' } } });
    expect(object.spec.trialTemplate.trialSpec.metadata).not.toHaveProperty('namespace');
  });

  test('with every option', () => {
    const object = experiment({
      metrics: KatibMetrics.file({ path: '/out/metrics.log', formats: ['(a)=(b)'] }), algorithm: KatibAlgorithm.named('tpe', { gamma: '0.3' }), additionalMetrics: ['accuracy'],
      earlyStoppingStartStep: 2, retainTrials: true, resume: KatibResume.FROM_VOLUME,
    }, {
      goal: TuningGoal.MINIMIZE, target: 0.01, maxTrials: 30, parallelTrials: 3, maxFailedTrials: 4, seed: 3, earlyStopping: { minTrials: 4 },
      metadata: { name: 'tuned', labels: { a: 'b' }, annotations: { c: 'd' } },
      job: { ...JOB, checkpoint: Checkpoint.at('gs://runs'), resources: { gpu: Gpu.nvidia(1) } },
    });
    expect(object).toMatchSnapshot();
  });

  test.each<[KatibMetrics, object]>([
    [KatibMetrics.stdOut({ formats: ['(a)=(b)'] }), { kind: 'StdOut' }],
    [KatibMetrics.file({ json: true }), { kind: 'File' }],
    [KatibMetrics.tensorFlowEvents(), { kind: 'TensorFlowEvent' }],
    [KatibMetrics.prometheus(9090, '/m'), { kind: 'PrometheusMetric' }],
    [KatibMetrics.push(), { kind: 'Push' }],
  ])('with metrics %o', (metrics, collector) => {
    expect(experiment({ metrics }).spec.metricsCollectorSpec.collector).toEqual(collector);
  });

  test.each([
    [KatibAlgorithm.tpe(), 'tpe', { lr: LR }], [KatibAlgorithm.multivariateTpe(), 'multivariate-tpe', { lr: LR }],
    [KatibAlgorithm.cmaEs(), 'cmaes', { a: TuningParameter.float({ min: 0, max: 1 }), b: TuningParameter.int({ min: 1, max: 5 }) }],
    [KatibAlgorithm.sobol(), 'sobol', { a: TuningParameter.float({ min: 0, max: 1 }) }],
  ])('with an algorithm of its own: %o', (algorithm, name, parameters) => {
    expect(algorithm.name).toBe(name);
    expect(experiment({ algorithm }, { parameters }).spec.algorithm).toEqual({ algorithmName: name });
  });

  test.each<[string, Engine, string]>([
    ['MLTrainingJob', Engine.operator(), 'Succeeded'], ['TrainJob', Engine.trainer(), 'Complete'], ['PyTorchJob', Engine.trainingOperatorV1(), 'Succeeded'],
    ['JobSet', Engine.jobSet(), 'Completed'], ['Job', Engine.job(), 'Complete'],
  ])('trials are jobs of any engine: %s', (kind, engine, condition) => {
    const { trialTemplate } = experiment({}, { job: { ...JOB, engine } }).spec;
    expect(trialTemplate.trialSpec.kind).toBe(kind);
    expect(trialTemplate.successCondition).toBe(`status.conditions.#(type=="${condition}")#|#(status=="True")#`);
  });

  test('what trials share is applied before them', () => {
    const kinds = (engine: Engine) => objectsOf({ searchEngine: SearchEngine.katib(), job: { ...JOB, engine } }).map(({ kind }) => kind);
    expect(kinds(Engine.job())).toEqual(['Service', 'Experiment']);
    expect(kinds(Engine.trainer())).toEqual(['TrainingRuntime', 'Experiment']);
    expect(kinds(Engine.jobSet())).toEqual(['Experiment']);
  });

  test('code comes with the search, and not with a job that nobody writes', () => {
    const job = { ...JOB, command: undefined, code: CodeBundle.fromDirectory(path.join(__dirname, '..', '..', '..', 'examples', 'code-bundle', 'src')) };
    const objects = objectsOf({ searchEngine: SearchEngine.katib({ metrics: KatibMetrics.push() }), job });
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Experiment']);
    expect(JSON.stringify(objects[1])).toContain(objects[0].metadata.name);
  });

  test('hyperband\'s budget is a parameter', () => {
    const { parameters, trialTemplate } = experiment({}, {
      algorithm: TuningAlgorithm.hyperband({ max: 9, parameter: 'EPOCHS' }), parallelTrials: 9, parameters: { a: TuningParameter.float({ min: 0, max: 1 }) },
    }).spec;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(['a', 'EPOCHS']);
    expect(trialTemplate.trialSpec.spec.hyperparameters.EPOCHS).toBe('${trialParameters.EPOCHS}');
  });

  test('a generated name leaves room for the service of the algorithm', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(60));
    const search = new HyperparameterSearch(chart, 'Tuned', { ...LEAST, searchEngine: SearchEngine.katib() });
    expect(search.name.length).toBeLessThanOrEqual(42 - 3);
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('the object can be changed by the default child', () => {
    const chart = Testing.chart();
    const search = new HyperparameterSearch(chart, 'Tuned', { ...LEAST, searchEngine: SearchEngine.katib() });
    ApiObject.of(search).addJsonPatch(JsonPatch.add('/spec/resumePolicy', 'LongRunning'));
    expect(Testing.synth(chart)[0].spec.resumePolicy).toBe('LongRunning');
  });
});

describe.each([['our operator', undefined], ['Katib', SearchEngine.katib()]])('after construction, by %s,', (_title, searchEngine) => {
  test('parameters, variables and volumes are added', () => {
    const chart = Testing.chart();
    const search = new HyperparameterSearch(chart, 'Tuned', { ...LEAST, ...(searchEngine && { searchEngine }) });
    search.addParameter('optimizer', TuningParameter.categorical('sgd', 'adamw'));
    search.addEnv('A', kplus.EnvValue.fromValue('1'));
    search.addVolumeMount('/data', kplus.Volume.fromEmptyDir(chart, 'Data', 'data'));
    expect(Object.keys(search.parameters)).toEqual(['lr', 'optimizer']);
    const text = JSON.stringify(Testing.synth(chart));
    expect(text).toContain('optimizer');
    expect(text).toContain('{"name":"A","value":"1"}');
    expect(text).toContain('"mountPath":"/data"');
  });

  test('a parameter of the same name is refused', () => {
    const search = new HyperparameterSearch(Testing.chart(), 'Tuned', { ...LEAST, ...(searchEngine && { searchEngine }) });
    expect(() => search.addParameter('lr', LR)).toThrow('HyperparameterSearch at \'test/Tuned\': cannot add parameter \'lr\', because the search already has one with that name.');
  });

  test('what the search was given stays as it was', () => {
    const parameters: { [name: string]: TuningParameter } = { lr: LR };
    const search = new HyperparameterSearch(Testing.chart(), 'Tuned', { ...LEAST, parameters, ...(searchEngine && { searchEngine }) });
    parameters.more = LR;
    search.parameters.other = LR;
    expect(Object.keys(search.parameters)).toEqual(['lr']);
  });
});

test('objects that are called for after construction are there too', () => {
  const chart = Testing.chart();
  const search = new HyperparameterSearch(chart, 'Tuned', { ...LEAST, parameters: {}, job: { ...JOB, engine: Engine.job() }, searchEngine: SearchEngine.katib() });
  search.addParameter('lr', LR);
  expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['Service', 'Experiment']);
});

describe('what contradicts itself is an error at once:', () => {
  test.each<[string, Partial<HyperparameterSearchProps>, string]>([
    ['a search in the job', { job: { ...JOB, autoTuning: { objective: 'loss', parameters: {} } } }, 'sets \'job.autoTuning\', but the construct itself configures the search.'],
    ['a name of the job', { job: { ...JOB, metadata: { name: 'other' } } }, 'sets \'job.metadata.name\', but trial jobs are named after the search'],
    ['a namespace of the job', { job: { ...JOB, metadata: { namespace: 'other' } } }, 'sets \'job.metadata.namespace\''],
    ['an autoscaler', { job: { ...JOB, elastic: { minReplicas: 1, maxReplicas: 3, metrics: [kplus.Metric.resourceCpu(kplus.MetricTarget.averageUtilization(50))] } } }, 'sets \'job.elastic.metrics\''],
    ['two algorithms', { algorithm: TuningAlgorithm.random(), searchEngine: SearchEngine.katib({ algorithm: KatibAlgorithm.tpe() }) }, 'sets \'algorithm\' (random) and Katib\'s own (tpe).'],
  ])('%s', (_what, props, message) => {
    expect(() => objectsOf(props)).toThrow(`HyperparameterSearch at 'test/Tuned': ${message}`);
  });
});

describe('synth tells', () => {
  const katib = SearchEngine.katib();

  test('what is wrong with the search', () => {
    expect(problemsOf({ searchEngine: katib, parameters: {} })).toEqual(['HyperparameterSearch \'tuned\': spec.autoTuning.parameters: 0: a search has 1 to 64 parameters.']);
  });

  test('what Katib has not', () => {
    expect(problemsOf({ searchEngine: katib, keepTrials: 3 })).toEqual([expect.stringContaining('HyperparameterSearch \'tuned\': spec.autoTuning.keepTrials: 3: Katib keeps')]);
  });

  test('what the job\'s engine has not', () => {
    expect(problemsOf({ searchEngine: katib, job: { ...JOB, framework: Framework.horovod(), engine: Engine.job() } })).toEqual([expect.stringMatching(/^HyperparameterSearch 'tuned': spec\.framework: "horovod": a plain Job/)]);
  });

  test.each([Engine.ray(), Engine.spark()])('that Katib cannot follow an engine', (engine) => {
    expect(problemsOf({ searchEngine: katib, job: { ...JOB, engine } })).toEqual([expect.stringMatching(new RegExp(`engine: "${engine.name}": Katib reads the metrics of one pod`))]);
  });

  test('that an engine makes more than a job for each trial', () => {
    expect(problemsOf({ searchEngine: katib, job: { ...JOB, engine: Engine.jobSet(), security: { networkPolicy: {} } } })).toEqual([expect.stringContaining('creates a NetworkPolicy for each job')]);
  });
});

describe.each([['our operator', SearchEngine.operator()], ['Katib', SearchEngine.katib()]])('a token that is written out is refused, by %s,', (_title, searchEngine) => {
  test.each<[string, Partial<HyperparameterSearchProps>, string]>([
    ['in a variable of the job', { job: { ...JOB, env: { HF_TOKEN: kplus.EnvValue.fromValue(HUGGING_FACE_TOKEN) } } }, 'spec.env[\'HF_TOKEN\']'],
    ['in an argument of the job', { job: { ...JOB, args: ['--token', HUGGING_FACE_TOKEN] } }, 'spec.args[1]'],
    ['in a value that is tried', { parameters: { lr: LR, token: TuningParameter.categorical('a', HUGGING_FACE_TOKEN) } }, 'spec.autoTuning.parameters'],
    ['in an annotation', { metadata: { name: 'tuned', annotations: { note: HUGGING_FACE_TOKEN } } }, 'metadata.annotations.note'],
  ])('%s', (_where, props, path) => {
    const problems = problemsOf({ ...props, searchEngine });
    expect(problems).toEqual([expect.stringMatching(/^HyperparameterSearch 'tuned': .*looks like a Hugging Face token/)]);
    expect(problems[0]).toContain(path);
    expect(problems[0]).not.toContain(HUGGING_FACE_TOKEN);
  });

  test('in a variable that comes later', () => {
    const app = new App();
    new HyperparameterSearch(new Chart(app, 'chart'), 'Tuned', { ...LEAST, metadata: { name: 'tuned' }, searchEngine }).addEnv('HF_TOKEN', kplus.EnvValue.fromValue(HUGGING_FACE_TOKEN));
    expect(errorsOf(app)).toEqual([expect.stringContaining('HyperparameterSearch \'tuned\': spec.env[\'HF_TOKEN\']: "hf_... (37 characters)": looks like a Hugging Face token')]);
  });
});

test.each([[KatibResume.NEVER, 'Never'], [KatibResume.LONG_RUNNING, 'LongRunning'], [KatibResume.FROM_VOLUME, 'FromVolume']])('the suggestion service of Katib can stay: %s', (resume, written) => {
  expect(experiment({ resume }).spec.resumePolicy).toBe(written);
});
