/** Services of any kind, right and wrong, for what holds for all of them. */
import fc from 'fast-check';
import type {
  CanarySpec, ComponentSpec, InferenceServiceSpec, ModelStorageSpec, ScaleMetricSpec, ScalingSpec,
} from '../../../src/model/serving/spec';
import { validateInferenceService } from '../../../src/model/serving/validation';

/** More often left out than not, because few combinations of everything are right. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Names that KServe takes. */
export const servingName = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}[a-z0-9]$/);

const uri = fc.constantFrom('gs://m/a', 's3://m/b', 'pvc://m/c', 'hf://org/model:main', 'oci://registry.example/m:1', 'https://host/m.tar', 'dvc://m/a');

const storage: fc.Arbitrary<ModelStorageSpec> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ uri, mountPath: maybe(fc.constantFrom('/mnt/a', '/mnt/b', '/opt/c')) }) },
  { weight: 1, arbitrary: fc.constant({ secretEntry: { key: 's3', path: 'iris', parameters: { bucket: 'm' } } }) },
);

const metric: fc.Arbitrary<ScaleMetricSpec> = fc.oneof(
  fc.record({ kind: fc.constantFrom<ScaleMetricSpec['kind']>('cpu', 'memory', 'concurrency', 'rps'), target: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ kind: fc.constant<ScaleMetricSpec['kind']>('prometheus'), target: fc.integer({ min: 1 }), query: fc.constant('sum(up)'), authenticationRef: maybe(servingName) }),
  fc.record({
    kind: fc.constant<ScaleMetricSpec['kind']>('openTelemetry'), target: fc.integer({ min: 1 }), query: fc.constant('sum(x)'), metricNames: fc.constant(['x']),
  }),
);

const scaling: fc.Arbitrary<ScalingSpec> = fc.record({
  minReplicas: maybe(fc.integer({ min: 0, max: 3 })),
  maxReplicas: maybe(fc.integer({ min: 1, max: 5 })),
  metrics: maybe(fc.array(metric, { maxLength: 2 })),
  scaleDownDelaySeconds: maybe(fc.integer({ min: 0, max: 3600 })),
});

const resources = fc.record({
  gpu: maybe(fc.integer({ min: 0, max: 8 })),
  gpuResourceName: maybe(fc.constantFrom('nvidia.com/gpu', 'nvidia.com/mig-1g.5gb')),
  cpu: maybe(fc.constantFrom('500m', '4')),
  memory: maybe(fc.constant('8Gi')),
  sharedMemory: maybe(fc.constant('1Gi')),
});

/** Fields that every component can have. */
const common = {
  args: maybe(fc.constant(['--fast'])),
  port: maybe(fc.integer({ min: 1, max: 65535 })),
  protocol: maybe(fc.constantFrom('v1' as const, 'v2' as const, 'grpc-v1' as const, 'grpc-v2' as const)),
  env: maybe(fc.array(fc.record({ name: fc.constantFrom('A', 'B', 'STORAGE_URI'), value: fc.string() }), { maxLength: 1 })),
  resources: maybe(resources),
  nodeSelector: maybe(fc.constant({ pool: 'gpu' })),
  tolerations: maybe(fc.constant([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }])),
  podSpec: maybe(fc.constant({ hostIPC: true, containers: [{ name: 'proxy', image: 'proxy:1' }], volumes: [{ name: 'x', emptyDir: {} }] })),
  labels: maybe(fc.constant({ tier: 'front' })),
  scaling: maybe(scaling),
  containerConcurrency: maybe(fc.integer({ min: 0, max: 10 })),
  timeoutSeconds: maybe(fc.integer({ min: 1, max: 600 })),
  logger: maybe(fc.constant({ url: 'http://broker', metadataHeaders: ['x'] })),
  batcher: maybe(fc.record({ maxBatchSize: maybe(fc.integer({ min: 1 })), maxLatencyMilliseconds: maybe(fc.integer({ min: 1 })) })),
  rollingUpdate: maybe(fc.constant({ maxSurge: '0', maxUnavailable: '25%' })),
};

const ofModel: fc.Arbitrary<ComponentSpec> = fc.record({
  ...common,
  name: maybe(servingName),
  model: fc.record({
    format: fc.constantFrom('sklearn', 'onnx', 'huggingface'), formatVersion: maybe(fc.constant('1')), runtime: maybe(fc.constantFrom('kserve-tritonserver', 'mine')),
  }),
  storage: fc.array(storage, { maxLength: 2 }),
  worker: maybe(fc.record({
    pipelineParallel: maybe(fc.integer({ min: 1, max: 4 })), tensorParallel: maybe(fc.integer({ min: 1, max: 8 })), resources: maybe(resources),
  })),
});

const ofContainer: fc.Arbitrary<ComponentSpec> = fc.record({ ...common, container: fc.constant({ image: 'server:1' }), storage: fc.array(storage, { maxLength: 2 }) });

const canary: fc.Arbitrary<CanarySpec> = fc.record({
  name: servingName,
  trafficPercent: fc.integer({ min: 0, max: 100 }),
  phase: fc.constantFrom('serving' as const, 'promoted' as const, 'rolled-back' as const),
  changes: fc.record({ storage: fc.constant([{ uri: 'gs://m/candidate' }]) }),
  replicas: maybe(fc.integer({ min: 1, max: 2 })),
});

/** Services of both modes, many of them wrong. */
export const anyService: fc.Arbitrary<InferenceServiceSpec> = fc.record({
  mode: fc.constantFrom('Standard' as const, 'Knative' as const),
  autoscaler: maybe(fc.constantFrom('hpa' as const, 'keda' as const, 'external' as const, 'none' as const)),
  stopped: maybe(fc.boolean()),
  predictor: fc.oneof({ weight: 3, arbitrary: ofModel }, { weight: 1, arbitrary: ofContainer }),
  transformer: maybe(ofContainer),
  explainer: maybe(fc.oneof(ofContainer, fc.constant<ComponentSpec>({ art: { type: 'SquareAttack', config: { a: '1' } } }))),
  canaries: maybe(fc.array(canary, { maxLength: 2 })),
  tagRouting: maybe(fc.boolean()),
  localModelCache: maybe(fc.constantFrom<string | false>('h100', false)),
  storageSecretName: maybe(servingName),
});

/** Those of them that the rules accept. */
export const validService = anyService.filter((spec) => validateInferenceService({ name: 'iris', spec }).length === 0);
