/** What each kind runs: pods and devices at a time, GPU-hours of one hour or of the deadline, and the price of them. */
import { TABLE } from '../../model/cost/tables';
import { costReport, type CostInputs } from '../../../src/cli/cost/report';
import { stackResources } from '../../../src/cli/cost/pulumi-preview';
import { parseYaml } from '../../../src/cli/manifests/yaml-documents';
import type { ManifestObject } from '../../../src/model/objects/manifest-object';
import { range } from '../../../src/model/cost/ranges';

const H100 = { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb', 'node.kubernetes.io/instance-type': 'a3-highgpu-8g' };
const GPU_POD = { nodeSelector: H100, containers: [{ name: 'node', image: 'i', resources: { limits: { 'nvidia.com/gpu': 8 } } }] };
const CPU_POD = { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '4', memory: '16Gi' } } }] };
const gpuPods = (more: object = {}) => ({ spec: { ...GPU_POD, ...more } });
const cpuPods = { spec: CPU_POD };

const report = (objects: readonly object[], more: Partial<CostInputs> = {}) => (
  costReport({ objects: objects as ManifestObject[], resources: [], prices: TABLE, hours: 1, ...more }));

function object(apiVersion: string, kind: string, spec: object, metadata: object = { name: 'x', namespace: 'team-a' }): object {
  return { apiVersion, kind, metadata, spec };
}

const V1 = 'kubeflow.org/v1';
const TRAINING_JOB = { framework: 'pytorch', image: 'i', replicas: 4, resources: { gpu: 8 }, template: { spec: { nodeSelector: H100 } } };

/** Least and most GPUs, and GPU-hours of one hour or of the deadline. */
type Case = readonly [string, object, number, number, number];

