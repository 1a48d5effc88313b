/** The `accelerator` property of what serves models. */
import { Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Accelerator, Gpu, Tpu } from '../../../src';
import {
  Autoscaler, BuiltInRuntime, ClusterServingRuntime, Explainer, InferenceService, LlmInferenceService, ModelFormat, ModelStorage, Predictor,
  ServingMode, ServingProtocol, ServingRuntime, type CanaryOptions, type InferenceServiceOptions, type LlmInferenceServiceProps,
  type ModelPredictorOptions, type ServingRuntimeProps,
} from '../../../src/constructs/serving';
import { errorsOf } from '../../support/synth-errors';

const MEGA = Accelerator.NVIDIA_H100_MEGA_80GB.count(8);
const L4_LABELS = { 'cloud.google.com/gke-accelerator': 'nvidia-l4' };
const MEGA_LABELS = { 'cloud.google.com/gke-accelerator': 'nvidia-h100-mega-80gb' };
const GPU_TOLERATION = { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
const HUGGINGFACE = { format: ModelFormat.HUGGINGFACE, storage: ModelStorage.huggingFace('Qwen/Qwen3-8B') };

/** A service, with a canary if one is described. */
function iris(
  chart: Chart, predictor: Partial<ModelPredictorOptions>, options: Partial<InferenceServiceOptions> = {}, canary?: CanaryOptions,
): InferenceService {
  const service = new InferenceService(chart, 'Iris', {
    metadata: { name: 'iris' }, mode: ServingMode.STANDARD, predictor: Predictor.model({ ...HUGGINGFACE, ...predictor }), ...options,
  });
  if (canary !== undefined) {
    service.addCanary('v2', canary);
  }
  return service;
}

function specOf(...given: [Partial<ModelPredictorOptions>, Partial<InferenceServiceOptions>?, CanaryOptions?]) {
  const chart = Testing.chart();
  iris(chart, ...given);
  return Testing.synth(chart)[0].spec;
}

function problems(program: (chart: Chart) => void): string[] {
  const app = Testing.app();
  program(new Chart(app, 'test'));
  return errorsOf(app).map((text) => text.replace(/^\[[^\]]*\] /, ''));
}

describe('the accelerator of a predictor', () => {
  test('is its limit, its node selector and its toleration', () => {
    const { model, nodeSelector, tolerations, volumes } = specOf({ accelerator: Accelerator.NVIDIA_L4.count(1) }).predictor;
    expect(model.resources).toEqual({ limits: { 'nvidia.com/gpu': '1' } });
    expect(nodeSelector).toEqual(L4_LABELS);
    expect(tolerations).toEqual([GPU_TOLERATION]);
    expect(volumes).toEqual([{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } }]);
  });

  test('of whole GPUs brings shared memory and variables of the network, and what the author says wins', () => {
    const accelerator = MEGA;
    const { model, nodeSelector, volumes } = specOf({
      accelerator, resources: { cpu: kplus.Cpu.units(200), memory: Size.gibibytes(1800) }, nodeSelector: { pool: 'h100' }, env: { NCCL_DEBUG: kplus.EnvValue.fromValue('INFO') },
    }).predictor;
    expect(model.resources.limits).toEqual({ 'cpu': '200', 'memory': '1800Gi', 'nvidia.com/gpu': '8' });
    expect(nodeSelector).toEqual({ ...MEGA_LABELS, pool: 'h100' });
    expect(volumes).toEqual([{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '64Gi' } }]);
    expect(model.volumeMounts).toEqual([{ name: 'shared-memory', mountPath: '/dev/shm' }]);
    const network = Object.keys(accelerator.environment);
    expect(network.length).toBeGreaterThan(0);
    expect(model.env.map(({ name }: { name: string }) => name)).toEqual([...network, 'NCCL_DEBUG']);
  });

  test('leaves `/dev/shm` to who mounts something there', () => {
    const chart = Testing.chart();
    iris(chart, { accelerator: MEGA, volumeMounts: [{ path: '/dev/shm', volume: kplus.Volume.fromEmptyDir(chart, 'Shm', 'shm') }] });
    const { predictor } = Testing.synth(chart)[0].spec;
    expect(predictor.model.volumeMounts).toEqual([{ name: 'shm', mountPath: '/dev/shm' }]);
    expect(predictor.volumes.map(({ name }: { name: string }) => name)).toEqual(['shm']);
  });

  test('keeps variables and volumes that come later', () => {
    const chart = Testing.chart();
    const service = iris(chart, { accelerator: MEGA });
    const [network] = Object.keys(MEGA.environment);
    service.addEnv(network, kplus.EnvValue.fromValue('mine'));
    service.addVolumeMount('/cache', kplus.Volume.fromEmptyDir(chart, 'Cache', 'cache'));
    const { model } = Testing.synth(chart)[0].spec.predictor;
    expect(model.env.filter(({ name }: { name: string }) => name === network)).toEqual([{ name: network, value: 'mine' }]);
    expect(model.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toEqual(['/cache', '/dev/shm']);
  });

  test('is that of its further nodes too, which are on such nodes and have shared memory', () => {
    const { workerSpec } = specOf(
      { runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'), accelerator: MEGA, worker: { pipelineParallel: 2, tensorParallel: 8 } },
      { autoscaler: Autoscaler.NONE },
    ).predictor;
    expect(workerSpec).toEqual({
      pipelineParallelSize: 2,
      tensorParallelSize: 8,
      containers: [{
        name: 'worker-container',
        env: Object.entries(MEGA.environment).map(([name, value]) => ({ name, value })),
        resources: { limits: { 'nvidia.com/gpu': '8' } },
        volumeMounts: [{ name: 'shared-memory', mountPath: '/dev/shm' }],
      }],
      nodeSelector: MEGA_LABELS,
      tolerations: [GPU_TOLERATION],
      volumes: [{ name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '64Gi' } }],
    });
    const sized = specOf(
      {
        runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'), accelerator: MEGA,
        worker: { pipelineParallel: 2, resources: { cpu: kplus.Cpu.units(100) } },
      },
      { autoscaler: Autoscaler.NONE },
    ).predictor.workerSpec.containers[0].resources;
    expect(sized).toEqual({ requests: { cpu: '100' }, limits: { 'cpu': '100', 'nvidia.com/gpu': '8' } });
  });
});

