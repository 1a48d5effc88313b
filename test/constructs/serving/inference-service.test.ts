import { ApiObject, Chart, Duration, JsonPatch, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Checkpoint, Framework, Gpu, TolerationEffect, TrainingJob } from '../../../src';
import {
  Autoscaler, BuiltInRuntime, Explainer, InferenceService, LoggedTraffic, ModelCredentials, ModelFormat, ModelStorage, Predictor, ScaleMetric,
  ServingMode, ServingProtocol, type InferenceServiceProps, type ModelPredictorOptions,
} from '../../../src/constructs/serving';
import { errorsOf } from '../../support/synth-errors';

const SKLEARN: ModelPredictorOptions = { format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', 'iris/1') };
const LEAST: InferenceServiceProps = { mode: ServingMode.STANDARD, predictor: Predictor.model(SKLEARN) };

function serviceIn(chart: Chart) {
  return Testing.synth(chart).find((object) => object.kind === 'InferenceService');
}

function specOf(props: Partial<InferenceServiceProps>, chart = Testing.chart()) {
  new InferenceService(chart, 'Iris', { ...LEAST, ...props });
  return serviceIn(chart).spec;
}

function predictorOf(options: Partial<ModelPredictorOptions>, props: Partial<InferenceServiceProps> = {}) {
  return specOf({ predictor: Predictor.model({ ...SKLEARN, ...options }), ...props }).predictor;
}

describe('an InferenceService by default', () => {
  test('says its mode and autoscaler, the model, and nothing else', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', { ...LEAST, metadata: { name: 'iris', namespace: 'ml' } });
    expect(Testing.synth(chart)).toEqual([{
      apiVersion: 'serving.kserve.io/v1beta1',
      kind: 'InferenceService',
      metadata: {
        name: 'iris', namespace: 'ml',
        annotations: { 'serving.kserve.io/deploymentMode': 'Standard', 'serving.kserve.io/autoscalerClass': 'hpa' },
      },
      spec: { predictor: { automountServiceAccountToken: false, model: { modelFormat: { name: 'sklearn' }, storageUri: 'gs://models/iris/1' } } },
    }]);
    expect(service.name).toBe('iris');
    expect(service.kind).toBe('InferenceService');
    expect(service.resourceType).toBe('inferenceservices');
    expect(service.mode).toBe(ServingMode.STANDARD);
    expect(service.autoscaler).toBe(Autoscaler.HPA);
    expect(service.serviceName).toBe('iris-predictor');
    expect(service.canaries).toEqual([]);
    expect(service.env).toEqual({});
  });

  test('has no autoscaler in Knative mode', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', { ...LEAST, mode: ServingMode.KNATIVE });
    expect(service.autoscaler).toBeUndefined();
    expect(serviceIn(chart).metadata.annotations).toEqual({ 'serving.kserve.io/deploymentMode': 'Knative' });
  });

  test('takes namespace and labels from its chart, and its name from its path', () => {
    const chart = new Chart(Testing.app(), 'serving', { namespace: 'team-a', labels: { team: 'a' } });
    const service = new InferenceService(chart, 'Iris', LEAST);
    expect(service.name).toMatch(/^serving-iris-c[0-9a-f]{7}$/);
    expect(serviceIn(chart).metadata).toMatchObject({ namespace: 'team-a', labels: { team: 'a' } });
  });

  test('has a generated name that leaves room for what KServe derives from it', () => {
    const chart = new Chart(Testing.app(), 'x'.repeat(40), { namespace: 'n'.repeat(20) });
    const service = new InferenceService(chart, 'Iris'.repeat(10), LEAST);
    expect(service.name.length).toBeLessThanOrEqual(63 - '-transformer-'.length - 20);
    expect(() => Testing.synth(chart)).not.toThrow();
  });

  test('can be changed by its default child', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', LEAST);
    ApiObject.of(service).addJsonPatch(JsonPatch.add('/spec/predictor/runtimeClassName', 'nvidia'));
    expect(serviceIn(chart).spec.predictor.runtimeClassName).toBe('nvidia');
  });
});

