/** Credentials where they are used: the same three ways in a job, in a model server and in a large language model. */
import path from 'node:path';
import { App, Chart, Cron, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import {
  Credentials, Framework, ManagedSecret, RemoteSecret, RwxBackend, RwxCheckpointStore, SecretStoreRef, TrainingJob, TuningParameter,
  type CredentialUse, type TrainingJobProps,
} from '../../../src';
import { DevicePluginConfig, FeatureMatch, GpuOperatorPolicy, MigLayout, MigPartedConfig, NodeFeatureRule } from '../../../src/constructs/gpu-operator';
import { Pipeline, PipelineFile, PipelineVersion, RecurringRun } from '../../../src/constructs/pipelines';
import { ClusterQueue, LocalQueue } from '../../../src/constructs/queues';
import { RayCluster, RayCronJob, RayJob, RayService } from '../../../src/constructs/ray';
import {
  ClusterServingRuntime, GraphNode, GraphTarget, InferenceGraph, InferenceRoute, InferenceService, LlmInferenceService, LocalModelCache,
  LocalModelNodeGroup, ModelCredentials, ModelFormat, ModelStorage, ModelStorageContainer, Predictor, ServingMode, ServingProtocol, ServingRuntime,
} from '../../../src/constructs/serving';
import {
  ScheduledSparkApplication, SparkApplication, SparkConnect, SparkEventLog, SparkHistoryServer, SparkIdentity, SparkProgram,
} from '../../../src/constructs/spark';
import { HyperparameterSearch, SearchEngine } from '../../../src/constructs/tuning';
import { Notebook, NotebookServer, PodDefault, TensorBoard, TensorBoardLogs } from '../../../src/constructs/workbench';
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
  new LlmInferenceService(chart, 'Llm', { baseConfigs: ['kserve-config-llm-worker-pipeline-parallel'], model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), workload: { credentials: both(chart), worker: {}, parallelism: { tensor: 8, pipeline: 2 } } });
  const pod = { containers: [{ env: ENV, volumeMounts: MOUNTS }], volumes: VOLUMES };
  expect(specOf(chart, 'LLMInferenceService')).toMatchObject({ template: pod, worker: pod });
});

test('all pods of a RayCluster have its credentials, and each group its own', () => {
  const chart = Testing.chart();
  new RayCluster(chart, 'Ray', {
    image: 'rayproject/ray:2.54.0', credentials: both(chart), head: { credentials: [files(new Chart(chart, 'Other')).asFiles('/keys')] },
    workerGroups: [{ name: 'a' }, { name: 'b', credentials: [Credentials.secret(kplus.Secret.fromSecretName(chart, 'W', 'wandb')).asEnvironment({ WANDB_API_KEY: 'key' })] }],
  });
  const wandb = { name: 'WANDB_API_KEY', valueFrom: { secretKeyRef: { name: 'wandb', key: 'key' } } };
  const pod = (...own: object[]) => ({ template: { spec: { containers: [{ env: [...ENV, ...own], volumeMounts: MOUNTS }], volumes: VOLUMES } } });
  expect(specOf(chart, 'RayCluster')).toMatchObject({
    headGroupSpec: { template: { spec: { containers: [{ env: ENV, volumeMounts: [...MOUNTS, { mountPath: '/keys' }] }] } } }, workerGroupSpecs: [pod(), pod(wandb)],
  });
  expect((Testing.synth(chart) as { kind: string }[]).map(({ kind }) => kind)).toEqual(['ExternalSecret', 'SecretProviderClass', 'RayCluster']);
});

test('files of one Secret in two places are one volume, and another volume of its name is refused', () => {
  const chart = Testing.chart();
  const hub = (name = 'a-b') => Credentials.secret(kplus.Secret.fromSecretName(new Chart(chart, `Hub${chart.node.children.length}`), 'Hub', name));
  const ray = (id: string, credentials: CredentialUse[]) => new RayCluster(chart, id, { image: 'rayproject/ray:2.54.0', credentials });
  ray('A', [hub().asFiles('/one'), hub().asFiles('/two')]);
  const [one, two] = ['/one', '/two'].map((mountPath) => ({ name: 'credentials-a-b', mountPath }));
  const { headGroupSpec: { template: { spec: { volumes, containers: [{ volumeMounts }] } } } } = specOf(chart, 'RayCluster') as {
    headGroupSpec: { template: { spec: { volumes: { name: string }[]; containers: { volumeMounts: object[] }[] } } };
  };
  expect(volumes.filter(({ name }) => name === 'credentials-a-b')).toEqual([{ name: 'credentials-a-b', secret: { secretName: 'a-b' } }]);
  expect(volumeMounts).toMatchObject([one, two]);
  expect(() => ray('B', [hub().asFiles('/one'), hub('a.b').asFiles('/two')])).toThrow('a volume \'credentials-a-b\' is mounted at \'/one\', and the files of Secret \'a.b\' are another volume of that name. Rename the volume');
});