test.each<Case>([
  ['MLTrainingJob', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', TRAINING_JOB), 32, 32, 32],
  ['MLTrainingJob, elastic', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...TRAINING_JOB, elastic: { minReplicas: 2, maxReplicas: 8 } }), 16, 64, 64],
  ['MLTrainingJob, with a deadline of half an hour', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...TRAINING_JOB, runPolicy: { activeDeadlineSeconds: 1800 } }), 32, 32, 16],
  ['MLTrainingJob, an array', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...TRAINING_JOB, array: { count: 10, parallelism: 2 } }), 64, 64, 320],
  ['MLTrainingJob, a search', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', {
    ...TRAINING_JOB, autoTuning: { objective: 'loss', maxTrials: 6, parallelTrials: 3, parameters: { lr: { type: 'float', min: 0.1, max: 1 } } },
  }), 96, 96, 192],
  ['MLTrainingJob, with a helper', object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...TRAINING_JOB, helpers: [{ name: 'board', command: ['x'], resources: { cpu: '4', memory: '16Gi' } }] }), 32, 32, 32],
  ['PyTorchJob', object(V1, 'PyTorchJob', { pytorchReplicaSpecs: { Master: { template: gpuPods() }, Worker: { replicas: 3, template: gpuPods() } } }), 32, 32, 32],
  ['PyTorchJob, elastic', object(V1, 'PyTorchJob', { elasticPolicy: { minReplicas: 1, maxReplicas: 4 }, pytorchReplicaSpecs: { Worker: { replicas: 2, template: gpuPods() } } }), 8, 32, 32],
  ['TFJob', object(V1, 'TFJob', { runPolicy: { activeDeadlineSeconds: 900 }, tfReplicaSpecs: { Chief: { template: gpuPods() }, PS: { replicas: 2, template: cpuPods } } }), 8, 8, 2],
  ['MPIJob', object('kubeflow.org/v2beta1', 'MPIJob', { mpiReplicaSpecs: { Launcher: { template: cpuPods }, Worker: { replicas: 2, template: gpuPods() } } }), 16, 16, 16],
  ['XGBoostJob', object(V1, 'XGBoostJob', { xgbReplicaSpecs: { Master: { template: gpuPods() } } }), 8, 8, 8],
  ['PaddleJob', object(V1, 'PaddleJob', { paddleReplicaSpecs: { Worker: { replicas: 2, template: gpuPods() } } }), 16, 16, 16],
  ['JAXJob', object(V1, 'JAXJob', { jaxReplicaSpecs: { Worker: { replicas: 2, template: gpuPods() } } }), 16, 16, 16],
  ['Job', object('batch/v1', 'Job', { parallelism: 4, completions: 2, activeDeadlineSeconds: 1800, template: gpuPods() }), 16, 16, 8],
  ['CronJob', object('batch/v1', 'CronJob', { schedule: '0 2 * * *', jobTemplate: { spec: { template: gpuPods() } } }), 8, 8, 8],
  ['JobSet', object('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobs: [
    { name: 'leader', template: { spec: { template: cpuPods } } },
    { name: 'workers', replicas: 2, template: { spec: { parallelism: 2, completions: 2, activeDeadlineSeconds: 1800, template: gpuPods() } } },
  ] }), 32, 32, 16],
  ['Volcano\'s Job', object('batch.volcano.sh/v1alpha1', 'Job', { tasks: [{ name: 'w', replicas: 4, minAvailable: 2, template: gpuPods() }] }), 16, 32, 32],
  ['LeaderWorkerSet', object('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', { replicas: 2, leaderWorkerTemplate: { size: 4, workerTemplate: gpuPods() } }), 64, 64, 64],
  ['RayJob', object('ray.io/v1', 'RayJob', { activeDeadlineSeconds: 1800, rayClusterSpec: { headGroupSpec: { template: cpuPods }, workerGroupSpecs: [{ groupName: 'w', replicas: 2, template: gpuPods() }] } }), 16, 16, 8],
  ['RayCluster, scaled', object('ray.io/v1', 'RayCluster', { enableInTreeAutoscaling: true, headGroupSpec: { template: cpuPods }, workerGroupSpecs: [{ groupName: 'w', replicas: 2, minReplicas: 1, maxReplicas: 5, numOfHosts: 2, template: gpuPods() }] }), 16, 80, 80],
  ['RayService', object('ray.io/v1', 'RayService', { rayClusterConfig: { headGroupSpec: { template: gpuPods() } } }), 8, 8, 8],
  ['RayCronJob', object('ray.io/v1', 'RayCronJob', { schedule: '@daily', jobTemplate: { rayClusterSpec: { headGroupSpec: { template: gpuPods() } } } }), 8, 8, 8],
  ['SparkApplication', object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', {
    driver: { cores: 1, memory: '4g' }, executor: { instances: 2, cores: 4, memory: '16g', gpu: { name: 'nvidia.com/gpu', quantity: 8 }, nodeSelector: H100 },
  }), 16, 16, 16],
  ['SparkApplication, dynamic', object('sparkoperator.k8s.io/v1beta2', 'SparkApplication', {
    driver: {}, dynamicAllocation: { enabled: true, minExecutors: 1, maxExecutors: 3 }, executor: { template: { spec: GPU_POD } },
  }), 8, 24, 24],
  ['ScheduledSparkApplication', object('sparkoperator.k8s.io/v1beta2', 'ScheduledSparkApplication', { schedule: '@daily', template: { driver: {}, executor: { instances: 1, template: { spec: GPU_POD } } } }), 8, 8, 8],
  ['InferenceService', object('serving.kserve.io/v1beta1', 'InferenceService', {
    predictor: { minReplicas: 1, maxReplicas: 3, nodeSelector: H100, model: { modelFormat: { name: 'vllm' }, resources: { limits: { 'nvidia.com/gpu': '8' } } } }, transformer: { containers: CPU_POD.containers },
  }), 8, 24, 24],
  ['InferenceService, over several nodes', object('serving.kserve.io/v1beta1', 'InferenceService', {
    predictor: { nodeSelector: H100, model: { resources: { limits: { 'nvidia.com/gpu': 8 } } }, workerSpec: { pipelineParallelSize: 3, ...GPU_POD } },
  }), 24, 24, 24],
  ['LLMInferenceService', object('serving.kserve.io/v1alpha2', 'LLMInferenceService', {
    model: { uri: 'hf://m' }, replicas: 2, parallelism: { data: 16, dataLocal: 8 }, template: GPU_POD, worker: GPU_POD, prefill: { replicas: 1, template: GPU_POD },
  }), 40, 40, 40],
  ['Notebook', object('kubeflow.org/v1', 'Notebook', { template: gpuPods() }), 8, 8, 8],
  ['Deployment', object('apps/v1', 'Deployment', { replicas: 3, template: gpuPods() }), 24, 24, 24],
  ['Knative\'s Service', object('serving.knative.dev/v1', 'Service', { template: { metadata: { annotations: { 'autoscaling.knative.dev/max-scale': '4' } }, ...gpuPods() } }), 0, 32, 32],
  ['DaemonSet', object('apps/v1', 'DaemonSet', { template: gpuPods() }), 8, 8, 8],
  ['Pod', object('v1', 'Pod', GPU_POD), 8, 8, 8],
  ['Katib\'s Experiment', object('kubeflow.org/v1beta1', 'Experiment', {
    maxTrialCount: 12, parallelTrialCount: 4, trialTemplate: { trialSpec: { apiVersion: 'batch/v1', kind: 'Job', spec: { template: gpuPods() } } },
  }), 32, 32, 96],
  ['Katib\'s Experiment, whose trials have a deadline', object('kubeflow.org/v1beta1', 'Experiment', {
    maxTrialCount: 12, parallelTrialCount: 4, trialTemplate: { trialSpec: { apiVersion: 'batch/v1', kind: 'Job', spec: { activeDeadlineSeconds: 1800, template: gpuPods() } } },
  }), 32, 32, 48],
  ['Volcano\'s CronJob', object('batch.volcano.sh/v1alpha1', 'CronJob', { schedule: '@daily', jobTemplate: { spec: { tasks: [{ name: 'w', replicas: 2, template: gpuPods() }] } } }), 16, 16, 16],
  ['MXJob', object(V1, 'MXJob', { mxReplicaSpecs: { Worker: { replicas: 2, template: gpuPods() } } }), 16, 16, 16],
  ['SparkConnect', object('sparkoperator.k8s.io/v1alpha1', 'SparkConnect', { server: {}, executor: { instances: 1, template: { spec: GPU_POD } } }), 8, 8, 8],
  ['RayJob, with a group that is suspended', object('ray.io/v1', 'RayJob', {
    rayClusterSpec: { headGroupSpec: { template: gpuPods() }, workerGroupSpecs: [{ groupName: 'w', replicas: 2, suspend: true, template: gpuPods() }] },
  }), 8, 8, 8],
  ['a Job of a group that nobody knows', object('example.com/v1', 'Job', { parallelism: 4, template: gpuPods() }), 8, 8, 8],
  ['a kind that nobody knows', object('example.com/v1', 'Gizmo', { deep: [{ template: gpuPods() }] }), 8, 8, 8],
])('%s', (_what, manifest, least, most, hours) => {
  const { jobs, services, missing } = report([manifest]);
  expect(missing).toEqual([]);
  const [cost] = [...jobs, ...services];
  expect(cost.devices).toEqual([{ type: 'nvidia-h100-80gb', count: range(least, most) }]);
  expect(cost.deviceHours!.max).toBe(hours);
  // Ten an hour for each GPU, and what pods beside them cost.
  expect(cost.total!.onDemand!.max).toBeGreaterThanOrEqual(hours * 10);
  expect(cost.total!.onDemand!.max).toBeLessThan(hours * 10 + 2);
});

