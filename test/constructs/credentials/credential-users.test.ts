/** Credentials where they are used: the same three ways in a job, in a model server and in a large language model. */
import { App, Chart, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Credentials, Framework, InferenceService, LlmInferenceService, ManagedSecret, ModelCredentials, ModelFormat, ModelStorage, Predictor, RemoteSecret,
  SecretStoreRef, ServingMode, TrainingJob, type CredentialUse, type TrainingJobProps,
} from '../../../src';
import { HUGGING_FACE_TOKEN, WANDB_KEY } from '../../model/secrets/sample-tokens';
import { errorsOf } from '../../support/synth-errors';

const JOB = { metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'train:1', replicas: 1 } satisfies TrainingJobProps;

function external(chart: Chart, namespace?: string): Credentials {
  return Credentials.externalSecret(chart, 'Hub', { metadata: { name: 'hub', namespace }, store: SecretStoreRef.cluster('gcp'), keys: { HF_TOKEN: RemoteSecret.named('hf') } });
}

function files(chart: Chart): Credentials {
  return Credentials.secretManager(chart, 'Files', { metadata: { name: 'files' }, project: 'ml-prod', secrets: { token: ManagedSecret.named('hf') } });
}

function specOf(chart: Chart, kind: string): object {
  return (Testing.synth(chart) as { readonly kind: string; readonly spec: object }[]).find((object) => object.kind === kind)!.spec;
}

const ENV = [{ name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'HF_TOKEN' } } }, { name: 'HF_TOKEN_PATH', value: '/secrets/token' }];
const MOUNTS = [{ name: 'credentials-files', mountPath: '/secrets', readOnly: true }];
const VOLUMES = [{ name: 'credentials-files', csi: { driver: 'secrets-store-gke.csi.k8s.io', readOnly: true, volumeAttributes: { secretProviderClass: 'files' } } }];

function both(chart: Chart): CredentialUse[] {
  return [external(chart).asEnvironment(), files(chart).asFiles('/secrets', { variables: { HF_TOKEN_PATH: 'token' } })];
}

test('a job has them, after they are there', () => {
  const chart = Testing.chart();
  const job = new TrainingJob(chart, 'Job', { ...JOB, env: { A: kplus.EnvValue.fromValue('1') } });
  both(chart).forEach((use) => job.addCredentials(use));
  expect(specOf(chart, 'MLTrainingJob')).toMatchObject({
    env: [{ name: 'A', value: '1' }, ...ENV],
    template: { spec: { volumes: VOLUMES, containers: [{ name: 'training', volumeMounts: MOUNTS }] } },
  });
  expect((Testing.synth(chart) as { kind: string }[]).map(({ kind }) => kind)).toEqual(['ExternalSecret', 'SecretProviderClass', 'MLTrainingJob']);
});

test('credentials of a job are a property too', () => {
  const [one, other] = [Testing.chart(), Testing.chart()];
  const job = new TrainingJob(one, 'Job', JOB);
  both(one).forEach((use) => job.addCredentials(use));
  new TrainingJob(other, 'Job', { ...JOB, credentials: both(other) });
  expect(specOf(other, 'MLTrainingJob')).toEqual(specOf(one, 'MLTrainingJob'));
});

test('a model server has them', () => {
  const chart = Testing.chart();
  new InferenceService(chart, 'Service', { mode: ServingMode.STANDARD, predictor: Predictor.container({ image: 'server:1', credentials: both(chart) }), transformer: { image: 'transform:1', credentials: [files(new Chart(chart, 'Other')).asFiles('/keys')] } });
  expect(specOf(chart, 'InferenceService')).toMatchObject({
    predictor: { volumes: VOLUMES, containers: [{ env: ENV, volumeMounts: MOUNTS }] },
    transformer: { containers: [{ volumeMounts: [{ mountPath: '/keys' }] }] },
  });
});

test('a large language model has them, and further nodes as well', () => {
  const chart = Testing.chart();
  new LlmInferenceService(chart, 'Llm', { model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), workload: { credentials: both(chart), worker: {}, parallelism: { tensor: 8, pipeline: 2 } } });
  const pod = { containers: [{ env: ENV, volumeMounts: MOUNTS }], volumes: VOLUMES };
  expect(specOf(chart, 'LLMInferenceService')).toMatchObject({ template: pod, worker: pod });
});

test('weights are downloaded with a Secret that External Secrets keeps, and not with files', () => {
  const chart = Testing.chart();
  const credentials = ModelCredentials.fromCredentials(external(chart));
  new InferenceService(chart, 'Service', { mode: ServingMode.STANDARD, credentials, predictor: Predictor.model({ format: ModelFormat.HUGGINGFACE, storage: ModelStorage.huggingFace('Qwen/Qwen3-8B') }) });
  const objects = Testing.synth(chart) as { kind: string; metadata: { annotations?: object } }[];
  expect(objects.map(({ kind, metadata }) => [kind, metadata.annotations])).toEqual([
    ['ExternalSecret', undefined], ['InferenceService', expect.objectContaining({ 'serving.kserve.io/secretName': 'hub' })],
  ]);
  expect(() => ModelCredentials.fromCredentials(files(chart))).toThrow('ModelCredentials.fromCredentials: SecretProviderClass \'files\' makes files in the pods that mount them');
});

