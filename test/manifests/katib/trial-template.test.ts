import { trialOf, type Json } from './katib';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { jobEngine } from '../../../src/manifests/engines/job';
import { jobSetEngine } from '../../../src/manifests/engines/jobset';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { trainerEngine } from '../../../src/manifests/engines/trainer';
import { trainingOperatorV1Engine } from '../../../src/manifests/engines/training-operator-v1';
import { volcanoEngine } from '../../../src/manifests/engines/volcano';
import { constructTrialTemplate } from '../../../src/manifests/katib/trial-template';
import type { KatibSearch } from '../../../src/model/katib/spec';
import { SEARCH_LABEL } from '../../../src/model/labels';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { formatViolation } from '../../../src/model/violations';

const JOB: TrainingJobSpec = {
  framework: 'pytorch', image: 'train:1', command: ['python', 'train.py'], args: ['--epochs=3'], replicas: 3,
  checkpointPath: 's3://runs/vision', hyperparameters: { EPOCHS: '20' }, env: [{ name: 'A', value: '1' }],
};

function search(job: Partial<TrainingJobSpec> = {}, settings: Partial<KatibSearch['settings']> = {}): KatibSearch {
  return {
    name: 'tuned', namespace: 'ml', job: { ...JOB, ...job }, settings: { collector: { kind: 'StdOut' }, ...settings },
    tuning: { objective: 'loss', parameters: { learningRate: { type: 'float', min: 0.001, max: 0.1, scale: 'log' }, n: { type: 'int', min: 1, max: 3 } } },
  };
}

const TRIAL = { name: 'tuned-abcd2345', values: { learningRate: '0.0123', n: '2' } };

/** The job of the trial as it would be written by hand. */
function byHand(job: TrainingJobSpec = JOB): TrainingJobSpec {
  return {
    ...job,
    checkpointPath: `${job.checkpointPath}/${TRIAL.name}`,
    hyperparameters: { ...job.hyperparameters, learningRate: '0.0123', LEARNING_RATE: '0.0123', n: '2', N: '2' },
    env: [...job.env!, { name: 'TRAINYARD_TRIAL', value: TRIAL.name }],
  };
}

const ENGINES: readonly EngineDefinition[] = [OPERATOR_ENGINE, trainingOperatorV1Engine(), jobSetEngine(), volcanoEngine()];

test.each(ENGINES)('what Katib makes of the template is what $title makes of the job of that trial', (engine) => {
  const template = constructTrialTemplate(engine, search({}, { collector: { kind: 'Push' } }));
  const { metadata, ...job } = trialOf(template, TRIAL);
  const { job: { metadata: expectedMetadata, ...expected }, companions } = engine.render({ name: TRIAL.name, labels: { [SEARCH_LABEL]: 'tuned' }, spec: byHand() });
  expect(job).toEqual(expected);
  expect(metadata).toEqual({ ...expectedMetadata, labels: { ...expectedMetadata.labels, [SEARCH_LABEL]: 'tuned' } });
  expect(companions).toEqual([]);
  expect(template.shared).toEqual([]);
  expect(template.violations).toEqual([]);
});

test('trials of plain Jobs share one headless service, in which their host names differ', () => {
  const template = constructTrialTemplate(jobEngine(), search());
  const { spec: { template: pods } } = trialOf(template, TRIAL);
  const env = new Map(pods.spec.containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));
  expect(env.get('MASTER_ADDR')).toBe('tuned-abcd2345-0.tuned');
  expect(pods.spec.subdomain).toBe('tuned');
  const [service] = template.shared as readonly Json[];
  expect(template.shared).toHaveLength(1);
  expect(service).toMatchObject({ kind: 'Service', metadata: { name: 'tuned', namespace: 'ml' }, spec: { clusterIP: 'None', selector: { [SEARCH_LABEL]: 'tuned' } } });
  expect(pods.metadata.labels).toMatchObject(service.spec.selector);
  expect(template.violations).toEqual([]);
});

test('trials of Kubeflow Trainer share one runtime, and say the rest themselves', () => {
  const template = constructTrialTemplate(trainerEngine(), search());
  expect(template.violations.map(formatViolation)).toEqual([]);
  expect(template.shared.map(({ kind, metadata: { name, namespace, labels } }) => ({ kind, name, namespace, job: labels?.job })))
    .toEqual([{ kind: 'TrainingRuntime', name: 'tuned', namespace: 'ml', job: 'tuned' }]);
  const { spec } = trialOf(template, TRIAL);
  expect(spec.runtimeRef.name).toBe('tuned');
  expect(spec.trainer.env).toEqual(expect.arrayContaining([{ name: 'TRAINYARD_JOB_NAME', value: TRIAL.name }, { name: 'LEARNING_RATE', value: '0.0123' }]));
  expect(JSON.stringify(template.shared)).not.toContain('trialParameters');
});