describe('hooks of a job', () => {
  const spec = { ...TRAINING_JOB, template: { spec: { nodeSelector: { ...H100, 'cloud.google.com/gke-provisioning': 'spot' } } } };
  const costOf = (more: object, hours?: number) => (
    report([object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...spec, ...more })], { hours }).jobs[0]);
  const resources = { cpu: '10', memory: '50Gi' };

  test('are priced for their time limit, beside the hours of the job', () => {
    const runPolicy = { activeDeadlineSeconds: 1800 };
    const bare = costOf({ runPolicy });
    const hooked = costOf({ runPolicy, hooks: { before: { command: ['x'], resources, timeoutSeconds: 7200 }, onExit: { command: ['x'], resources } } });
    // Three hours of ten vCPUs and fifty GiB.
    expect(hooked.total!.onDemand!.max).toBeCloseTo(bare.total!.onDemand!.max + 3 * (10 * 0.03 + 50 * 0.004), 6);
    expect(hooked).toMatchObject({ hours: 0.5, devices: bare.devices, deviceHours: bare.deviceHours, perHour: bare.perHour, missing: [] });
  });

  test('take no longer than the hours that are given', () => {
    const hooks = { before: { command: ['x'], resources } };
    expect(costOf({ hooks }, 0.5).total!.onDemand!.max).toBeCloseTo(costOf({}, 0.5).total!.onDemand!.max + 0.5 * 0.5, 6);
  });

  test('that request nothing change nothing', () => {
    const { workload: _workload, ...cost } = costOf({ hooks: { after: { command: ['x'] } } }, 1);
    const { workload: _bare, ...bare } = costOf({}, 1);
    expect(cost).toEqual(bare);
  });
});

