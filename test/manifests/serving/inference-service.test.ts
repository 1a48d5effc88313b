import { constructInferenceService } from '../../../src/manifests/serving/inference-service';
import { CONTAINER, canary, knative, predictor, standard } from '../../model/serving/services';

test('the mode always stands in the annotations', () => {
  expect(constructInferenceService(standard()).metadata.annotations).toEqual({
    'serving.kserve.io/deploymentMode': 'Standard', 'serving.kserve.io/autoscalerClass': 'hpa',
  });
  expect(constructInferenceService(knative()).metadata.annotations).toEqual({ 'serving.kserve.io/deploymentMode': 'Knative' });
});

test('annotations of KServe win over the author\'s', () => {
  const { annotations } = constructInferenceService(standard(), { annotations: { 'serving.kserve.io/deploymentMode': 'ModelMesh', 'team': 'a' } }).metadata;
  expect(annotations).toMatchObject({ 'serving.kserve.io/deploymentMode': 'Standard', 'team': 'a' });
});

test('rendering twice gives the same object, and changes nothing of the spec', () => {
  const service = standard({ canaries: [canary('v2')], transformer: CONTAINER });
  const before = structuredClone(service);
  expect(constructInferenceService(service)).toEqual(constructInferenceService(service));
  expect(service).toEqual(before);
});

const scaled = (scaling: object, autoscaler?: 'keda' | 'none') => constructInferenceService(standard({ autoscaler, ...predictor({ scaling }) })).spec.predictor;
const CPU = { kind: 'cpu', target: 50 };

test('one metric of a HorizontalPodAutoscaler is a scale target', () => {
  expect(scaled({ minReplicas: 1, maxReplicas: 3, metrics: [CPU] })).toMatchObject({
    minReplicas: 1, maxReplicas: 3, scaleMetric: 'cpu', scaleTarget: 50, scaleMetricType: 'Utilization',
  });
});

test('two metrics are a list', () => {
  expect(scaled({ metrics: [CPU, { kind: 'memory', target: 70 }] })).toMatchObject({
    autoScaling: {
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 70 } } },
      ],
    },
  });
});

test('a delay brings the default metric with it, because KServe then reads the list alone', () => {
  expect(scaled({ scaleDownDelaySeconds: 600 })).toMatchObject({
    autoScaling: {
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 600 } },
    },
  });
});

test('KEDA never gets a scale metric, which its webhook refuses', () => {
  const keda = scaled({ metrics: [CPU, { kind: 'prometheus', target: 2, query: 'sum(x)', serverAddress: 'http://prometheus', authenticationRef: 'token' }] }, 'keda');
  expect(keda).not.toHaveProperty('scaleMetric');
  expect(keda).toMatchObject({
    autoScaling: {
      metrics: [
        { type: 'Resource' },
        {
          type: 'External',
          external: {
            metric: { backend: 'prometheus', serverAddress: 'http://prometheus', query: 'sum(x)' },
            target: { type: 'Value', value: '2' },
            authenticationRef: { authenticationRef: { name: 'token' } },
          },
        },
      ],
    },
  });
});

test('Knative has its metric as a scale target and its delay as an annotation', () => {
  const service = constructInferenceService(knative(predictor({ scaling: { metrics: [{ kind: 'rps', target: 20 }], scaleDownDelaySeconds: 300 } })));
  expect(service.spec.predictor).toMatchObject({ scaleMetric: 'rps', scaleTarget: 20, annotations: { 'autoscaling.knative.dev/scale-down-delay': '300s' } });
  expect(service.spec.predictor).not.toHaveProperty('scaleMetricType');
});

test('Knative by cpu gets the autoscaler that can', () => {
  const { annotations } = constructInferenceService(knative(predictor({ scaling: { metrics: [{ kind: 'cpu', target: 50 }] } }))).metadata;
  expect(annotations).toMatchObject({ 'autoscaling.knative.dev/class': 'hpa.autoscaling.knative.dev' });
});

/** What every component without an account has. */
const NO_TOKEN = { automountServiceAccountToken: false };

test('one place of weights stands in the model, several or one with a mount path in a list', () => {
  const render = (storage: object[]) => constructInferenceService(standard(predictor({ storage }))).spec.predictor;
  expect(render([{ uri: 'gs://m/a' }])).toEqual({ ...NO_TOKEN, model: { modelFormat: { name: 'sklearn' }, storageUri: 'gs://m/a' } });
  expect(render([{ uri: 'gs://m/a' }, { uri: 'gs://m/b', mountPath: '/mnt/b' }])).toEqual({
    ...NO_TOKEN, model: { modelFormat: { name: 'sklearn' } }, storageUris: [{ uri: 'gs://m/a' }, { uri: 'gs://m/b', mountPath: '/mnt/b' }],
  });
  expect(render([{ secretEntry: { key: 's3', path: 'iris', parameters: { bucket: 'm' } } }])).toEqual({
    ...NO_TOKEN, model: { modelFormat: { name: 'sklearn' }, storage: { key: 's3', path: 'iris', parameters: { bucket: 'm' } } },
  });
});