test('a search says the same whatever the engine: each value under its name, in capitals, and in one object', () => {
  for (const engine of [...ENGINES.slice(1), jobEngine(), trainerEngine()]) {
    const text = JSON.stringify(trialOf(constructTrialTemplate(engine, search()), TRIAL));
    expect(text).toContain('{"name":"learningRate","value":"0.0123"}');
    expect(text).toContain('{"name":"LEARNING_RATE","value":"0.0123"}');
    expect(text).toContain(JSON.stringify(JSON.stringify({ EPOCHS: '20', LEARNING_RATE: '0.0123', N: '2', learningRate: '0.0123', n: '2' })));
    expect(text).toContain(`{"name":"TRAINYARD_TRIAL","value":"${TRIAL.name}"}`);
    expect(text).toContain(`{"name":"CHECKPOINT_PATH","value":"s3://runs/vision/${TRIAL.name}"}`);
    expect(text).not.toContain('trialParameters');
  }
});

test.each<[string, EngineDefinition, TrainingJobSpec['framework'], object]>([
  ['operator', OPERATOR_ENGINE, 'pytorch', { container: 'training', labels: { 'role': 'master', 'ml.collabnix.io/replica-index': '0' } }],
  ['a Job', jobEngine(), 'pytorch', { container: 'training', labels: { 'batch.kubernetes.io/job-completion-index': '0' } }],
  ['a JobSet', jobSetEngine(), 'tensorflow', {
    container: 'training',
    labels: { 'jobset.sigs.k8s.io/replicatedjob-name': 'master', 'jobset.sigs.k8s.io/job-index': '0', 'batch.kubernetes.io/job-completion-index': '0' },
  }],
  ['a TrainJob', trainerEngine(), 'pytorch', {
    container: 'node',
    labels: { 'jobset.sigs.k8s.io/replicatedjob-name': 'node', 'jobset.sigs.k8s.io/job-index': '0', 'batch.kubernetes.io/job-completion-index': '0' },
  }],
  ['a PyTorchJob', trainingOperatorV1Engine(), 'pytorch', { container: 'pytorch', labels: { 'training.kubeflow.org/replica-type': 'master', 'training.kubeflow.org/replica-index': '0' } }],
  ['a TFJob', trainingOperatorV1Engine(), 'tensorflow', { container: 'tensorflow', labels: { 'training.kubeflow.org/replica-type': 'chief', 'training.kubeflow.org/replica-index': '0' } }],
  ['an MPIJob', trainingOperatorV1Engine(), 'horovod', { container: 'mpi', labels: { 'training.kubeflow.org/replica-type': 'launcher' } }],
  ['a Volcano Job', volcanoEngine(), 'pytorch', { container: 'training', labels: { 'volcano.sh/task-spec': 'master', 'volcano.sh/task-index': '0' } }],
])('the first replica of %s is the one whose metrics count', (_what, engine, framework, expected) => {
  expect(constructTrialTemplate(engine, search({ framework })).primaryPod).toEqual(expected);
});

test('what an engine makes for each job is a violation, because Katib makes jobs alone', () => {
  const { violations } = constructTrialTemplate(jobSetEngine(), search({ security: { networkPolicy: {} } }));
  expect(violations.map(formatViolation)).toEqual([expect.stringMatching(/^engine: "JobSet": creates a NetworkPolicy for each job \('NAME'?.*Katib creates only the job of a trial\./)]);
});

test('scripts that are the same for all jobs are shared', () => {
  const template = constructTrialTemplate(jobSetEngine(), search({ debug: {} }));
  expect(template.violations).toEqual([]);
  expect(template.shared.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ConfigMap tuned-tools']);
  const volumes = JSON.stringify(trialOf(template, TRIAL));
  expect(volumes).toContain('"name":"tuned-tools"');
  expect(volumes).not.toContain('tuned-abcd2345-tools');
});

test('hyperband\'s budget is a parameter too, and the variable beside it', () => {
  const template = constructTrialTemplate(OPERATOR_ENGINE, {
    ...search(), tuning: { ...search().tuning, algorithm: 'hyperband', budget: { max: 9, parameter: 'EPOCHS' } },
  });
  const { spec } = trialOf(template, { ...TRIAL, values: { ...TRIAL.values, EPOCHS: '3' } });
  expect(spec.hyperparameters.EPOCHS).toBe('3');
  expect(spec.env).toEqual(expect.arrayContaining([{ name: 'TRAINYARD_BUDGET', value: '3' }]));
});

test('a claim has a folder for each trial', () => {
  const template = constructTrialTemplate(OPERATOR_ENGINE, search({ checkpointPath: '/checkpoints', checkpoint: { claimName: 'runs' } }));
  expect(trialOf(template, TRIAL).spec).toMatchObject({ checkpointPath: '/checkpoints', checkpoint: { claimName: 'runs', subPath: TRIAL.name } });
});

test('parameters that stand nowhere are not declared, because the webhook refuses them', () => {
  const { trialParameters, trialSpec } = constructTrialTemplate(OPERATOR_ENGINE, search());
  for (const { name } of trialParameters) {
    expect(JSON.stringify(trialSpec)).toContain(`\${trialParameters.${name}}`);
  }
  expect(trialParameters).toEqual([
    { name: 'learningRate', reference: 'learningRate' }, { name: 'n', reference: 'n' }, { name: 'trialName', reference: '${trialSpec.Name}' },
  ]);
  expect(trialSpec).not.toHaveProperty('metadata.name');
  expect(trialSpec).not.toHaveProperty('metadata.namespace');
});