describe('a TrainJob', () => {
  const runtime = object('trainer.kubeflow.org/v1alpha1', 'TrainingRuntime', {
    mlPolicy: { numNodes: 2 },
    template: { spec: { replicatedJobs: [{ name: 'node', template: { metadata: { labels: { 'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer' } }, spec: { template: gpuPods() } } }] } },
  });
  const job = (spec: object) => object('trainer.kubeflow.org/v1alpha1', 'TrainJob', { runtimeRef: { kind: 'TrainingRuntime', name: 'x' }, ...spec });

  test('has the nodes and the pods of its runtime', () => {
    expect(report([runtime, job({})]).jobs[0]).toMatchObject({ devices: [{ count: range(16) }], total: { onDemand: range(160) }, notes: [] });
  });

  test('says itself how many nodes it has, what they take, and when it ends', () => {
    const [cost] = report([runtime, job({ activeDeadlineSeconds: 1800, trainer: { numNodes: 3, resourcesPerNode: { limits: { 'nvidia.com/gpu': 4 } } } })]).jobs;
    expect(cost).toMatchObject({ devices: [{ count: range(12) }], hours: 0.5, total: { onDemand: range(60) } });
  });

  test('changes its runtime by patches', () => {
    const selects = { nodeSelector: { 'cloud.google.com/gke-provisioning': 'spot' } };
    const patch = { trainingRuntimeSpec: { template: { spec: { replicatedJobs: [{ name: 'node', template: { spec: { template: { spec: selects } } } }] } } } };
    expect(report([runtime, job({ runtimePatches: [patch] })]).jobs[0]).toMatchObject({ purchases: ['spot'], total: { asWritten: range(48) } });
  });

  test('of a runtime that is elsewhere says so', () => {
    const [cost] = report([job({ trainer: { numNodes: 2, resourcesPerNode: { limits: { 'nvidia.com/gpu': 8 } } } })]).jobs;
    expect(cost.devices).toEqual([{ type: 'nvidia.com/gpu', count: range(16) }]);
    expect(cost.notes).toEqual(['its runtime, TrainingRuntime x, is not in these manifests: its selectors and additional pods are not in the price']);
    expect(cost.missing.map(({ row }) => row)).toEqual(['accelerators[\'nvidia.com/gpu\']']);
  });
});