describe('other parts of a service', () => {
  test('have accelerators of their own', () => {
    const { transformer, explainer } = specOf({}, {
      transformer: { image: 'tokenize:1', accelerator: Accelerator.NVIDIA_L4.count(1) },
      explainer: Explainer.container({ image: 'explain:1', accelerator: Accelerator.tpuV6e('1x1').perHost() }),
    });
    expect(transformer).toMatchObject({ containers: [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }], nodeSelector: L4_LABELS });
    expect(explainer).toMatchObject({ containers: [{ resources: { limits: { 'google.com/tpu': '1' } } }], nodeSelector: { 'cloud.google.com/gke-tpu-topology': '1x1' } });
  });

  test('a canary has that of the predictor beside its own compute, or another one', () => {
    const l4 = { accelerator: Accelerator.NVIDIA_L4.count(1) };
    const canary = (options: Partial<CanaryOptions>) => specOf({ ...l4, nodeSelector: { pool: 'serving' } }, {}, { trafficPercent: 10, storage: ModelStorage.huggingFace('Qwen/Qwen3-4B'), ...options }).canary[0].predictor;
    expect(canary({}).model.resources.limits).toEqual({ 'nvidia.com/gpu': '1' });
    expect(canary({ resources: { memory: Size.gibibytes(8) } })).toMatchObject({ model: { resources: { limits: { 'memory': '8Gi', 'nvidia.com/gpu': '1' } } }, nodeSelector: L4_LABELS });
    expect(canary({ accelerator: MEGA })).toMatchObject({ model: { resources: { limits: { 'nvidia.com/gpu': '8' } } }, nodeSelector: { ...MEGA_LABELS, pool: 'serving' } });
  });
});