test('a variable or a path that is taken is refused', () => {
  const chart = Testing.chart();
  const hub = external(chart);
  expect(() => new TrainingJob(chart, 'A', { ...JOB, env: { HF_TOKEN: kplus.EnvValue.fromValue('x') }, credentials: [hub.asEnvironment()] }))
    .toThrow('TrainingJob at \'test/A\': variable HF_TOKEN is given, and ExternalSecret \'hub\' sets it too. Remove one of the two.');
  expect(() => new TrainingJob(chart, 'B', { ...JOB, credentials: [hub.asFiles('/secrets'), hub.asFiles('/secrets')] }))
    .toThrow('TrainingJob at \'test/B\': volume \'credentials-hub\' is mounted at \'/secrets\', and the files of ExternalSecret \'hub\' are to be there too. Choose another path.');
});

test('credentials of another namespace are refused', () => {
  const app = new App();
  const chart = new Chart(app, 'test', { namespace: 'ml' });
  new TrainingJob(chart, 'Job', { ...JOB, credentials: [external(chart, 'platform').asEnvironment()] });
  expect(errorsOf(app)).toContain('[test/Job] TrainingJob \'train\': metadata.namespace: "ml": ExternalSecret \'hub\' is in \'platform\', and pods see what is in their own '
    + 'namespace. Make it there, or once more.');
});

describe('a token that is written out is refused', () => {
  const token = kplus.EnvValue.fromValue(HUGGING_FACE_TOKEN);

  test.each<[string, Partial<TrainingJobProps>, string, string]>([
    ['a variable', { env: { HF_TOKEN: token } }, 'spec.env[\'HF_TOKEN\']', 'HF_TOKEN'],
    ['an argument', { args: ['--token', HUGGING_FACE_TOKEN] }, 'spec.args[1]', '--token'],
    ['a hyperparameter', { hyperparameters: { token: HUGGING_FACE_TOKEN } }, 'spec.hyperparameters.token', 'token'],
    ['an annotation', { metadata: { name: 'train', annotations: { note: HUGGING_FACE_TOKEN } } }, 'metadata.annotations.note', 'note'],
    ['a pod template', { podTemplate: { spec: { containers: [{ name: 'sidecar', image: 'x', env: [{ name: 'T', value: HUGGING_FACE_TOKEN }] }] } } }, 'spec.template.spec.containers[0].env[\'T\']', 'T'],
  ])('in %s of a job, unless the job says that it is none', (_what, change, path, name) => {
    const app = new App();
    new TrainingJob(new Chart(app, 'test'), 'Job', { ...JOB, ...change });
    const errors = errorsOf(app);
    expect(errors).toContainEqual(expect.stringContaining(`TrainingJob 'train': ${path}: "hf_... (37 characters)": looks like a Hugging Face token`));
    expect(errors.join()).not.toContain(HUGGING_FACE_TOKEN);
    const declared = new App();
    const job = new TrainingJob(new Chart(declared, 'test'), 'Job', { ...JOB, ...change });
    job.metadata.addAnnotation('ml.collabnix.io/not-secret', name);
    expect(errorsOf(declared)).toEqual([]);
  });

  test('in an annotation that was added to a job afterwards', () => {
    const chart = new Chart(new App(), 'test');
    const job = new TrainingJob(chart, 'Job', JOB);
    job.metadata.addAnnotation('note', HUGGING_FACE_TOKEN);
    expect(() => Testing.synth(chart)).toThrow("MLTrainingJob 'train': metadata.annotations.note: \"hf_... (37 characters)\": looks like a Hugging Face token");
    job.metadata.addAnnotation('ml.collabnix.io/not-secret', 'note');
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('beside what else is wrong', () => {
    const app = new App();
    new TrainingJob(new Chart(app, 'test'), 'Job', { ...JOB, replicas: 0, env: { WANDB_API_KEY: kplus.EnvValue.fromValue(WANDB_KEY) } });
    expect(errorsOf(app).filter((line) => line.startsWith('[test/Job]'))).toEqual([
      expect.stringContaining('spec.replicas: 0'), expect.stringContaining('spec.env[\'WANDB_API_KEY\']: "... (40 characters)": looks like a secret of Weights & Biases, by its name'),
    ]);
  });

  test('in a model server', () => {
    const app = new App();
    const chart = new Chart(app, 'test');
    new InferenceService(chart, 'Service', { metadata: { name: 'iris' }, mode: ServingMode.STANDARD, predictor: Predictor.container({ image: 'server:1', env: { HF_TOKEN: token } }) });
    new LlmInferenceService(chart, 'Llm', { metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), workload: { env: { HF_TOKEN: token } } });
    const errors = errorsOf(app).filter((line) => line.includes('looks like a Hugging Face token'));
    expect(new Set(errors.map((line) => line.split(': ').slice(0, 2).join(': ')))).toEqual(new Set([
      '[test/Service] InferenceService \'iris\': spec.predictor.containers[0].env[\'HF_TOKEN\']', '[test/Llm] LLMInferenceService \'qwen\': spec.template.containers[0].env[\'HF_TOKEN\']',
    ]));
  });
});