test('a notebook has them', () => {
  const chart = Testing.chart();
  new Notebook(chart, 'Lab', { server: NotebookServer.jupyter('jupyter:1'), env: { A: kplus.EnvValue.fromValue('1') }, credentials: both(chart) });
  expect(specOf(chart, 'Notebook')).toMatchObject({
    template: { spec: { containers: [{ env: [{ name: 'A', value: '1' }, ...ENV], volumeMounts: MOUNTS }], volumes: VOLUMES } },
  });
});

test('a PodDefault gives them to pods', () => {
  const chart = Testing.chart();
  new PodDefault(chart, 'ForPods', { credentials: both(chart) });
  expect(specOf(chart, 'PodDefault')).toMatchObject({ env: ENV, volumeMounts: MOUNTS, volumes: VOLUMES });
});

test('weights are downloaded with a Secret that External Secrets keeps, and not with files', () => {
  const chart = Testing.chart();
  const credentials = ModelCredentials.fromCredentials(external(chart));
  new InferenceService(chart, 'Service', { mode: ServingMode.STANDARD, credentials, predictor: Predictor.model({ format: ModelFormat.HUGGINGFACE, storage: ModelStorage.huggingFace('Qwen/Qwen3-8B') }) });
  const objects = Testing.synth(chart) as { kind: string; metadata: { annotations?: object } }[];
  expect(objects.map(({ kind, metadata }) => [kind, metadata.annotations])).toEqual([
    ['ExternalSecret', undefined], ['InferenceService', expect.objectContaining({ 'serving.kserve.io/storageSecretName': 'hub', 'serving.kserve.io/secretName': 'hub' })],
  ]);
  expect(() => ModelCredentials.fromCredentials(files(chart))).toThrow('ModelCredentials.fromCredentials: SecretProviderClass \'files\' creates files in the pods that mount them');
});

test('a variable or a path that is taken is refused', () => {
  const chart = Testing.chart();
  const hub = external(chart);
  expect(() => new TrainingJob(chart, 'A', { ...JOB, env: { HF_TOKEN: kplus.EnvValue.fromValue('x') }, credentials: [hub.asEnvironment()] }))
    .toThrow('TrainingJob at \'test/A\': variable HF_TOKEN is given, and ExternalSecret \'hub\' sets it too. Remove one of the two.');
  expect(() => new TrainingJob(chart, 'B', { ...JOB, credentials: [hub.asFiles('/secrets'), hub.asFiles('/secrets')] }))
    .toThrow('TrainingJob at \'test/B\': volume \'credentials-hub\' is mounted at \'/secrets\', and the files of ExternalSecret \'hub\' use the same path. Choose another path.');
});