describe('the accelerator of a runtime', () => {
  const runtime: ServingRuntimeProps = {
    metadata: { name: 'mine' }, formats: [{ name: 'mine' }], protocols: [ServingProtocol.V2], image: 'server:1', accelerator: MEGA, worker: { pipelineParallel: 2 },
  };

  test.each([ServingRuntime, ClusterServingRuntime])('is that of each replica and of its further nodes: %p', (kind) => {
    const chart = Testing.chart();
    new kind(chart, 'Mine', runtime);
    const { containers, workerSpec, ...pod } = Testing.synth(chart)[0].spec;
    for (const [spec, container] of [[pod, containers[0]], [workerSpec, workerSpec.containers[0]]]) {
      expect(spec).toMatchObject({ nodeSelector: MEGA_LABELS, tolerations: [GPU_TOLERATION], volumes: [{ name: 'shared-memory', emptyDir: { sizeLimit: '64Gi' } }] });
      expect(container).toMatchObject({ resources: { limits: { 'nvidia.com/gpu': '8' } }, volumeMounts: [{ mountPath: '/dev/shm' }], env: expect.arrayContaining([expect.anything()]) });
    }
  });

  test('is checked', () => {
    expect(problems((chart) => new ServingRuntime(chart, 'Mine', { ...runtime, accelerator: Accelerator.NVIDIA_L4.count(3), resources: { gpu: Gpu.nvidia(1) } }))).toEqual([
      expect.stringMatching(/^ServingRuntime 'mine': accelerator\.count: 3: /),
      expect.stringContaining('ServingRuntime \'mine\': resources.gpu: 1: cannot be combined with \'accelerator\', which requests 3 nvidia.com/gpu itself. Remove one of the two.'),
    ]);
  });
});

describe('the accelerator of a large language model', () => {
  const specOfLlm = (props: Partial<LlmInferenceServiceProps>) => {
    const chart = Testing.chart();
    new LlmInferenceService(chart, 'Qwen', { metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), ...props });
    return Testing.synth(chart)[0].spec;
  };

  test('is that of its pods, further nodes and those that read prompts', () => {
    const { template, worker, prefill } = specOfLlm({
      workload: { accelerator: MEGA, parallelism: { data: 16, dataLocal: 8 }, worker: {} }, prefill: { accelerator: Accelerator.NVIDIA_L4.count(1) },
    });
    expect(worker).toEqual(template);
    expect(template).toMatchObject({
      nodeSelector: MEGA_LABELS, tolerations: [GPU_TOLERATION], volumes: [{ name: 'shared-memory', emptyDir: { sizeLimit: '64Gi' } }],
      containers: [{ resources: { limits: { 'nvidia.com/gpu': '8' } }, volumeMounts: [{ mountPath: '/dev/shm' }] }],
    });
    expect(prefill.template).toMatchObject({ nodeSelector: L4_LABELS, containers: [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }] });
  });

  test('can be a slice of TPUs, with a pod on each of its hosts', () => {
    const accelerator = Accelerator.tpuV6e('4x4').perHost();
    const { worker } = specOfLlm({ workload: { accelerator, parallelism: { pipeline: 4 }, worker: {} }, baseConfigs: ['config-llm-worker-pipeline-parallel'] });
    expect(worker).toMatchObject({ nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' }, containers: [{ resources: { limits: { 'google.com/tpu': '4' } } }] });
  });

  test('counts where GPUs are held against the ranks of a node', () => {
    expect(problems((chart) => new LlmInferenceService(chart, 'Qwen', {
      metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), workload: { accelerator: Accelerator.NVIDIA_L4.count(2), parallelism: { tensor: 4 } },
    }))).toEqual([expect.stringContaining('spec.template.containers[0].resources: 2: GPUs are fewer than the ranks of a node (tensor 4 = 4).')]);
  });
});

