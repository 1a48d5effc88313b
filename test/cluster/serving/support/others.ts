/** Objects of KServe beside InferenceServices, with all that they can be told. */
import { Duration, Size, type Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import type { Program } from './accepted';
import { Accelerator, Gpu } from '../../../../src';
import {
  Autoscaler, BuiltInRuntime, ClusterServingRuntime, Explainer, GraphData, GraphNode, GraphTarget, InferenceGraph, InferenceRoute,
  InferenceService, KvCacheEviction, LlmActuator, LlmInferenceService, LocalModelCache, LocalModelNodeGroup, ModelFormat, ModelStorage,
  ModelStorageContainer, Predictor, ScaleMetric, ServingMode, ServingProtocol, ServingRuntime,
} from '../../../../src/constructs/serving';

function service(chart: Chart, id: string) {
  return new InferenceService(chart, id, { mode: ServingMode.STANDARD, predictor: Predictor.model({ format: ModelFormat.SKLEARN, storage: ModelStorage.gcs('models', id) }) });
}

/** All that a pod of a large language model can be told. */
function pods(chart: Chart) {
  return {
    image: 'vllm:1', command: ['vllm'], args: ['serve'],
    env: { A: kplus.EnvValue.fromValue('1') },
    envFrom: [kplus.Env.fromSecret(kplus.Secret.fromSecretName(chart, 'Secret', 'hub'))],
    resources: { gpu: Gpu.nvidia(8), memory: Size.gibibytes(32), sharedMemory: Size.gibibytes(8) },
    volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }],
    nodeSelector: { pool: 'gpu' },
    tolerations: [{ key: 'spot' }],
    podSpec: { priorityClassName: 'high', containers: [{ name: 'proxy', image: 'proxy:1' }] },
  };
}