describe('a predictor', () => {
  test('with every option', () => {
    const chart = Testing.chart();
    const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
    const predictor = Predictor.model({
      format: ModelFormat.of('sklearn', '1'),
      storage: ModelStorage.s3('models', '/iris/'),
      runtime: BuiltInRuntime.MLSERVER,
      runtimeVersion: '1.7.0',
      protocol: ServingProtocol.V2,
      image: 'mlserver:1',
      name: 'v1',
      command: ['serve'],
      args: ['--fast'],
      env: { LEVEL: kplus.EnvValue.fromValue('debug'), TOKEN: secret.envValue('token') },
      envFrom: [kplus.Env.fromSecret(secret)],
      resources: { gpu: Gpu.nvidia(1), cpu: kplus.Cpu.units(2), memory: Size.gibibytes(8) },
      scaling: { minReplicas: 2, maxReplicas: 4, metrics: [ScaleMetric.memory(70)] },
      timeout: Duration.minutes(2),
      logger: { url: 'http://broker', traffic: LoggedTraffic.REQUESTS, headers: ['x-user'], annotations: ['team'] },
      readiness: kplus.Probe.fromHttpGet('/ready', { periodSeconds: Duration.seconds(5) }),
      liveness: kplus.Probe.fromTcpSocket({ port: 9090 }),
      startup: kplus.Probe.fromCommand(['ready'], { failureThreshold: 60 }),
      volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }],
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot', value: 'true', effect: TolerationEffect.NO_SCHEDULE }],
      priorityClassName: 'high',
      schedulerName: 'packing',
      imagePullSecrets: [secret],
      podLabels: { tier: 'front' },
      podAnnotations: { note: 'x' },
      rollingUpdate: { maxSurge: '0', maxUnavailable: '1' },
      podSpec: { terminationGracePeriodSeconds: 90 },
    });
    expect(specOf({ predictor }, chart).predictor).toEqual({
      name: 'v1',
      automountServiceAccountToken: false,
      minReplicas: 2,
      maxReplicas: 4,
      scaleMetric: 'memory',
      scaleMetricType: 'Utilization',
      scaleTarget: 70,
      timeout: 120,
      logger: { url: 'http://broker', mode: 'request', metadataHeaders: ['x-user'], metadataAnnotations: ['team'] },
      labels: { tier: 'front' },
      annotations: { note: 'x' },
      deploymentStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '0', maxUnavailable: '1' } },
      model: {
        modelFormat: { name: 'sklearn', version: '1' },
        runtime: 'kserve-mlserver',
        runtimeVersion: '1.7.0',
        protocolVersion: 'v2',
        storageUri: 's3://models/iris',
        image: 'mlserver:1',
        command: ['serve'],
        args: ['--fast'],
        env: [{ name: 'LEVEL', value: 'debug' }, { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }],
        envFrom: [{ secretRef: { name: 'hub' } }],
        resources: { requests: { cpu: '2', memory: '8Gi' }, limits: { 'cpu': '2', 'memory': '8Gi', 'nvidia.com/gpu': '1' } },
        readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 5, failureThreshold: 3 },
        livenessProbe: { tcpSocket: { port: 9090 }, failureThreshold: 3 },
        startupProbe: { exec: { command: ['ready'] }, failureThreshold: 60 },
        volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
      },
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot', operator: 'Equal', value: 'true', effect: 'NoSchedule' }, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      priorityClassName: 'high',
      schedulerName: 'packing',
      imagePullSecrets: [{ name: 'hub' }],
      volumes: [{ name: 'cache', emptyDir: {} }],
      terminationGracePeriodSeconds: 90,
    });
  });

  test('can be a container', () => {
    const predictor = Predictor.container({ image: 'server:1', port: 9090, protocol: ServingProtocol.V2, storage: [ModelStorage.oci('registry.example/iris:1', { mountPath: '/mnt/iris' })] });
    expect(specOf({ predictor }).predictor).toEqual({
      automountServiceAccountToken: false,
      containers: [{
        name: 'kserve-container', image: 'server:1', env: [{ name: 'PROTOCOL', value: 'v2' }], ports: [{ containerPort: 9090, protocol: 'TCP' }],
        securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } },
      }],
      storageUris: [{ uri: 'oci://registry.example/iris:1', mountPath: '/mnt/iris' }],
    });
  });

  test('can batch requests', () => {
    expect(predictorOf({ batcher: { maxBatchSize: 16, maxLatency: Duration.millis(50), timeout: Duration.seconds(5) } }).batcher).toEqual({
      maxBatchSize: 16, maxLatency: 50, timeout: 5,
    });
  });

  test('can have several nodes a replica', () => {
    const options = {
      format: ModelFormat.HUGGINGFACE, runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'), resources: { gpu: Gpu.nvidia(8) },
      worker: { pipelineParallel: 2, tensorParallel: 8, resources: { gpu: Gpu.amd(4) } },
    };
    expect(predictorOf(options, { autoscaler: Autoscaler.NONE }).workerSpec).toEqual({
      pipelineParallelSize: 2, tensorParallelSize: 8,
      containers: [{ name: 'worker-container', resources: { limits: { 'amd.com/gpu': '4' } } }],
      tolerations: [{ key: 'amd.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    });
  });

  test.each([
    ['requests at a time', ScaleMetric.concurrency(5), { scaleMetric: 'concurrency', scaleTarget: 5 }],
    ['requests a second', ScaleMetric.requestsPerSecond(5), { scaleMetric: 'rps', scaleTarget: 5 }],
  ])('scales by %s to zero in Knative mode', (_what, metric, fields) => {
    const options = { scaling: { minReplicas: 0, maxReplicas: 5, metrics: [metric] }, containerConcurrency: 10 };
    expect(predictorOf(options, { mode: ServingMode.KNATIVE })).toMatchObject({
      minReplicas: 0, maxReplicas: 5, containerConcurrency: 10, ...fields,
    });
  });

  test('scales by queries to zero with KEDA', () => {
    const metrics = [
      ScaleMetric.prometheus({ query: 'sum(vllm:num_requests_waiting)', target: 2, serverAddress: 'http://prometheus:9090', authentication: 'prometheus' }),
      ScaleMetric.openTelemetry({ metricNames: ['vllm:num_requests_running'], query: 'sum(vllm_num_requests_running)', target: 4 }),
      ScaleMetric.cpu(60),
    ];
    const scaling = { minReplicas: 0, maxReplicas: 3, metrics, scaleDownDelay: Duration.minutes(10) };
    const { autoScaling, minReplicas } = predictorOf({ scaling }, { autoscaler: Autoscaler.KEDA });
    expect(minReplicas).toBe(0);
    expect(autoScaling.behavior).toEqual({ scaleDown: { stabilizationWindowSeconds: 600 } });
    expect(autoScaling.metrics.map(({ type }: { type: string }) => type)).toEqual(['External', 'PodMetric', 'Resource']);
    expect(autoScaling.metrics[1].podmetric.metric).toEqual({
      backend: 'opentelemetry', metricNames: ['vllm:num_requests_running'], query: 'sum(vllm_num_requests_running)',
    });
  });
});

describe('a service', () => {
  test('can have a transformer and an explainer', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', {
      ...LEAST,
      metadata: { name: 'iris' },
      transformer: { image: 'transform:1', scaling: { maxReplicas: 3 }, storage: [ModelStorage.gcs('models', 'vocabulary')] },
      explainer: Explainer.adversarialRobustness({ config: { nb_classes: '10' } }),
    });
    expect(serviceIn(chart).spec).toMatchObject({
      transformer: { maxReplicas: 3, containers: [{ name: 'kserve-container', image: 'transform:1' }], storageUris: [{ uri: 'gs://models/vocabulary' }] },
      explainer: { art: { type: 'SquareAttack', config: { nb_classes: '10' } } },
    });
    expect(service.serviceName).toBe('iris-transformer');
  });

  test('can have an explainer with artefacts', () => {
    expect(specOf({ explainer: Explainer.adversarialRobustness({ storage: ModelStorage.gcs('models', 'iris-art') }) }).explainer)
      .toEqual({ automountServiceAccountToken: false, art: { type: 'SquareAttack', storageUri: 'gs://models/iris-art' } });
  });

  test('can have an explainer of the user\'s', () => {
    expect(specOf({ explainer: Explainer.container({ image: 'explain:1' }) }).explainer).toEqual({
      automountServiceAccountToken: false, containers: [{ name: 'kserve-container', image: 'explain:1', securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } } }],
    });
  });

  test('can be stopped, kept away from caches, or sent to a group of nodes', () => {
    const annotationsOf = (props: Partial<InferenceServiceProps>) => {
      const chart = Testing.chart();
      new InferenceService(chart, 'Iris', { ...LEAST, ...props });
      return serviceIn(chart).metadata.annotations;
    };
    expect(annotationsOf({ stopped: true })).toMatchObject({ 'serving.kserve.io/stop': 'true' });
    expect(annotationsOf({ useLocalModelCache: false })).toMatchObject({ 'serving.kserve.io/disable-localmodel': 'true' });
    expect(annotationsOf({ localModelNodeGroup: 'h100' })).toMatchObject({ 'serving.kserve.io/nodegroup': 'h100' });
    expect(annotationsOf({ mode: ServingMode.KNATIVE, tagRouting: true })).toMatchObject({ 'serving.kserve.io/enable-tag-routing': 'true' });
  });

  test('keeps the author\'s annotations', () => {
    const chart = Testing.chart();
    new InferenceService(chart, 'Iris', { ...LEAST, metadata: { annotations: { team: 'a' } } });
    expect(serviceIn(chart).metadata.annotations).toMatchObject({ 'team': 'a', 'serving.kserve.io/deploymentMode': 'Standard' });
  });
});