describe('what a pod selects decides how it is paid', () => {
  const paid = (labels: object, others: readonly object[] = []) => report([...others, object('v1', 'Pod', { ...GPU_POD, nodeSelector: { ...H100, ...labels } })]).services[0];
  test.each([
    ['nothing', {}, 'onDemand', 80],
    ['spot', { 'cloud.google.com/gke-spot': 'true' }, 'spot', 24],
    ['provisioning', { 'cloud.google.com/gke-provisioning': 'flex-start' }, 'flexStart', 40],
    ['queued nodes', { 'cloud.google.com/gke-queued': 'true' }, 'queued', 40],
    ['a reservation', { 'cloud.google.com/reservation-name': 'r' }, 'reserved', 50],
    ['spot of Karpenter', { 'karpenter.sh/capacity-type': 'spot' }, 'spot', 24],
  ])('%s', (_what, labels, purchase, price) => {
    expect(paid(labels)).toMatchObject({ purchases: [purchase], total: { asWritten: range(price) } });
  });

  test('a pool by its name', () => {
    const pool = object('container.cnrm.cloud.google.com/v1beta1', 'ContainerNodePool', { nodeConfig: { machineType: 'a3-highgpu-8g', spot: true, guestAccelerator: [{ type: 'nvidia-h100-80gb', count: 8 }] } }, { name: 'h100' });
    const pod = object('v1', 'Pod', { ...GPU_POD, nodeSelector: { 'cloud.google.com/gke-nodepool': 'h100' } });
    expect(report([pool, pod]).services[0]).toMatchObject({ devices: [{ type: 'nvidia-h100-80gb' }], total: { asWritten: range(24) } });
  });

  test('a class, whose choices make a range', () => {
    const priority = { machineType: 'a3-highgpu-8g', gpu: { type: 'nvidia-h100-80gb', count: 8 } };
    const computeClass = object('cloud.google.com/v1', 'ComputeClass', { priorities: [{ ...priority, spot: true }, { ...priority, flexStart: { enabled: true } }, priority] }, { name: 'fast' });
    const pod = object('v1', 'Pod', { ...GPU_POD, nodeSelector: { 'cloud.google.com/compute-class': 'fast' } });
    const { services: [cost], pools } = report([computeClass, pod]);
    expect(cost).toMatchObject({ purchases: ['spot', 'flexStart', 'onDemand'], total: { asWritten: range(24, 80) } });
    expect(pools.map(({ pool, perNode }) => [pool.name, pool.purchase, perNode])).toEqual([['fast (1.)', 'spot', 24], ['fast (2.)', 'flexStart', 40], ['fast (3.)', 'onDemand', 80]]);
  });

  test('an affinity with several values', () => {
    const terms = [{ matchExpressions: [{ key: 'cloud.google.com/gke-provisioning', operator: 'In', values: ['spot', 'standard'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
    expect(report([object('v1', 'Pod', { ...GPU_POD, affinity })]).services[0].total!.asWritten).toEqual(range(24, 80));
  });

  test('partitions and shares are parts of a GPU', () => {
    const selects = { ...H100, 'cloud.google.com/gke-gpu-partition-size': '1g.10gb', 'cloud.google.com/gke-max-shared-clients-per-gpu': '2', 'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing' };
    const pod = object('v1', 'Pod', { nodeSelector: selects, containers: [{ image: 'i', resources: { limits: { 'nvidia.com/gpu': '1' } } }] });
    expect(report([pod]).services[0].total!.onDemand!.max).toBeCloseTo(10 / 14, 10);
  });
});

test('init containers count where they want more, sidecars with the rest', () => {
  const cpu = (amount: string) => ({ image: 'i', resources: { requests: { cpu: amount } } });
  const price = (initContainers: readonly object[]) => report([object('v1', 'Pod', { initContainers, containers: [cpu('1'), cpu('1')] })]).services[0].total!.onDemand!.max;
  expect(price([])).toBeCloseTo(0.06);
  expect(price([cpu('4')])).toBeCloseTo(0.12);
  expect(price([{ ...cpu('1'), restartPolicy: 'Always' }, cpu('2')])).toBeCloseTo(0.09);
});

test('an autoscaler says how many there are', () => {
  const scaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', { scaleTargetRef: { kind: 'Deployment', name: 'x' }, minReplicas: 2, maxReplicas: 6 });
  const keda = object('keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: { name: 'x' }, maxReplicaCount: 4 });
  const deployment = object('apps/v1', 'Deployment', { template: gpuPods() });
  expect(report([scaler, deployment]).services[0].total!.onDemand).toEqual(range(160, 480));
  expect(report([keda, deployment]).services[0].total!.onDemand).toEqual(range(0, 320));
});

test('templates that others run cost nothing', () => {
  const kinds = [['v1', 'PodTemplate'], ['serving.kserve.io/v1alpha1', 'ServingRuntime'], ['trainer.kubeflow.org/v1alpha1', 'ClusterTrainingRuntime'], ['v1', 'ConfigMap']];
  const { jobs, services } = report(kinds.map(([apiVersion, kind]) => object(apiVersion, kind, { template: gpuPods() })));
  expect([...jobs, ...services]).toEqual([]);
});

test('a job with a mistake is refused with it', () => {
  expect(() => report([object('ml.collabnix.io/v1alpha1', 'MLTrainingJob', { ...TRAINING_JOB, replicas: 0 })])).toThrow(
    'MLTrainingJob x: spec.replicas: 0: must be a whole number from 1 to 10000. Run trainyard validate for all errors.',
  );
});

describe('pools', () => {
  const pool = (spec: object) => report([object('container.cnrm.cloud.google.com/v1beta1', 'ContainerNodePool', { location: 'us-central1', ...spec }, { name: 'p' })]).pools[0];
  const nodeConfig = { machineType: 'a3-highgpu-8g', guestAccelerator: [{ type: 'nvidia-h100-80gb', count: 8 }] };
  test.each([
    ['limits of all zones', { autoscaling: { totalMinNodeCount: 1, totalMaxNodeCount: 4 } }, range(1, 4)],
    ['limits of each zone', { autoscaling: { minNodeCount: 1, maxNodeCount: 4 }, nodeLocations: ['us-central1-a', 'us-central1-b'] }, range(2, 8)],
    ['a number in each zone', { nodeCount: 2, nodeLocations: ['us-central1-a'] }, range(2)],
    ['a zone', { nodeCount: 2, location: 'us-central1-a' }, range(2)],
    ['a region, of three zones', { nodeCount: 2 }, range(6)],
  ])('%s', (_what, spec, nodes) => {
    const cost = pool({ nodeConfig, ...spec });
    expect(cost.pool.nodes).toEqual(nodes);
    expect(cost.perHour.onDemand).toEqual(range(nodes.min * 80, nodes.max * 80));
  });

  test.each([
    [{ spot: true }, {}, 'spot'], [{ flexStart: true }, {}, 'flexStart'], [{}, { queuedProvisioning: { enabled: true } }, 'queued'],
    [{ reservationAffinity: { consumeReservationType: 'SPECIFIC_RESERVATION' } }, {}, 'reserved'], [{ reservationAffinity: { consumeReservationType: 'NO_RESERVATION' } }, {}, 'onDemand'],
  ])('%j %j', (config, spec, purchase) => {
    expect(pool({ nodeConfig: { ...nodeConfig, ...config }, ...spec }).pool.purchase).toBe(purchase);
  });

  test('a size that nobody says is one node, and not in the sum', () => {
    const { pools: [cost], totals } = report([object('container.cnrm.cloud.google.com/v1beta1', 'ContainerNodePool', { nodeConfig }, { name: 'p' })]);
    expect(cost).toMatchObject({ perNode: 80, pool: { notes: ['its number of nodes is not set: the price is for one', 'its boot disks are not in the price: the pool does not set their type and size'] } });
    expect(totals.poolsPerHour).toEqual({ asWritten: range(0), onDemand: range(0), spot: range(0) });
  });
});

describe('a preview of Pulumi', () => {
  const urn = 'urn:pulumi:prod::ml::trainyard:stacks:GpuNodePool$gcp:container/nodePool:NodePool::h100';
  const inputs = { name: 'h100', nodeConfig: { machineType: 'a3-highgpu-8g', spot: true, guestAccelerators: [{ type: 'nvidia-h100-80gb', count: 8 }], serviceAccount: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' }, autoscaling: { totalMinNodeCount: 0, totalMaxNodeCount: 2 } };
  const state = { urn, type: 'gcp:container/nodePool:NodePool', inputs };
  const job = { urn: 'urn:pulumi:prod::ml::kubernetes:batch/v1:Job::train', type: 'kubernetes:batch/v1:Job', inputs: object('batch/v1', 'Job', { template: gpuPods() }) };
  const steps = [{ op: 'create', newState: state }, { op: 'create', newState: job }, { op: 'delete', oldState: { ...state, urn: 'x' } }, { op: 'create', newState: { urn: 'urn:pulumi:prod::ml::gcp:container/cluster:Cluster::c', type: 'gcp:container/cluster:Cluster', inputs: {} } }];

  test.each([['a preview', { steps }], ['an export', { version: 3, deployment: { resources: [state, job, steps[3].newState] } }]])('%s has the pools and the objects of its stack', (_what, json) => {
    const { pools, jobs, unpriced } = report([], { resources: stackResources(JSON.stringify(json))! });
    expect(pools).toMatchObject([{ pool: { kind: 'NodePool', name: 'h100', namespace: 'prod', nodes: range(0, 2) }, perHour: { asWritten: range(0, 48), onDemand: range(0, 160) } }]);
    expect(jobs).toMatchObject([{ total: { onDemand: range(80) } }]);
    expect(unpriced).toEqual(['gcp:container/cluster:Cluster c']);
  });

  test.each(['kind: Pod', '{"kind": "Pod"}', '{"steps": [1]}', '{'])('%s is none', (text) => {
    expect(stackResources(text)).toBeUndefined();
  });
});

test('claims, those of StatefulSets, and what else has a price', () => {
  const [claim, set, cluster] = parseYaml(`
kind: PersistentVolumeClaim
metadata: { name: data, namespace: team-a }
spec: { storageClassName: standard-rwx, resources: { requests: { storage: 1Ti } } }
---
kind: StatefulSet
metadata: { name: db }
spec: { replicas: 3, volumeClaimTemplates: [{ metadata: { name: disk }, spec: { storageClassName: pd-balanced, resources: { requests: { storage: 100Gi } } } }] }
---
kind: ContainerCluster
metadata: { name: ml }
`).documents.map(({ value }) => value as object);
  const { stores, others, totals } = report([claim, set, cluster]);
  expect(stores.map(({ store, perMonth }) => [store.name, perMonth!.max])).toEqual([['data', 204.8], ['db (disk)', 30]]);
  expect(totals.storagePerMonth!.max).toBeCloseTo(234.8);
  expect(others).toEqual([{ kind: 'ContainerCluster', count: 1, perHour: 0.1 }]);
});
