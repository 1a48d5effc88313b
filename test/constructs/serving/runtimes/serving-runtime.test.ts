import { Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Gpu } from '../../../../src';
import {
  ClusterServingRuntime, LocalModelCache, LocalModelNodeGroup, ModelStorage, ModelStorageContainer, ServingProtocol, ServingRuntime,
  type LocalModelCacheProps, type ServingRuntimeProps,
} from '../../../../src/constructs/serving';
import { errorsOf } from '../../../support/synth-errors';

const LEAST: ServingRuntimeProps = { formats: [{ name: 'mine', autoSelect: true, priority: 1 }], protocols: [ServingProtocol.V2], image: 'server:1' };

describe('a runtime', () => {
  test('of a namespace, by default', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    const runtime = new ServingRuntime(chart, 'Mine', { ...LEAST, metadata: { name: 'mine' } });
    expect(Testing.synth(chart)).toEqual([{
      apiVersion: 'serving.kserve.io/v1alpha1',
      kind: 'ServingRuntime',
      metadata: { name: 'mine', namespace: 'ml' },
      spec: {
        supportedModelFormats: [{ name: 'mine', autoSelect: true, priority: 1 }],
        protocolVersions: ['v2'],
        containers: [{ name: 'kserve-container', image: 'server:1', securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } } }],
      },
    }]);
    expect(runtime.resourceType).toBe('servingruntimes');
  });

  test('of the cluster has no namespace, whatever the chart\'s', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    expect(new ClusterServingRuntime(chart, 'Mine', { ...LEAST, metadata: { name: 'mine' } }).resourceType).toBe('clusterservingruntimes');
    expect(Testing.synth(chart)[0]).toMatchObject({ kind: 'ClusterServingRuntime', metadata: { name: 'mine' } });
    expect(Testing.synth(chart)[0].metadata).not.toHaveProperty('namespace');
  });

  test('with every option', () => {
    const chart = Testing.chart();
    new ServingRuntime(chart, 'Mine', {
      ...LEAST,
      command: ['serve'],
      args: ['--name={{.Name}}'],
      port: 9090,
      env: { A: kplus.EnvValue.fromValue('1') },
      resources: { gpu: Gpu.nvidia(8), sharedMemory: Size.gibibytes(2) },
      liveness: kplus.Probe.fromHttpGet('/live'),
      readiness: kplus.Probe.fromTcpSocket({ port: 9090 }),
      startup: kplus.Probe.fromCommand(['ready']),
      volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }],
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot' }],
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'hub')],
      podLabels: { tier: 'front' },
      podAnnotations: { 'prometheus.kserve.io/port': '9090' },
      worker: { pipelineParallel: 2, tensorParallel: 8 },
      disabled: true,
    });
    expect(Testing.synth(chart)[0].spec).toEqual({
      supportedModelFormats: LEAST.formats,
      protocolVersions: ['v2'],
      disabled: true,
      labels: { tier: 'front' },
      annotations: { 'prometheus.kserve.io/port': '9090' },
      containers: [{
        name: 'kserve-container', image: 'server:1', command: ['serve'], args: ['--name={{.Name}}'], env: [{ name: 'A', value: '1' }],
        ports: [{ containerPort: 9090, protocol: 'TCP' }],
        resources: { limits: { 'nvidia.com/gpu': '8' } },
        livenessProbe: { httpGet: { path: '/live', port: 9090, scheme: 'HTTP' }, failureThreshold: 3 },
        readinessProbe: { tcpSocket: { port: 9090 }, failureThreshold: 3 },
        startupProbe: { exec: { command: ['ready'] }, failureThreshold: 3 },
        securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } },
        volumeMounts: [{ name: 'cache', mountPath: '/cache' }, { name: 'shared-memory', mountPath: '/dev/shm' }],
      }],
      workerSpec: {
        pipelineParallelSize: 2,
        tensorParallelSize: 8,
        containers: [{
          name: 'worker-container', image: 'server:1', resources: { limits: { 'nvidia.com/gpu': '8' } },
          securityContext: { allowPrivilegeEscalation: false, seccompProfile: { type: 'RuntimeDefault' } },
          volumeMounts: [{ name: 'shared-memory', mountPath: '/dev/shm' }],
        }],
        nodeSelector: { pool: 'gpu' },
        tolerations: [{ key: 'spot', operator: 'Exists' }, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
        volumes: [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }],
      },
      volumes: [{ name: 'cache', emptyDir: {} }, { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }],
      nodeSelector: { pool: 'gpu' },
      tolerations: [{ key: 'spot', operator: 'Exists' }, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      imagePullSecrets: [{ name: 'hub' }],
    });
  });

  test('that KServe could not choose before another is told, in one namespace and in the cluster', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    for (const namespace of ['a', 'b']) {
      new ServingRuntime(chart, `One-${namespace}`, { ...LEAST, metadata: { name: 'one', namespace } });
    }
    new ServingRuntime(chart, 'Two', { ...LEAST, metadata: { name: 'two', namespace: 'a' } });
    new ClusterServingRuntime(chart, 'Three', { ...LEAST, metadata: { name: 'three' } });
    new ClusterServingRuntime(chart, 'Four', { ...LEAST, metadata: { name: 'four' } });
    expect(errorsOf(app)).toEqual([
      expect.stringContaining('ServingRuntime \'two\': spec.supportedModelFormats: "mine": \'one\' serves the format with the same priority (1) and protocol'),
      expect.stringContaining('ClusterServingRuntime \'four\': spec.supportedModelFormats: "mine": \'three\' serves the format'),
    ]);
  });

  test('with a mistake is told with its name', () => {
    const app = Testing.app();
    new ServingRuntime(new Chart(app, 'test'), 'Mine', { ...LEAST, formats: [], metadata: { name: 'mine' } });
    expect(errorsOf(app)).toEqual([expect.stringContaining('ServingRuntime \'mine\': spec.supportedModelFormats: a runtime without formats')]);
  });
});

