import { Chart, Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Checkpoint, Framework, Gpu, TrainingJob } from '../../../../src';
import {
  KvCacheEviction, LlmActuator, LlmInferenceService, ModelCredentials, ModelStorage, type LlmInferenceServiceProps,
} from '../../../../src/constructs/serving';
import { errorsOf } from '../../../support/synth-errors';

const LEAST: LlmInferenceServiceProps = { model: ModelStorage.huggingFace('Qwen/Qwen3-8B') };

function specOf(props: Partial<LlmInferenceServiceProps>, chart = Testing.chart()) {
  new LlmInferenceService(chart, 'Qwen', { ...LEAST, ...props });
  return Testing.synth(chart).find(({ kind }) => kind === 'LLMInferenceService').spec;
}

test('by default it is the model, and all else is KServe\'s', () => {
  const chart = Testing.chart();
  const service = new LlmInferenceService(chart, 'Qwen', { ...LEAST, metadata: { name: 'qwen', namespace: 'ml' } });
  expect(Testing.synth(chart)).toEqual([{
    apiVersion: 'serving.kserve.io/v1alpha2',
    kind: 'LLMInferenceService',
    metadata: { name: 'qwen', namespace: 'ml' },
    spec: { model: { uri: 'hf://Qwen/Qwen3-8B' } },
  }]);
  expect(service.resourceType).toBe('llminferenceservices');
  expect(service.adapters).toEqual([]);
});

test('pods have what the workload says', () => {
  const chart = Testing.chart();
  const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'hub');
  expect(specOf({
    workload: {
      replicas: 2,
      image: 'vllm:1',
      command: ['vllm'],
      args: ['serve'],
      env: { VLLM_LOGGING_LEVEL: kplus.EnvValue.fromValue('INFO') },
      envFrom: [kplus.Env.fromSecret(secret)],
      resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(32), sharedMemory: Size.gibibytes(8) },
      volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }],
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot' }],
      podSpec: { priorityClassName: 'high', containers: [{ name: 'proxy', image: 'proxy:1' }] },
    },
    credentials: ModelCredentials.serviceAccount(kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'models')),
  }, chart)).toEqual({
    model: { uri: 'hf://Qwen/Qwen3-8B' },
    replicas: 2,
    template: {
      priorityClassName: 'high',
      serviceAccountName: 'models',
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot', operator: 'Exists' }, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      volumes: [{ name: 'cache', emptyDir: {} }, { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } }],
      containers: [
        {
          name: 'main', image: 'vllm:1', command: ['vllm'], args: ['serve'], env: [{ name: 'VLLM_LOGGING_LEVEL', value: 'INFO' }], envFrom: [{ secretRef: { name: 'hub' } }],
          resources: { requests: { memory: '32Gi' }, limits: { 'memory': '32Gi', 'nvidia.com/gpu': '1' } },
          volumeMounts: [{ name: 'cache', mountPath: '/cache' }, { name: 'shared-memory', mountPath: '/dev/shm' }],
        },
        { name: 'proxy', image: 'proxy:1' },
      ],
    },
  });
});

test('further nodes are like the first in all that they do not say', () => {
  const { parallelism, template, worker } = specOf({
    workload: {
      parallelism: { data: 16, dataLocal: 8, expert: true, tensor: 1, dataRpcPort: 5555 }, image: 'vllm:1', resources: { gpu: Gpu.nvidia(8) },
      worker: { env: { A: kplus.EnvValue.fromValue('1') } },
    },
  });
  expect(parallelism).toEqual({ data: 16, dataLocal: 8, expert: true, tensor: 1, dataRPCPort: 5555 });
  const main = { name: 'main', image: 'vllm:1', resources: { limits: { 'nvidia.com/gpu': '8' } } };
  expect(template.containers).toEqual([main]);
  expect(worker.containers).toEqual([{ ...main, env: [{ name: 'A', value: '1' }] }]);
});

test('a worker of which nothing is said is there all the same', () => {
  expect(specOf({ baseConfigs: ['kserve-config-llm-worker-pipeline-parallel'], workload: { parallelism: { pipeline: 2 }, worker: {} } }).worker).toEqual({ containers: [{ name: 'main' }] });
});