test('a container of the user\'s is named as KServe looks for it, and its sidecars follow', () => {
  const { predictor: rendered } = constructInferenceService(standard({
    predictor: { ...CONTAINER, port: 9090, storage: [{ uri: 'pvc://m/a' }], protocol: 'v2', podSpec: { containers: [{ name: 'proxy', image: 'proxy:1' }], hostNetwork: true } },
  })).spec;
  expect(rendered).toEqual({
    ...NO_TOKEN,
    hostNetwork: true,
    containers: [
      {
        name: 'kserve-container', image: 'server:1', env: [{ name: 'PROTOCOL', value: 'v2' }], ports: [{ containerPort: 9090, protocol: 'TCP' }],
        securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } },
      },
      { name: 'proxy', image: 'proxy:1' },
    ],
    storageUris: [{ uri: 'pvc://m/a' }],
  });
});

test('gRPC has the port that KServe and Knative look for', () => {
  const ports = (service: ReturnType<typeof standard>) => (
    constructInferenceService(service).spec.predictor as { model: { ports: unknown } }).model.ports;
  expect(ports(standard(predictor({ protocol: 'grpc-v2' })))).toEqual([{ name: 'grpc', containerPort: 9000, protocol: 'TCP' }]);
  expect(ports(knative(predictor({ protocol: 'grpc-v2', port: 8081 })))).toEqual([{ name: 'h2c', containerPort: 8081, protocol: 'TCP' }]);
});

test('GPUs are limits, with the toleration that their nodes ask for and memory to share', () => {
  const { predictor: rendered } = constructInferenceService(standard(predictor({
    resources: { gpu: 2, memory: '8Gi', sharedMemory: '1Gi' }, tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
  }))).spec;
  expect(rendered).toMatchObject({
    model: {
      resources: { limits: { 'nvidia.com/gpu': '2', 'memory': '8Gi' }, requests: { memory: '8Gi' } },
      volumeMounts: [{ name: 'shared-memory', mountPath: '/dev/shm' }],
    },
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    volumes: [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }],
  });
});

test('the nodes of a replica have what the first has unless they say otherwise', () => {
  const { predictor: rendered } = constructInferenceService(standard({
    autoscaler: 'none', ...predictor({ storage: [{ uri: 'pvc://m/a' }], resources: { gpu: 8 }, worker: { pipelineParallel: 2, tensorParallel: 8 } }),
  })).spec;
  expect(rendered).toMatchObject({
    workerSpec: { pipelineParallelSize: 2, tensorParallelSize: 8, containers: [{ name: 'worker-container', resources: { limits: { 'nvidia.com/gpu': '8' } } }] },
  });
});

test('a logger has a mode, which the webhook asks for', () => {
  expect(constructInferenceService(standard(predictor({ logger: { url: 'http://broker' } }))).spec.predictor).toMatchObject({ logger: { url: 'http://broker', mode: 'all' } });
});

test('a canary is the predictor with its changes, and of fixed size', () => {
  const { canary: canaries } = constructInferenceService(standard({
    ...predictor({ scaling: { minReplicas: 2, maxReplicas: 4, metrics: [{ kind: 'cpu', target: 50 }] }, resources: { cpu: '1' } }), canaries: [{ ...canary('v2', 25), replicas: 1 }],
  })).spec as { canary: unknown };
  expect(canaries).toEqual([{
    trafficPercent: 25,
    predictor: {
      ...NO_TOKEN,
      name: 'v2', minReplicas: 1,
      model: { name: 'kserve-container', modelFormat: { name: 'sklearn' }, storageUri: 'gs://models/iris/v2', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } },
    },
  }]);
});

test('a canary beside KEDA has no trigger, because its size is fixed', () => {
  const { canary: canaries } = constructInferenceService(standard({
    autoscaler: 'keda', ...predictor({ scaling: { maxReplicas: 3, metrics: [{ kind: 'cpu', target: 50 }] } }), canaries: [canary('v2')],
  })).spec as { canary: { predictor: object }[] };
  expect(Object.keys(canaries[0].predictor)).toEqual(['name', 'model', 'automountServiceAccountToken']);
});