describe('a storage container', () => {
  test('is of the cluster, and named as KServe looks for it', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    new ModelStorageContainer(chart, 'Dvc', {
      image: 'dvc:1', prefixes: ['dvc://'], patterns: ['https://hub/.+'], env: { A: kplus.EnvValue.fromValue('1') }, resources: { memory: Size.gibibytes(1) },
      downloadsSeveral: true, metadata: { name: 'dvc' },
    });
    expect(Testing.synth(chart)).toEqual([{
      apiVersion: 'serving.kserve.io/v1alpha1',
      kind: 'ClusterStorageContainer',
      metadata: { name: 'dvc' },
      spec: {
        container: { name: 'storage-initializer', image: 'dvc:1', env: [{ name: 'A', value: '1' }], resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } } },
        supportedUriFormats: [{ prefix: 'dvc://' }, { regex: 'https://hub/.+' }],
        supportsMultiModelDownload: true,
      },
    }]);
  });

  test('can be the one of the model registry', () => {
    const chart = Testing.chart();
    ModelStorageContainer.modelRegistry(chart, 'Registry', { image: 'registry:1', server: 'model-registry:8080' });
    expect(Testing.synth(chart)[0].spec).toEqual({
      container: {
        name: 'storage-initializer', image: 'registry:1',
        env: [{ name: 'MODEL_REGISTRY_BASE_URL', value: 'model-registry:8080' }, { name: 'MODEL_REGISTRY_SCHEME', value: 'http' }],
      },
      supportedUriFormats: [{ prefix: 'model-registry://' }],
    });
  });

  test('with a mistake is told with its name', () => {
    const app = Testing.app();
    new ModelStorageContainer(new Chart(app, 'test'), 'Mine', { image: 'x', metadata: { name: 'mine' } });
    expect(errorsOf(app)).toEqual([expect.stringContaining('ClusterStorageContainer \'mine\': spec.supportedUriFormats: is required')]);
  });
});