test('prompts can be read by replicas of their own, with a scheduler in front', () => {
  expect(specOf({
    workload: { replicas: 1, parallelism: { tensor: 4 } },
    prefill: { replicas: 2, resources: { gpu: Gpu.nvidia(1) } },
    router: { scheduler: {} },
  })).toEqual({
    model: { uri: 'hf://Qwen/Qwen3-8B' },
    replicas: 1,
    parallelism: { tensor: 4 },
    prefill: {
      replicas: 2,
      template: { containers: [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': '1' } } }], tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] },
    },
    router: { gateway: {}, route: {}, scheduler: {} },
  });
});

describe('scaling', () => {
  test('by a HorizontalPodAutoscaler', () => {
    expect(specOf({ workload: { scaling: { maxReplicas: 4, minReplicas: 2, variantCost: '5.0', scaleDownDelay: Duration.minutes(2) } } }).scaling).toEqual({
      minReplicas: 2, maxReplicas: 4, wva: { variantCost: '5.0', hpa: { behavior: { scaleDown: { stabilizationWindowSeconds: 120 } } } },
    });
    expect(specOf({ workload: { scaling: { maxReplicas: 4 } } }).scaling).toEqual({ maxReplicas: 4, wva: { hpa: {} } });
  });

  test('by KEDA', () => {
    const scaling = {
      minReplicas: 2, maxReplicas: 4, actuator: LlmActuator.KEDA, idleReplicas: 1,
      pollingInterval: Duration.seconds(5), cooldown: Duration.minutes(5),
    };
    expect(specOf({ workload: { scaling } }).scaling).toEqual({
      minReplicas: 2,
      maxReplicas: 4,
      wva: {
        keda: { idleReplicaCount: 1, pollingInterval: 5, cooldownPeriod: 300 },
      },
    });
  });
});

test.each([
  ['KServe\'s own gateway', {}, { gateway: {}, route: {} }],
  ['a gateway and a route of the user\'s', { gateways: [{ name: 'public', namespace: 'gateways' }], routeNames: ['mine'] }, {
    gateway: { refs: [{ name: 'public', namespace: 'gateways' }] }, route: { http: { refs: [{ name: 'mine' }] } },
  }],
  ['an ingress', { ingressNames: ['mine'] }, { ingress: { refs: [{ name: 'mine' }] } }],
  ['a share of a group', { trafficGroup: 'qwen', trafficWeight: 10 }, { gateway: {}, route: { group: 'qwen', weight: 10 } }],
  ['a scheduler with a configuration', { scheduler: { replicas: 2, config: { kind: 'EndpointPickerConfig' } } }, {
    gateway: {}, route: {}, scheduler: { replicas: 2, config: { inline: { kind: 'EndpointPickerConfig' } } },
  }],
  ['a scheduler with a ConfigMap', { scheduler: { configMap: kplus.ConfigMap.fromConfigMapName(Testing.chart(), 'Map', 'epp-config') } }, {
    gateway: {}, route: {}, scheduler: { config: { ref: { name: 'epp-config', key: 'epp' } } },
  }],
  ['a scheduler with a ConfigMap whose key has another name', { scheduler: { configMap: kplus.ConfigMap.fromConfigMapName(Testing.chart(), 'Map', 'epp-config'), configMapKey: 'mine' } }, {
    gateway: {}, route: {}, scheduler: { config: { ref: { name: 'epp-config', key: 'mine' } } },
  }],
])('requests come through %s', (_what, router, rendered) => {
  expect(specOf({ router }).router).toEqual(rendered);
});

test('keys and values go to memory, and to a disk or claim behind it', () => {
  const offloading = (kvCacheOffloading: NonNullable<LlmInferenceServiceProps['workload']>['kvCacheOffloading']) => specOf({ workload: { kvCacheOffloading } }).kvCacheOffloading;
  const claim = kplus.PersistentVolumeClaim.fromClaimName(Testing.chart(), 'Claim', 'kv');
  expect(offloading({ cpu: Size.gibibytes(8) })).toEqual({ cpu: '8Gi' });
  expect(offloading({ cpu: Size.gibibytes(8), eviction: KvCacheEviction.ARC, disk: Size.gibibytes(100) })).toEqual({
    cpu: '8Gi', evictionPolicy: 'arc', secondary: [{ fileSystem: { emptyDir: { size: '100Gi' } } }],
  });
  expect(offloading({ cpu: Size.gibibytes(8), claim, claimPath: 'qwen' })).toEqual({ cpu: '8Gi', secondary: [{ fileSystem: { pvc: { ref: { name: 'kv', path: 'qwen' } } } }] });
  expect(() => offloading({ cpu: Size.gibibytes(8), claim, disk: Size.gibibytes(1) })).toThrow(
    'LlmInferenceService at \'test/Qwen\': workload.kvCacheOffloading sets both \'disk\' and \'claim\'');
});

test('adapters, configurations, traces and the download can be told', () => {
  const chart = Testing.chart();
  const service = new LlmInferenceService(chart, 'Qwen', {
    ...LEAST,
    metadata: { name: 'qwen' },
    modelName: 'Qwen/Qwen3-8B',
    lora: { adapters: [{ name: 'sql', storage: ModelStorage.huggingFace('org/sql') }], maxRank: 64, maxAdapters: 4, maxCpuAdapters: 8 },
    baseConfigs: ['h100'],
    storageInitializer: true,
    tracing: { endpoint: 'http://otel:4317', sampleRatio: 0.1 },
    credentials: ModelCredentials.secret(kplus.Secret.fromSecretName(chart, 'Secret', 'hub')),
  });
  service.addAdapter({ name: 'chat', storage: ModelStorage.s3('loras', 'chat') });
  expect(service.adapters.map(({ name }) => name)).toEqual(['sql', 'chat']);
  const [{ metadata, spec }] = Testing.synth(chart);
  expect(metadata.annotations).toEqual({ 'serving.kserve.io/storageSecretName': 'hub', 'serving.kserve.io/secretName': 'hub' });
  expect(spec).toEqual({
    model: {
      uri: 'hf://Qwen/Qwen3-8B',
      name: 'Qwen/Qwen3-8B',
      lora: { adapters: [{ name: 'sql', uri: 'hf://org/sql' }, { name: 'chat', uri: 's3://loras/chat' }], maxRank: 64, maxAdapters: 4, maxCpuAdapters: 8 },
    },
    baseRefs: [{ name: 'h100' }],
    storageInitializer: { enabled: true },
    tracing: { exporterEndpoint: 'http://otel:4317', sampler: 'parentbased_traceidratio', samplerArg: '0.1' },
  });
});

test('a model that a job has trained comes after the job, in its namespace', () => {
  const app = Testing.app();
  const chart = new Chart(app, 'test');
  const claim = kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'runs');
  const service = new LlmInferenceService(chart, 'A', { ...LEAST, metadata: { name: 'a', namespace: 'serving' } });
  const job = new TrainingJob(chart, 'Train', {
    framework: Framework.pytorch(), image: 'train:1', replicas: 1, checkpoint: Checkpoint.onClaim(claim), metadata: { namespace: 'training' },
  });
  service.addAdapter({ name: 'tuned', storage: ModelStorage.fromCheckpoint(job, 'lora') });
  expect(errorsOf(app)).toEqual([expect.stringContaining('LLMInferenceService \'a\': metadata.namespace: "serving": the checkpoint\'s claim \'pvc://runs/test-train-')]);
});

test('what is wrong is told at synth', () => {
  const app = Testing.app();
  new LlmInferenceService(new Chart(app, 'test'), 'Qwen', { model: ModelStorage.gcs('models', 'qwen'), workload: { worker: {} }, metadata: { name: 'qwen' } });
  expect(errorsOf(app)).toEqual([
    expect.stringContaining('LLMInferenceService \'qwen\': spec.model.uri: "gs://models/qwen"'),
    expect.stringContaining('LLMInferenceService \'qwen\': spec.worker: additional nodes need'),
  ]);
});

test('a whole large language model looks as it did', () => {
  const chart = new Chart(Testing.app(), 'snapshot', { namespace: 'ml' });
  const service = new LlmInferenceService(chart, 'Qwen', {
    metadata: { name: 'qwen' },
    model: ModelStorage.huggingFace('Qwen/Qwen3-8B'),
    modelName: 'Qwen/Qwen3-8B',
    lora: { maxRank: 64, maxAdapters: 4 },
    workload: {
      accelerator: Accelerator.NVIDIA_H100_80GB.count(8), parallelism: { data: 16, dataLocal: 8, expert: true }, worker: { env: { A: kplus.EnvValue.fromValue('1') } },
      scaling: { minReplicas: 2, maxReplicas: 4, actuator: LlmActuator.HPA, scaleDownDelay: Duration.minutes(2) },
      kvCacheOffloading: { cpu: Size.gibibytes(200), eviction: KvCacheEviction.LRU, disk: Size.gibibytes(500) },
    },
    prefill: { replicas: 2, resources: { gpu: Gpu.nvidia(4) }, parallelism: { tensor: 4 } },
    router: { scheduler: { replicas: 2 }, gateways: [{ name: 'public', namespace: 'gateways' }], trafficGroup: 'qwen', trafficWeight: 90 },
    baseConfigs: ['h100'],
    tracing: { endpoint: 'http://otel:4317', sampleRatio: 0.1 },
  });
  service.addAdapter({ name: 'sql', storage: ModelStorage.huggingFace('org/sql') });
  expect(Testing.synth(chart)).toMatchSnapshot();
});
