/** InferenceServices with all that they can be told. */
import { Duration, Size, type Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Program } from './accepted';
import { Gpu } from '../../../../src';
import {
  Autoscaler, BuiltInRuntime, Explainer, InferenceService, LoggedTraffic, ModelCredentials, ModelFormat, ModelStorage, Predictor, ScaleMetric,
  ServingMode, ServingProtocol,
} from '../../../../src/constructs/serving';

/** A model. */
export const storage = ModelStorage.gcs('models', 'iris/1');

/** All that a predictor can be told in any mode. */
function everything(chart: Chart) {
  const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
  return {
    runtimeVersion: '1', image: 'server:1', name: 'v1', command: ['serve'], args: ['--fast'],
    env: { TOKEN: secret.envValue('token') },
    envFrom: [kplus.Env.fromSecret(secret)],
    resources: {
      gpu: Gpu.nvidia(1), cpu: kplus.Cpu.millis(500), memory: Size.gibibytes(8), ephemeralStorage: Size.gibibytes(1), sharedMemory: Size.gibibytes(1),
      extended: { 'rdma/hca': 1 },
    },
    timeout: Duration.minutes(2),
    logger: { url: 'http://broker', traffic: LoggedTraffic.ALL, headers: ['x-user'], annotations: ['team'] },
    batcher: { maxBatchSize: 16, maxLatency: Duration.millis(50), timeout: Duration.seconds(5) },
    readiness: kplus.Probe.fromHttpGet('/ready'),
    liveness: kplus.Probe.fromTcpSocket({ port: 9090 }),
    startup: kplus.Probe.fromCommand(['ready'], { failureThreshold: 60 }),
    volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache', { sizeLimit: Size.gibibytes(1) }) }],
    nodeSelector: { pool: 'gpu' },
    tolerations: [{ key: 'spot' }],
    priorityClassName: 'high',
    schedulerName: 'packing',
    imagePullSecrets: [secret],
    podLabels: { tier: 'front' },
    podAnnotations: { note: 'x' },
    podSpec: {
      containers: [{ name: 'proxy', image: 'proxy:1' }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } } },
    },
  };
}

/** Programs by what they are about. */
export const INFERENCE_SERVICES: readonly (readonly [string, Program])[] = [
  ['the least', (chart) => {
    new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage }) });
  }],
  ['everything in Standard mode, with two canaries', (chart) => {
    const service = new InferenceService(chart, 'Iris', {
      mode: ServingMode.STANDARD,
      predictor: Predictor.model({
        format: ModelFormat.of('sklearn', '1'), storage, ...everything(chart),
        scaling: { minReplicas: 2, maxReplicas: 4, metrics: [ScaleMetric.cpu(60), ScaleMetric.memory(70)], scaleDownDelay: Duration.minutes(10) },
        rollingUpdate: { maxSurge: '0', maxUnavailable: '25%' },
      }),
      transformer: { image: 'transform:1', port: 9000, scaling: { maxReplicas: 2, metrics: [ScaleMetric.cpu(50)] }, storage: [ModelStorage.gcs('models', 'vocabulary')] },
      explainer: Explainer.adversarialRobustness({ config: { nb_classes: '10' }, storage: ModelStorage.gcs('models', 'explainer') }),
      credentials: ModelCredentials.gcpWorkloadIdentity('models@project.iam.gserviceaccount.com'),
      localModelNodeGroup: 'h100',
      stopped: true,
    });
    service.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2'), replicas: 1 });
    service.addCanary('v3', { trafficPercent: 0, storage: ModelStorage.gcs('models', 'iris/3'), resources: { gpu: Gpu.amd(1) } });
  }],
  ['a promoted canary', (chart) => {
    const service = new InferenceService(chart, 'Iris', { mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage }) });
    service.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') }).promote();
  }],
  ['everything in Knative mode, with a canary', (chart) => {
    const service = new InferenceService(chart, 'Iris', {
      mode: ServingMode.KNATIVE,
      tagRouting: true,
      predictor: Predictor.model({
        format: ModelFormat.SKLEARN, storage, ...everything(chart), containerConcurrency: 10,
        scaling: { minReplicas: 0, maxReplicas: 4, metrics: [ScaleMetric.concurrency(5)], scaleDownDelay: Duration.minutes(10) },
      }),
      explainer: Explainer.container({ image: 'explain:1' }),
      credentials: ModelCredentials.secret(kplus.Secret.fromSecretName(chart, 'Storage', 'hub')),
      useLocalModelCache: false,
    });
    service.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'iris/2') }).rollback();
  }],
  ['a container over gRPC', (chart) => {
    new InferenceService(chart, 'Iris', {
      mode: ServingMode.KNATIVE,
      predictor: Predictor.container({
        image: 'server:1', protocol: ServingProtocol.GRPC_V2,
        storage: [ModelStorage.uri('pvc://models/iris'), ModelStorage.s3('models', 'adapters', { mountPath: '/mnt/adapters' })],
      }),
    });
  }],
  ['KEDA with every kind of metric', (chart) => {
    const metrics = [
      ScaleMetric.prometheus({ query: 'sum(up)', target: 2.5, serverAddress: 'http://prometheus:9090', authentication: 'token' }),
      ScaleMetric.openTelemetry({ metricNames: ['vllm:num_requests_running'], query: 'sum(x)', target: 4 }),
      ScaleMetric.cpu(60),
    ];
    new InferenceService(chart, 'Iris', {
      mode: ServingMode.STANDARD, autoscaler: Autoscaler.KEDA,
      predictor: Predictor.model({
        format: ModelFormat.SKLEARN, storage, scaling: { minReplicas: 0, maxReplicas: 3, metrics, scaleDownDelay: Duration.minutes(1) },
      }),
    });
  }],
  ['several nodes a replica', (chart) => {
    new InferenceService(chart, 'Llama', {
      mode: ServingMode.STANDARD, autoscaler: Autoscaler.NONE,
      predictor: Predictor.model({
        format: ModelFormat.HUGGINGFACE, runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'),
        resources: { gpu: Gpu.nvidia(8) }, worker: { pipelineParallel: 2, tensorParallel: 8 },
      }),
    });
  }],
  ['an entry of the storage secret', (chart) => {
    new InferenceService(chart, 'Iris', {
      mode: ServingMode.STANDARD,
      predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.secretEntry('minio', { path: 'iris', schemaPath: 'iris.json', parameters: { bucket: 'm' } }) }),
    });
  }],
];