describe('a cache', () => {
  const group = (chart: Chart, id = 'Ssd', limit = 1000) => new LocalModelNodeGroup(chart, id, {
    limit: Size.gibibytes(limit), path: '/mnt/disks/ssd0', nodeSelector: { pool: 'gpu' }, metadata: { name: id.toLowerCase() },
  });
  const cache = (chart: Chart, id: string, props: Partial<LocalModelCacheProps> = {}) => new LocalModelCache(chart, id, {
    model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), size: Size.gibibytes(20), metadata: { name: id.toLowerCase() }, ...props,
  });

  test('is of the cluster, on the disks of its nodes, which come first', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    const qwen = cache(chart, 'Qwen');
    const ssd = group(chart);
    qwen.addNodeGroup(ssd);
    expect(qwen.nodeGroups).toEqual([ssd]);
    expect([qwen.resourceType, ssd.resourceType]).toEqual(['localmodelcaches', 'localmodelnodegroups']);
    const common = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', storageClassName: 'local-storage' };
    expect(Testing.synth(chart)).toEqual([
      {
        apiVersion: 'serving.kserve.io/v1alpha1',
        kind: 'LocalModelNodeGroup',
        metadata: { name: 'ssd' },
        spec: {
          storageLimit: '1000Gi',
          persistentVolumeSpec: {
            ...common,
            capacity: { storage: '1000Gi' },
            persistentVolumeReclaimPolicy: 'Delete',
            local: { path: '/mnt/disks/ssd0' },
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['gpu'] }] }] } },
          },
          persistentVolumeClaimSpec: { ...common, resources: { requests: { storage: '1000Gi' } } },
        },
      },
      {
        apiVersion: 'serving.kserve.io/v1alpha1',
        kind: 'LocalModelCache',
        metadata: { name: 'qwen' },
        spec: { sourceModelUri: 'hf://Qwen/Qwen3-8B', modelSize: '20Gi', nodeGroups: ['ssd'] },
      },
    ]);
  });

  test('can be of a namespace, with an account', () => {
    const chart = new Chart(Testing.app(), 'test', { namespace: 'ml' });
    const account = kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'models');
    expect(cache(chart, 'Qwen', { nodeGroups: [group(chart)], ofNamespace: true, serviceAccount: account }).resourceType).toBe('localmodelnamespacecaches');
    expect(Testing.synth(chart)[1]).toMatchObject({ kind: 'LocalModelNamespaceCache', metadata: { name: 'qwen', namespace: 'ml' }, spec: { serviceAccountName: 'models' } });
  });

  test('of one model exists once in the cluster, and as often as wanted in namespaces', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    const nodeGroups = [group(chart)];
    cache(chart, 'One', { nodeGroups });
    cache(chart, 'Two', { nodeGroups });
    cache(chart, 'Three', { nodeGroups, ofNamespace: true, metadata: { name: 'three', namespace: 'a' } });
    cache(chart, 'Four', { nodeGroups, ofNamespace: true, metadata: { name: 'four', namespace: 'b' } });
    cache(chart, 'Five', { nodeGroups, ofNamespace: true, metadata: { name: 'five', namespace: 'b' } });
    expect(errorsOf(app)).toEqual([
      expect.stringContaining('LocalModelCache \'two\': spec.sourceModelUri: "hf://Qwen/Qwen3-8B": \'one\' caches the same model, and KServe refuses the second.'),
    ]);
  });

  test('that does not fit, and nodes without labels, are told with their names', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'test');
    cache(chart, 'Qwen', { nodeGroups: [group(chart, 'Ssd', 10)] });
    new LocalModelNodeGroup(chart, 'None', { limit: Size.gibibytes(1), path: '/mnt', nodeSelector: {}, metadata: { name: 'none' } });
    expect(errorsOf(app)).toEqual([
      expect.stringContaining('LocalModelCache \'qwen\': spec.modelSize: "20Gi": does not fit on the nodes of \'ssd\', whose disks have 10Gi.'),
      expect.stringContaining('LocalModelNodeGroup \'none\': spec.persistentVolumeSpec.nodeAffinity: is required'),
    ]);
  });
});

describe('as they were:', () => {
  const chartOf = () => new Chart(Testing.app(), 'snapshot', { namespace: 'ml' });
  const RUNTIME: ServingRuntimeProps = {
    formats: [{ name: 'mine', version: '1', autoSelect: true, priority: 2 }], protocols: [ServingProtocol.V1, ServingProtocol.GRPC_V2], image: 'server:1', args: ['--name={{.Name}}'], port: 9090,
    accelerator: Accelerator.NVIDIA_L4.count(2), readiness: kplus.Probe.fromHttpGet('/ready'), worker: { pipelineParallel: 2, tensorParallel: 2 },
    podAnnotations: { 'prometheus.kserve.io/port': '9090' },
  };

  test('runtimes', () => {
    const chart = chartOf();
    new ServingRuntime(chart, 'Mine', { ...RUNTIME, metadata: { name: 'mine' } });
    new ClusterServingRuntime(chart, 'Everywhere', { ...RUNTIME, metadata: { name: 'everywhere' }, worker: undefined, disabled: true });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('a storage container', () => {
    const chart = chartOf();
    new ModelStorageContainer(chart, 'Dvc', {
      image: 'dvc:1', prefixes: ['dvc://'], patterns: ['https://hub/.+'], env: { A: kplus.EnvValue.fromValue('1') }, resources: { memory: Size.gibibytes(1) },
      downloadsSeveral: true, metadata: { name: 'dvc' },
    });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('a cache on the disks of nodes', () => {
    const chart = chartOf();
    const nodes = new LocalModelNodeGroup(chart, 'Ssd', {
      limit: Size.tebibytes(1), path: '/mnt/disks/ssd0', nodeSelector: { pool: 'gpu' }, storageClassName: 'ssd', metadata: { name: 'ssd' },
    });
    const caches = { model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), size: Size.gibibytes(20), nodeGroups: [nodes] };
    new LocalModelCache(chart, 'Qwen', { ...caches, metadata: { name: 'qwen' } });
    new LocalModelCache(chart, 'Ours', { ...caches, metadata: { name: 'ours' }, ofNamespace: true });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });
});