const TPU_SELECTOR = { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' };
const SLICE = Accelerator.tpuV6e('4x4').perHost();

describe('what is wrong', () => {
  const llm = (props: Partial<LlmInferenceServiceProps>) => (chart: Chart) => {
    new LlmInferenceService(chart, 'Qwen', { metadata: { name: 'qwen' }, model: ModelStorage.huggingFace('Qwen/Qwen3-8B'), ...props });
  };
  const service = (...given: [Partial<ModelPredictorOptions>, Partial<InferenceServiceOptions>?, CanaryOptions?]) => (chart: Chart) => {
    iris(chart, ...given);
  };
  const L4 = Accelerator.NVIDIA_L4.count(1);

  test.each<readonly [string, (chart: Chart) => void, string]>([
    ['a count that no machine has', service({ accelerator: Accelerator.NVIDIA_L4.count(3) }), 'InferenceService \'iris\': predictor.accelerator.count: 3: '],
    ['GPUs twice', service({ accelerator: L4, resources: { gpu: Gpu.nvidia(1) } }),
      'InferenceService \'iris\': predictor.resources.gpu: 1: cannot be combined with \'predictor.accelerator\', which requests 1 nvidia.com/gpu itself. Remove one of the two.'],
    ['TPUs beside GPUs', service({ accelerator: L4, resources: { tpu: Tpu.chips(1) } }), 'predictor.resources.tpu: 1: cannot be combined with \'predictor.accelerator\''],
    ['another accelerator by a label', service({ accelerator: L4, nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-tesla-t4' } }),
      'InferenceService \'iris\': spec.predictor.nodeSelector[\'cloud.google.com/gke-accelerator\']: "nvidia-tesla-t4": conflicts with \'predictor.accelerator\', which selects nvidia-l4. Remove one of the two.'],
    ['GPUs of further nodes twice', service(
      {
        runtime: BuiltInRuntime.HUGGINGFACE_MULTI_NODE, storage: ModelStorage.uri('pvc://models/llama'), accelerator: L4,
        worker: { pipelineParallel: 2, resources: { gpu: Gpu.nvidia(1) } },
      },
      { autoscaler: Autoscaler.NONE },
    ), 'predictor.worker.resources.gpu: 1: cannot be combined with \'predictor.accelerator\''],
    ['a slice of several hosts behind one pod', service({ accelerator: SLICE }),
      'InferenceService \'iris\': predictor.accelerator: "tpu-v6e-slice 4x4": is a slice of 4 hosts, and a replica is 1 pod: each host of a slice is one pod. Use a slice with that many hosts.'],
    ['one of a transformer', service({}, { transformer: { image: 'tokenize:1', accelerator: Accelerator.NVIDIA_L4.count(3) } }), 'transformer.accelerator.count: 3: '],
    ['one of an explainer', service({}, { explainer: Explainer.adversarialRobustness({ accelerator: Accelerator.NVIDIA_L4.count(3) }) }), 'explainer.accelerator.count: 3: '],
    ['one of a canary', service({}, {}, { trafficPercent: 10, accelerator: Accelerator.NVIDIA_L4.count(3) }), 'canaries[0].accelerator.count: 3: '],
    ['GPUs of a canary beside the predictor\'s', service({ accelerator: L4 }, {}, { trafficPercent: 10, resources: { gpu: Gpu.nvidia(2) } }),
      'canaries[0].resources.gpu: 2: cannot be combined with \'canaries[0].accelerator\', which requests 1 nvidia.com/gpu itself.'],
    ['labels of a slice and one host of it', service({ nodeSelector: TPU_SELECTOR, resources: { tpu: Tpu.chips(4) } }), 'spec.predictor: 1: is not a number of complete slices: tpu-v6e-slice 4x4 has 16 chips on 4 hosts of 4'],
    ['labels of GPUs and chips of TPUs', service({ nodeSelector: L4_LABELS, resources: { tpu: Tpu.chips(4) } }),
      'spec.predictor.model.resources.limits[\'google.com/tpu\']: 4: are TPU chips, and the pod selects nodes with GPUs, which have none.'],
    ['one of a large language model', llm({ workload: { accelerator: Accelerator.NVIDIA_L4.count(3) } }), 'LLMInferenceService \'qwen\': workload.accelerator.count: 3: '],
    ['one of its further nodes', llm({ workload: { parallelism: { pipeline: 2 }, worker: { accelerator: Accelerator.NVIDIA_L4.count(3) } } }), 'workload.worker.accelerator.count: 3: '],
    ['one of those that read prompts', llm({ prefill: { accelerator: Accelerator.NVIDIA_L4.count(3) } }), 'prefill.accelerator.count: 3: '],
    ['a slice with another number of pods', llm({ workload: { accelerator: SLICE, parallelism: { pipeline: 2 }, worker: {} } }),
      'workload.accelerator: "tpu-v6e-slice 4x4": is a slice of 4 hosts, and a replica is 2 pods: each host of a slice is one pod.'],
    ['labels of a slice and too few pods', llm({ workload: { nodeSelector: TPU_SELECTOR, resources: { tpu: Tpu.chips(4) } } }), 'spec.template: 1: is not a number of complete slices'],
  ])('is told at synth: %s', (_what, program, message) => {
    expect(problems(program)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });
});