describe('credentials', () => {
  test('can be a service account that exists', () => {
    const chart = Testing.chart();
    const account = kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'models');
    const spec = specOf({ credentials: ModelCredentials.serviceAccount(account), transformer: { image: 'transform:1' } }, chart);
    expect(spec.predictor.serviceAccountName).toBe('models');
    expect(spec.transformer.serviceAccountName).toBe('models');
  });

  test.each([
    ['Google Cloud', ModelCredentials.gcpWorkloadIdentity('models@p.iam.gserviceaccount.com'), { 'iam.gke.io/gcp-service-account': 'models@p.iam.gserviceaccount.com' }],
    ['AWS', ModelCredentials.awsRole('arn:aws:iam::1:role/models'), { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/models' }],
  ])('can be an identity of %s, for which an account is made', (_cloud, credentials, annotations) => {
    const chart = Testing.chart();
    new InferenceService(chart, 'Iris', { ...LEAST, credentials, metadata: { namespace: 'ml' } });
    const account = Testing.synth(chart).find(({ kind }) => kind === 'ServiceAccount');
    expect(account.metadata).toMatchObject({ namespace: 'ml', annotations });
    expect(serviceIn(chart).spec.predictor.serviceAccountName).toBe(account.metadata.name);
  });

  test('can be a secret that exists, which the manifest only names', () => {
    const chart = Testing.chart();
    new InferenceService(chart, 'Iris', { ...LEAST, credentials: ModelCredentials.secret(kplus.Secret.fromSecretName(chart, 'Secret', 'hub')) });
    expect(serviceIn(chart).metadata.annotations).toMatchObject({
      // KServe's release manifests read the first, its Helm charts the second.
      'serving.kserve.io/storageSecretName': 'hub', 'serving.kserve.io/secretName': 'hub',
    });
  });
});

describe('storage', () => {
  const claim = () => kplus.PersistentVolumeClaim.fromClaimName(Testing.chart(), 'Claim', 'models');

  test.each([
    [ModelStorage.gcs('models', 'iris'), 'gs://models/iris'],
    [ModelStorage.s3('models', '/iris/1/'), 's3://models/iris/1'],
    [ModelStorage.claim(claim(), 'iris'), 'pvc://models/iris'],
    [ModelStorage.claim(claim(), ''), 'pvc://models'],
    [ModelStorage.huggingFace('Qwen/Qwen3-8B'), 'hf://Qwen/Qwen3-8B'],
    [ModelStorage.huggingFace('Qwen/Qwen3-8B', { revision: 'main' }), 'hf://Qwen/Qwen3-8B:main'],
    [ModelStorage.oci('registry.example/iris:1'), 'oci://registry.example/iris:1'],
    [ModelStorage.modelRegistry('iris', 'v1'), 'model-registry://iris/v1'],
    [ModelStorage.uri('https://host/iris.tar.gz'), 'https://host/iris.tar.gz'],
    [ModelStorage.ofContainer('dvc://repo/iris'), 'dvc://repo/iris'],
  ])('%# is a URI that KServe reads', (storage, uri) => {
    expect(storage.location).toBe(uri);
    expect(predictorOf({ storage }).model.storageUri).toBe(uri);
  });

  test('can stand in the storage secret', () => {
    const storage = ModelStorage.secretEntry('minio', { path: 'iris', schemaPath: 'iris.json', parameters: { bucket: 'models' } });
    expect(storage.location).toBeUndefined();
    expect(predictorOf({ storage }).model.storage).toEqual({ key: 'minio', path: 'iris', schemaPath: 'iris.json', parameters: { bucket: 'models' } });
  });

  test('can have further places', () => {
    expect(predictorOf({ additionalStorage: [ModelStorage.s3('models', 'adapters', { mountPath: '/mnt/adapters' })] }).storageUris).toEqual([
      { uri: 'gs://models/iris/1' }, { uri: 's3://models/adapters', mountPath: '/mnt/adapters' },
    ]);
  });
});

describe('a service of a job\'s checkpoint', () => {
  const job = (chart: Chart, checkpoint?: Checkpoint, namespace?: string) => new TrainingJob(chart, 'Train', {
    framework: Framework.pytorch(), image: 'train:1', replicas: 1, checkpoint, metadata: { namespace },
  });
  const serve = (chart: Chart, trained: TrainingJob, path?: string, namespace?: string) => InferenceService.fromCheckpoint(chart, 'Serve', trained, {
    mode: ServingMode.STANDARD, model: { format: ModelFormat.PYTORCH }, path, metadata: { namespace },
  });

  test('serves from the claim of the job, and comes after it', () => {
    const chart = Testing.chart();
    const trained = job(chart, Checkpoint.onClaim(kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs'), { folder: 'mnist', path: '/out' }));
    serve(chart, trained, 'export');
    const kinds = Testing.synth(chart).map(({ kind }) => kind);
    expect(kinds).toEqual(['MLTrainingJob', 'InferenceService']);
    expect(serviceIn(chart).spec.predictor.model.storageUri).toBe('pvc://runs/mnist/export');
  });

  test('comes after the job also when it was written first', () => {
    const chart = Testing.chart();
    const late = new InferenceService(chart, 'A', LEAST);
    const trained = job(chart, Checkpoint.at('gs://runs/mnist/'));
    late.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.fromCheckpoint(trained, '/export/') });
    expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['MLTrainingJob', 'InferenceService']);
    expect(serviceIn(chart).spec.canary[0].predictor.model.storageUri).toBe('gs://runs/mnist/export');
  });

  test('serves from the URL of the job', () => {
    const chart = Testing.chart();
    serve(chart, job(chart, Checkpoint.at('s3://runs/mnist')));
    expect(serviceIn(chart).spec.predictor.model.storageUri).toBe('s3://runs/mnist');
  });

  test('needs a checkpoint that others see', () => {
    const chart = Testing.chart();
    expect(() => ModelStorage.fromCheckpoint(job(chart))).toThrow('ModelStorage.fromCheckpoint of TrainingJob \'test/Train\': the job has no checkpoint');
    const other = Testing.chart();
    expect(() => ModelStorage.fromCheckpoint(job(other, Checkpoint.at('/checkpoints')))).toThrow('is a folder inside the job\'s pods, which other pods cannot read.');
  });

  test('has no other storage', () => {
    const chart = Testing.chart();
    expect(() => InferenceService.fromCheckpoint(chart, 'Serve', job(chart, Checkpoint.at('s3://runs/mnist')), {
      mode: ServingMode.STANDARD, model: { format: ModelFormat.PYTORCH, storage: ModelStorage.gcs('models', 'iris') },
    })).toThrow('InferenceService.fromCheckpoint at \'test/Serve\': sets \'model.storage\' (gs://models/iris), but the storage is the checkpoint path of TrainingJob \'test/Train\'.');
  });

  test('has to be in the namespace of the job\'s claim', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    const checkpoint = Checkpoint.onClaim(kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs'));
    serve(chart, job(chart, checkpoint, 'training'), '', 'serving');
    expect(errorsOf(app)).toEqual([expect.stringContaining('metadata.namespace: "serving": the checkpoint\'s claim \'pvc://runs/test-train-')]);
  });

  test('is told when the scheme of the job\'s URL is not one of KServe\'s', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    serve(chart, job(chart, Checkpoint.at('gcs://runs/mnist')));
    expect(errorsOf(app)).toEqual([expect.stringContaining('spec.predictor.model.storageUri: "gcs://runs/mnist": KServe downloads from')]);
  });
});