test('credentials of another namespace are refused', () => {
  const app = new App();
  const chart = new Chart(app, 'test', { namespace: 'ml' });
  new TrainingJob(chart, 'Job', { ...JOB, credentials: [external(chart, 'platform').asEnvironment()] });
  expect(errorsOf(app)).toContain('[test/Job] TrainingJob \'train\': metadata.namespace: "ml": ExternalSecret \'hub\' is in \'platform\', but pods can only use Secrets in their own '
    + 'namespace. Create it in the pods\' namespace.');
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

  test('in an annotation that was added to a job afterwards', async () => {
    const app = new App();
    const job = new TrainingJob(new Chart(app, 'test'), 'Job', JOB);
    job.metadata.addAnnotation('note', HUGGING_FACE_TOKEN);
    expect(errorsOf(app)).toContainEqual(expect.stringContaining('TrainingJob \'train\': metadata.annotations.note: "hf_... (37 characters)": looks like a Hugging Face token'));
    job.metadata.addAnnotation('ml.collabnix.io/not-secret', 'note');
    // An answer holds for one turn of the event loop.
    await Promise.resolve();
    expect(errorsOf(app)).toEqual([]);
  });

  test('beside what else is wrong', () => {
    const app = new App();
    new TrainingJob(new Chart(app, 'test'), 'Job', { ...JOB, replicas: 0, env: { WANDB_API_KEY: kplus.EnvValue.fromValue(WANDB_KEY) } });
    expect(errorsOf(app).filter((line) => line.startsWith('[test/Job]'))).toEqual([
      expect.stringContaining('spec.replicas: 0'), expect.stringContaining('spec.env[\'WANDB_API_KEY\']: "... (40 characters)": looks like a secret of Weights & Biases, judging by its name'),
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

  const metadata = { name: 'a', annotations: { note: HUGGING_FACE_TOKEN } };
  const note = 'metadata.annotations.note';
  const env = { HF_TOKEN: token };
  const ray = { image: 'rayproject/ray:2.54.0', env };
  const inRay = (spec: string) => `${spec}.headGroupSpec.template.spec.containers[0].env['HF_TOKEN']`;
  const spark = { metadata: { name: 'a' }, image: 'spark:4', sparkConf: { 'spark.my.token': HUGGING_FACE_TOKEN }, program: SparkProgram.python('local:///app.py') };
  const connect = { metadata: { name: 'a' }, image: spark.image, sparkConf: spark.sparkConf };
  const runtime = { metadata: { name: 'a' }, formats: [{ name: 'mine' }], protocols: [ServingProtocol.V2], image: 'server:1', env };
  const file = PipelineFile.fromFile(path.join(__dirname, '..', '..', '..', 'examples', 'pipelines', 'pipeline.yaml'));
  const nodeGroup = { limit: Size.gibibytes(100), path: '/mnt/disks/ssd0', nodeSelector: { pool: 'gpu' } };

  test.each<[what: string, program: (chart: Chart) => void, where: string]>([
    ['a RayCluster', (chart) => new RayCluster(chart, 'A', { metadata: { name: 'a' }, ...ray }), `RayCluster 'a': ${inRay('spec')}`],
    ['a RayJob', (chart) => new RayJob(chart, 'A', { metadata: { name: 'a' }, entrypoint: 'x', cluster: ray }), `RayJob 'a': ${inRay('spec.rayClusterSpec')}`],
    ['an entry point', (chart) => new RayJob(chart, 'A', { metadata: { name: 'a' }, entrypoint: `x ${HUGGING_FACE_TOKEN}`, cluster: { ...ray, env: {} } }), 'RayJob \'a\': spec.entrypoint'],
    ['a RayService', (chart) => new RayService(chart, 'A', { metadata: { name: 'a' }, cluster: ray, applications: [{ name: 'a', importPath: 'a:b' }] }), `RayService 'a': ${inRay('spec.rayClusterConfig')}`],
    ['a RayCronJob', (chart) => new RayCronJob(chart, 'A', { metadata: { name: 'a' }, schedule: Cron.daily(), job: { entrypoint: 'x', cluster: ray } }), `RayCronJob 'a': ${inRay('spec.jobTemplate.rayClusterSpec')}`],
    ['a SparkApplication', (chart) => new SparkApplication(chart, 'A', spark), 'SparkApplication \'a\': spec.sparkConf'],
    ['a ScheduledSparkApplication', (chart) => new ScheduledSparkApplication(chart, 'A', { ...spark, schedule: '@daily' }), 'ScheduledSparkApplication \'a\': spec.template.sparkConf'],
    ['a SparkConnect', (chart) => new SparkConnect(chart, 'A', connect), 'SparkConnect \'a\': spec.sparkConf'],
    ['a SparkHistoryServer', (chart) => new SparkHistoryServer(chart, 'A', { metadata: { name: 'a' }, image: 'spark:4', eventLog: SparkEventLog.at('gs://logs'), env }), 'Deployment \'a\': spec.template.spec.containers[0].env[\'HF_TOKEN\']'],
    ['a SparkIdentity', (chart) => new SparkIdentity(chart, 'A', { metadata }), `ServiceAccount 'a': ${note}`],
    ['a Notebook', (chart) => new Notebook(chart, 'A', { metadata: { name: 'a' }, server: NotebookServer.jupyter('j:1'), env }), 'Notebook \'a\': spec.template.spec.containers[0].env[\'HF_TOKEN\']'],
    ['a PodDefault', (chart) => new PodDefault(chart, 'A', { metadata: { name: 'a' }, env }), 'PodDefault \'a\': spec.env[\'HF_TOKEN\']'],
    ['a TensorBoard', (chart) => new TensorBoard(chart, 'A', { metadata, logs: TensorBoardLogs.uri('gs://runs') }), `Tensorboard 'a': ${note}`],
    ['a ServingRuntime', (chart) => new ServingRuntime(chart, 'A', runtime), 'ServingRuntime \'a\': spec.containers[0].env[\'HF_TOKEN\']'],
    ['a ClusterServingRuntime', (chart) => new ClusterServingRuntime(chart, 'A', runtime), 'ClusterServingRuntime \'a\': spec.containers[0].env[\'HF_TOKEN\']'],
    ['a ModelStorageContainer', (chart) => new ModelStorageContainer(chart, 'A', { metadata: { name: 'a' }, image: 'x', prefixes: ['dvc://'], env }), 'ClusterStorageContainer \'a\': spec.container.env[\'HF_TOKEN\']'],
    ['an InferenceGraph', (chart) => new InferenceGraph(chart, 'A', { metadata: { name: 'a' }, mode: ServingMode.STANDARD, nodes: { root: GraphNode.sequence([{ target: GraphTarget.url('http://x:hunter2hunter2@models') }]) } }), 'InferenceGraph \'a\': spec.nodes.root.steps[0].serviceUrl'],
    ['an InferenceRoute', (chart) => new InferenceRoute(chart, 'A', { metadata: { name: 'a' }, gateways: [{ name: 'public' }] }).addService(new InferenceService(chart, 'S', { mode: ServingMode.STANDARD, predictor: Predictor.container({ image: 'x:1' }) }), { headers: { authorization: HUGGING_FACE_TOKEN } }), 'HTTPRoute \'a\': spec.rules[0].matches[0].headers[\'authorization\']'],
    ['a LocalModelCache', (chart) => new LocalModelCache(chart, 'A', { metadata, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), size: Size.gibibytes(20), nodeGroups: [new LocalModelNodeGroup(chart, 'G', nodeGroup)] }), `LocalModelCache 'a': ${note}`],
    ['a LocalModelNodeGroup', (chart) => new LocalModelNodeGroup(chart, 'A', { ...nodeGroup, metadata }), `LocalModelNodeGroup 'a': ${note}`],
    ['a Pipeline', (chart) => new Pipeline(chart, 'A', { metadata: { name: 'a' }, description: `with ${HUGGING_FACE_TOKEN}` }), 'Pipeline \'a\': spec.description'],
    ['a PipelineVersion', (chart) => new PipelineVersion(chart, 'A', { metadata: { name: 'a' }, pipeline: new Pipeline(chart, 'P'), file, codeSourceUrl: 'https://oauth2:hunter2hunter2@git.example/a' }), 'PipelineVersion \'a\': spec.codeSourceURL'],
    ['a RecurringRun', (chart) => new RecurringRun(chart, 'A', { metadata: { name: 'a' }, version: new Pipeline(chart, 'P').addVersion('v1', file), schedule: '@daily', parameters: { table: HUGGING_FACE_TOKEN } }), 'CronJob \'a\': spec.jobTemplate.spec.template.spec.containers[0]'],
    ['a HyperparameterSearch', (chart) => new HyperparameterSearch(chart, 'A', { metadata: { name: 'a' }, searchEngine: SearchEngine.katib(), objective: 'x', maxTrials: 2, parameters: { lr: TuningParameter.int({ min: 1, max: 2 }) }, job: { ...JOB, metadata: {}, env } }), 'HyperparameterSearch \'a\': '],
    ['a LocalQueue', (chart) => new LocalQueue(chart, 'A', { metadata, clusterQueue: ClusterQueue.fromClusterQueueName('research') }), `LocalQueue 'a': ${note}`],
    ['a RwxCheckpointStore', (chart) => new RwxCheckpointStore(chart, 'A', { metadata: { name: 'a', namespace: 'ml' }, backend: RwxBackend.filestore(), mountOptions: [`password=${HUGGING_FACE_TOKEN}`] }), 'StorageClass \'ml-a\': mountOptions[0]'],
    ['a GpuOperatorPolicy', (chart) => new GpuOperatorPolicy(chart, 'A', { metadata: { annotations: metadata.annotations } }), `ClusterPolicy 'cluster-policy': ${note}`],
    ['a NodeFeatureRule', (chart) => new NodeFeatureRule(chart, 'A', { metadata, rules: { ib: { labels: { 'e.x/fabric': 'ib' }, allOf: [FeatureMatch.pciDevice('15b3')] } } }), `NodeFeatureRule 'a': ${note}`],
    ['a MigPartedConfig', (chart) => new MigPartedConfig(chart, 'A', { metadata, configs: { a: [MigLayout.of({ '1g.10gb': 7 })] } }), `ConfigMap 'a': ${note}`],
    ['a DevicePluginConfig', (chart) => new DevicePluginConfig(chart, 'A', { metadata, configs: { a: {} } }), `ConfigMap 'a': ${note}`],
  ])('in %s', (_what, program, where) => {
    const app = new App();
    program(new Chart(app, 'test', { namespace: 'ml' }));
    const errors = errorsOf(app);
    expect(errors).toContainEqual(expect.stringMatching(/looks like a (Hugging Face token|password in a URL)/));
    expect(errors).toContainEqual(expect.stringContaining(`] ${where}`));
    expect(errors.filter((line) => line.includes(HUGGING_FACE_TOKEN) || line.includes('hunter2'))).toEqual([]);
  });
});