/** Programs by what they are about. */
export const OTHERS: readonly (readonly [string, Program])[] = [
  ['a graph with every kind of node', (chart) => {
    new InferenceGraph(chart, 'Graph', {
      mode: ServingMode.STANDARD, minReplicas: 1, maxReplicas: 3, metric: ScaleMetric.cpu(50), timeout: Duration.minutes(1),
      resources: { cpu: kplus.Cpu.millis(100) },
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'graph'), nodeSelector: { pool: 'cpu' }, tolerations: [{ key: 'spot' }],
      nodes: {
        root: GraphNode.sequence([
          { target: GraphTarget.service(service(chart, 'A')), name: 'a', required: true }, { target: GraphTarget.node('switch'), data: GraphData.RESPONSE, condition: 'class' },
        ]),
        switch: GraphNode.switchOver([{ target: GraphTarget.url('http://dogs'), condition: '[@this].#(class=="dog")' }, { target: GraphTarget.node('vote'), condition: 'class' }]),
        vote: GraphNode.ensemble([{ target: GraphTarget.node('split'), name: 'x' }, { target: GraphTarget.serviceNamed('b') }]),
        split: GraphNode.splitter([{ target: GraphTarget.serviceNamed('b'), weight: 90 }, { target: GraphTarget.serviceNamed('c'), weight: 10 }]),
      },
    });
  }],
  ['a route with headers, weights, a canary and a shadow', (chart) => {
    const route = new InferenceRoute(chart, 'Route', {
      gateways: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }], hostnames: ['*.models.example'], pathPrefix: '/v1', timeout: Duration.seconds(30),
    });
    const a = service(chart, 'A');
    a.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.gcs('models', 'a/2') });
    route.addService(a, { weight: 60 });
    route.addService(service(chart, 'B'), { weight: 40 });
    route.addService(service(chart, 'C'), { headers: { 'x-beta': '1' } });
    route.addShadow(service(chart, 'D'), { percent: 20 });
  }],
  ['runtimes and a storage container', (chart) => {
    const runtime = {
      formats: [{ name: 'mine', version: '1', autoSelect: true, priority: 1 }, { name: 'other' }], protocols: [ServingProtocol.V1, ServingProtocol.GRPC_V2], image: 'server:1',
      command: ['serve'], args: ['--name={{.Name}}'], port: 9090, env: { A: kplus.EnvValue.fromValue('1') }, resources: { gpu: Gpu.nvidia(8), sharedMemory: Size.gibibytes(2) },
      liveness: kplus.Probe.fromHttpGet('/live'), readiness: kplus.Probe.fromTcpSocket({ port: 9090 }), startup: kplus.Probe.fromCommand(['ready']),
      volumeMounts: [{ path: '/cache', volume: kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache') }], nodeSelector: { pool: 'gpu' }, tolerations: [{ key: 'spot' }],
      imagePullSecrets: [kplus.Secret.fromSecretName(chart, 'Secret', 'hub')], podLabels: { tier: 'front' }, podAnnotations: { note: 'x' },
      worker: { pipelineParallel: 2, tensorParallel: 8, resources: { gpu: Gpu.nvidia(8) } }, disabled: false,
    };
    new ServingRuntime(chart, 'Mine', runtime);
    new ClusterServingRuntime(chart, 'Everywhere', runtime);
    new ModelStorageContainer(chart, 'Dvc', {
      image: 'dvc:1', prefixes: ['dvc://'], patterns: ['https://hub/.+'], env: { A: kplus.EnvValue.fromValue('1') }, resources: { memory: Size.gibibytes(1) }, downloadsSeveral: true,
    });
    ModelStorageContainer.modelRegistry(chart, 'Registry', { image: 'registry:1', server: 'model-registry:8080' });
  }],
  ['caches and their nodes', (chart) => {
    const nodes = new LocalModelNodeGroup(chart, 'Ssd', { limit: Size.tebibytes(1), path: '/mnt/disks/ssd0', nodeSelector: { pool: 'gpu' }, storageClassName: 'ssd' });
    new LocalModelCache(chart, 'Qwen', { model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), size: Size.gibibytes(20), nodeGroups: [nodes] });
    new LocalModelCache(chart, 'Gemma', {
      model: ModelStorage.s3('models', 'gemma'), size: Size.gibibytes(20), nodeGroups: [nodes], ofNamespace: true,
      serviceAccount: kplus.ServiceAccount.fromServiceAccountName(chart, 'Account', 'models'),
    });
  }],
  ['the least of a large language model', (chart) => {
    new LlmInferenceService(chart, 'Qwen', { model: ModelStorage.huggingFace('Qwen/Qwen3-8B') });
  }],
  ['a large language model with everything', (chart) => {
    const service = new LlmInferenceService(chart, 'Qwen', {
      model: ModelStorage.huggingFace('Qwen/Qwen3-8B'),
      modelName: 'qwen',
      lora: { adapters: [{ name: 'sql', storage: ModelStorage.huggingFace('org/sql') }], maxRank: 64, maxAdapters: 4, maxCpuAdapters: 8 },
      workload: {
        ...pods(chart), parallelism: { data: 16, dataLocal: 8, expert: true, tensor: 1, dataRpcPort: 5555 }, worker: { image: 'vllm:2' },
        scaling: {
          minReplicas: 2, maxReplicas: 4, actuator: LlmActuator.KEDA, idleReplicas: 1, variantCost: '5.0', pollingInterval: Duration.seconds(5),
          cooldown: Duration.minutes(5),
        },
        kvCacheOffloading: { cpu: Size.gibibytes(8), eviction: KvCacheEviction.ARC, disk: Size.gibibytes(100) },
      },
      prefill: {
        replicas: 2, parallelism: { tensor: 4 },
        kvCacheOffloading: { cpu: Size.gibibytes(8), claim: kplus.PersistentVolumeClaim.fromClaimName(chart, 'Claim', 'kv'), claimPath: 'qwen' },
      },
      router: { scheduler: { replicas: 2, config: { apiVersion: 'inference.networking.x-k8s.io/v1alpha1', kind: 'EndpointPickerConfig' } }, trafficGroup: 'qwen', trafficWeight: 10 },
      baseConfigs: ['h100'],
      tracing: { endpoint: 'http://otel:4317', sampleRatio: 0.1 },
    });
    service.addAdapter({ name: 'chat', storage: ModelStorage.s3('loras', 'chat') });
  }],
  ['large language models by a pipeline, by gateways and ingresses of the user\'s', (chart) => {
    new LlmInferenceService(chart, 'Pipeline', {
      model: ModelStorage.oci('registry.example/qwen:1'),
      baseConfigs: ['kserve-config-llm-worker-pipeline-parallel'],
      storageInitializer: false,
      workload: { parallelism: { pipeline: 2, tensor: 8 }, worker: {}, scaling: { maxReplicas: 2, scaleDownDelay: Duration.minutes(2) } },
      router: {
        gateways: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }], routeNames: ['mine'],
        scheduler: { configMap: kplus.ConfigMap.fromConfigMapName(chart, 'Map', 'epp') },
      },
    });
    new LlmInferenceService(chart, 'Ingress', { model: ModelStorage.uri('pvc://models/qwen'), router: { ingressNames: ['mine'] } });
  }],
  ['accelerators of everything that serves', (chart) => {
    const [one, eight, slice] = [Accelerator.NVIDIA_L4.count(1), Accelerator.NVIDIA_H100_MEGA_80GB.count(8), Accelerator.tpuV6e('4x4').perHost()];
    const service = new InferenceService(chart, 'Iris', {
      mode: ServingMode.STANDARD,
      predictor: Predictor.model({ format: ModelFormat.HUGGINGFACE, storage: ModelStorage.huggingFace('Qwen/Qwen3-8B'), accelerator: eight }),
      transformer: { image: 'transform:1', accelerator: one },
      explainer: Explainer.container({ image: 'explain:1', accelerator: Accelerator.tpuV6e('1x1').perHost() }),
    });
    service.addCanary('v2', { trafficPercent: 10, storage: ModelStorage.huggingFace('Qwen/Qwen3-4B'), accelerator: one });
    new InferenceService(chart, 'Nodes', {
      mode: ServingMode.STANDARD, autoscaler: Autoscaler.NONE,
      predictor: Predictor.model({
        format: ModelFormat.HUGGINGFACE, runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'), accelerator: eight,
        worker: { pipelineParallel: 2, tensorParallel: 8 },
      }),
    });
    new ServingRuntime(chart, 'Mine', { formats: [{ name: 'mine' }], protocols: [ServingProtocol.V2], image: 'server:1', accelerator: eight, worker: { pipelineParallel: 2 } });
    new LlmInferenceService(chart, 'Qwen', {
      baseConfigs: ['kserve-config-llm-decode-worker-pipeline-parallel'],
      model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), workload: { accelerator: slice, parallelism: { pipeline: 4 }, worker: {} }, prefill: { accelerator: eight },
    });
  }],
];