describe('after construction', () => {
  test('variables and volumes can be added', () => {
    const chart = Testing.chart();
    const service = new InferenceService(chart, 'Iris', { ...LEAST, predictor: Predictor.model({ ...SKLEARN, env: { A: kplus.EnvValue.fromValue('1'), B: kplus.EnvValue.fromValue('2') } }) });
    service.addEnv('B', kplus.EnvValue.fromValue('3'));
    service.addVolumeMount('/cache', kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache'), { readOnly: true });
    expect(serviceIn(chart).spec.predictor).toMatchObject({
      model: { env: [{ name: 'A', value: '1' }, { name: 'B', value: '3' }], volumeMounts: [{ name: 'cache', mountPath: '/cache', readOnly: true }] },
      volumes: [{ name: 'cache', emptyDir: {} }],
    });
    expect(() => service.addVolumeMount('/cache', kplus.Volume.fromEmptyDir(chart, 'Other', 'other'))).toThrow(
      'InferenceService at \'test/Iris\': cannot mount volume \'other\' at \'/cache\', because volume \'cache\' is already mounted there. Choose another path.');
  });

  test('two services can share a predictor without sharing what is added', () => {
    const chart = Testing.chart();
    new InferenceService(chart, 'One', LEAST).addEnv('A', kplus.EnvValue.fromValue('1'));
    new InferenceService(chart, 'Two', LEAST);
    const [one, two] = Testing.synth(chart);
    expect(one.spec.predictor.model.env).toEqual([{ name: 'A', value: '1' }]);
    expect(two.spec.predictor.model).not.toHaveProperty('env');
  });
});

test('all that is wrong with all services is told at once, with their names', () => {
  const app = Testing.app();
  const chart = new Chart(app, 'test');
  new InferenceService(chart, 'One', { ...LEAST, metadata: { name: 'one' }, predictor: Predictor.model({ ...SKLEARN, scaling: { minReplicas: 0 } }) });
  new InferenceService(chart, 'Two', { ...LEAST, metadata: { name: 'Two' }, useLocalModelCache: false, localModelNodeGroup: 'h100' });
  expect(errorsOf(app)).toEqual([
    expect.stringContaining('InferenceService \'one\': spec.predictor.minReplicas: 0: a HorizontalPodAutoscaler keeps one pod.'),
    expect.stringContaining('InferenceService \'Two\': metadata.name: "Two": must be a DNS-1035 label'),
    expect.stringContaining('InferenceService \'Two\': metadata.annotations[serving.kserve.io/nodegroup]: "h100": caches are not used'),
  ]);
});

test('a whole service looks as it did', () => {
  const chart = new Chart(Testing.app(), 'snapshot', { disableResourceNameHashes: true });
  new InferenceService(chart, 'Iris', {
    mode: ServingMode.STANDARD,
    autoscaler: Autoscaler.KEDA,
    predictor: Predictor.model({
      ...SKLEARN,
      resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(8) },
      scaling: { minReplicas: 1, maxReplicas: 4, metrics: [ScaleMetric.prometheus({ query: 'sum(rate(requests[1m]))', target: 20 })] },
    }),
    transformer: { image: 'transform:1', scaling: { maxReplicas: 2, metrics: [ScaleMetric.cpu(70)] } },
    credentials: ModelCredentials.gcpWorkloadIdentity('models@p.iam.gserviceaccount.com'),
  }).addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') });
  expect(Testing.synth(chart)).toMatchSnapshot();
});
