/** Node pools, as the engine is asked for them. */
import * as pulumi from '@pulumi/pulumi';
import { pulumiNodePool } from '../../src/manifests/node-pools/pulumi-node-pool';
import { GkeCluster, GpuNodePool, type GpuNodePoolArgs } from '../../src/stacks';
import { late, settled, startRecording, unknown, valueOf } from './support/mocks';

const POOL = 'gcp:container/nodePool:NodePool';
const ELSEWHERE = { name: 'ml', location: 'europe-west4', project: 'ml-test' };
const L4 = { machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 }, zones: ['europe-west4-a'], size: { totalMin: 0, totalMax: 4 } };

afterEach(() => jest.restoreAllMocks());

test('a pool is what the model renders, with the account of the cluster\'s nodes, after the system pool', async () => {
  const recorder = await startRecording();
  const cluster = new GkeCluster('train', { project: 'ml-test', location: 'europe-west4', zones: ['europe-west4-a'] });
  const pool = new GpuNodePool('l4', { cluster, ...L4, capacity: { spot: true } });
  await settled();
  const { inputs } = recorder.of(POOL).find(({ name }) => name === 'l4')!;
  expect(inputs).toMatchSnapshot();
  expect(recorder.edges.get(`${POOL} l4`)!.dependencies).toContain(`trainyard:stacks:GkeCluster$${POOL}::train-system`.split('::').at(-1));
  expect(await valueOf(pool.nodeLabels)).toEqual({ 'cloud.google.com/gke-nodepool': 'l4' });
  expect(await valueOf(pool.taints)).toEqual([{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }]);
});

test('everything that the renderer writes is an input of the pool', async () => {
  const recorder = await startRecording();
  const args = {
    ...L4,
    name: 'all',
    gpus: { type: 'nvidia-l4', count: 1, driver: 'latest', sharing: { strategy: 'time-sharing', clients: 4 } },
    capacity: { reservation: { name: 'r', project: 'ml-test' } },
    network: { gvnic: true, privateNodes: true },
    bootDiskType: 'pd-balanced',
    bootDiskGiB: 200,
    labels: { tier: 'batch' },
    taints: [{ key: 'team', value: 'vision', effect: 'NoSchedule' }],
    upgrade: { strategy: 'SURGE', maxSurge: 1, maxUnavailable: 0 },
    autoRepair: true,
    autoUpgrade: true,
    maxPodsPerNode: 32,
    imageStreaming: true,
    workloadMetadata: 'GKE_METADATA',
  };
  const { name, ...pool } = args;
  new GpuNodePool(name, { cluster: ELSEWHERE, ...pool, serviceAccount: 'nodes@ml-test.iam.gserviceaccount.com' });
  await settled();
  expect(recorder.one(POOL).inputs).toMatchObject(pulumiNodePool(args));
});

const WRONG: [string, Partial<GpuNodePoolArgs>, string][] = [
  ['count', { gpus: { type: 'nvidia-l4', count: 2 } }, 'gpus'],
  ['machine', { machineType: 'n2-standard-8' }, 'n2-standard-8'],
  ['partition', { gpus: { type: 'nvidia-l4', count: 1, partition: '1g.5gb' } }, 'gpus.partition'],
  ['spot and flex-start', { capacity: { spot: true, flexStart: true } }, 'capacity'],
  ['two kinds of size', { size: { nodes: 2, totalMax: 3 } }, 'size'],
  ['name', { poolName: 'L4_pool' }, 'name'],
];

test.each(WRONG)('a wrong %s is refused before anything is registered', async (_what, args, path) => {
  const recorder = await startRecording();
  expect(() => new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, ...args })).toThrow("GpuNodePool 'l4' cannot be created:\n  - ");
  expect(() => new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, ...args })).toThrow(path);
  await settled();
  expect(recorder.resources).toEqual([]);
});

test('networks for GPUs are refused in a cluster that has one network for each node', async () => {
  await startRecording();
  const cluster = new GkeCluster('train', { project: 'ml-test', location: 'europe-west4', multiNetworking: false });
  expect(() => new GpuNodePool('l4', { cluster, ...L4, network: { gvnic: true, additionalNetworks: [{ network: 'a', subnetwork: 'b' }] } })).toThrow(/multi-?networking/i);
  await settled();
});

test('names that are outputs leave the rest of the pool known in a preview', async () => {
  const recorder = await startRecording({ preview: true });
  new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, serviceAccount: unknown(), capacity: { reservation: { name: unknown(), project: 'ml-test' } } });
  await settled();
  const { inputs } = recorder.one(POOL);
  expect(inputs).toMatchObject({ name: 'l4', autoscaling: { totalMaxNodeCount: 4 }, nodeConfig: { machineType: 'g2-standard-8', guestAccelerators: [{ type: 'nvidia-l4', count: 1 }] } });
  expect(pulumi.isUnknown(inputs.nodeConfig.serviceAccount)).toBe(true);
  expect(inputs.nodeConfig.reservationAffinity.consumeReservationType).toBe('SPECIFIC_RESERVATION');
});

test('names that are outputs arrive where they belong, inside of paths too', async () => {
  const recorder = await startRecording();
  new GpuNodePool('l4', {
    cluster: { ...ELSEWHERE, name: late('ml') }, ...L4, serviceAccount: late('nodes@ml-test.iam.gserviceaccount.com'),
    capacity: { reservation: { name: late('r1'), project: late('ml-shared') } }, labels: { run: late('seven') },
  });
  await settled();
  expect(recorder.one(POOL).inputs).toMatchObject({
    cluster: 'ml',
    nodeConfig: {
      serviceAccount: 'nodes@ml-test.iam.gserviceaccount.com',
      labels: { run: 'seven' },
      reservationAffinity: { values: ['projects/ml-shared/reservations/r1'] },
    },
  });
});

test('what is known beside outputs is refused at once', async () => {
  await startRecording({ preview: true });
  expect(() => new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, gpus: { type: 'nvidia-l4', count: 2 }, serviceAccount: unknown() }))
    .toThrow('gpus.count: 2: is not the number that g2-standard-8 has, 1. Use 1, or g2-standard-24.');
});

test('a field that rules depend on may resolve late', async () => {
  const recorder = await startRecording();
  const good = new GpuNodePool('good', { cluster: ELSEWHERE, ...L4, machineType: late('g2-standard-8') });
  expect(await valueOf(good.name)).toBe('good');
  expect(recorder.one(POOL).inputs.nodeConfig.machineType).toBe('g2-standard-8');
});

test('a pool that cannot be changed goes before the new one comes, but for blueGreen, whose name changes', async () => {
  const recorder = await startRecording();
  new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, blueGreen: true });
  new GpuNodePool('l4-two', { cluster: ELSEWHERE, ...L4, capacity: { spot: true }, blueGreen: true, poolName: 'l4' });
  await settled();
  const names = recorder.of(POOL).map(({ inputs }) => inputs.name as string);
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => /^l4-[0-9a-f]{6}$/.test(name))).toBe(true);
});

test.each([
  ['the old pool goes first: both have one name', {}, true],
  ['so it is where blueGreen is false', { blueGreen: false }, true],
  ['with blueGreen the new pool comes first, and nodes are there all the time', { blueGreen: true }, false],
])('a change that replaces the pool: %s', async (_what, args, deleteBeforeReplace) => {
  const recorder = await startRecording();
  new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, ...args });
  await settled();
  expect(recorder.edges.get(`${POOL} l4`)!.deleteBeforeReplace).toBe(deleteBeforeReplace);
});

test('labels of the program reach the bills of the machines', async () => {
  const recorder = await startRecording();
  new GpuNodePool('l4', { cluster: ELSEWHERE, ...L4, resourceLabels: { team: pulumi.output('vision') } });
  await settled();
  expect(recorder.one(POOL).inputs.nodeConfig.resourceLabels).toEqual({ 'managed-by': 'trainyard', 'pulumi-project': 'training', 'pulumi-stack': 'test', 'team': 'vision' });
});

describe('a workload policy', () => {
  const POLICY = 'gcp:compute/resourcePolicy:ResourcePolicy';
  const A4X = {
    machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, zones: ['europe-west4-b'], size: { nodes: 18 }, capacity: { reservation: { name: 'gb200' } },
    network: { gvnic: true, acceleratorNetworkProfile: 'auto' }, workloadPolicy: { type: 'HIGH_THROUGHPUT' },
  } as const;
  const TPU7X = { machineType: 'tpu7x-standard-4t', tpus: { type: 'tpu7x', topology: '2x2x2' }, zones: ['us-central1-c'], size: { nodes: 2 }, workloadPolicy: { type: 'HIGH_THROUGHPUT' } } as const;
  const IOWA = { ...ELSEWHERE, location: 'us-central1-c' };

  // Arm nodes and interfaces without networks are told; tests of the rules look at them.
  beforeEach(() => jest.spyOn(pulumi.log, 'warn').mockResolvedValue());

  test.each([['A4X', { cluster: ELSEWHERE, ...A4X }, 'europe-west4', '1x72'], ['TPU7x', { cluster: IOWA, ...TPU7X }, 'us-central1', '2x2x2']])(
    'of %s is made with the topology of the pool, in the region of the cluster, before the pool', async (_what, args, region, acceleratorTopology) => {
      const recorder = await startRecording();
      const pool = new GpuNodePool('fast', args);
      await settled();
      expect(recorder.one(POLICY).inputs).toEqual({ project: 'ml-test', region, workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology } });
      expect(recorder.one(POOL).inputs.placementPolicy).toEqual({ type: '', policyName: 'fast-workload-made' });
      expect(recorder.edges.get(`${POOL} fast`)!.dependencies).toContain('fast-workload');
      expect(await valueOf(pool.workloadPolicy!.name)).toBe('fast-workload-made');
    });

  test('has a name that a preview does not know, and leaves the rest of the pool known', async () => {
    const recorder = await startRecording({ preview: true });
    new GpuNodePool('fast', { cluster: ELSEWHERE, ...A4X });
    await settled();
    const { inputs } = recorder.one(POOL);
    expect(inputs).toMatchObject({ name: 'fast', nodeCount: 18, placementPolicy: { type: '' } });
    expect(pulumi.isUnknown(inputs.placementPolicy.policyName)).toBe(true);
    expect(recorder.one(POLICY).inputs).toMatchObject({ workloadPolicy: { acceleratorTopology: '1x72' } });
  });

  test('may have a topology and a placement that resolve late', async () => {
    const recorder = await startRecording();
    new GpuNodePool('fast', { cluster: ELSEWHERE, ...A4X, placement: late({}), workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: late('1x72') } });
    await settled();
    expect(recorder.one(POLICY).inputs.workloadPolicy).toEqual({ type: 'HIGH_THROUGHPUT', acceleratorTopology: '1x72' });
    expect(recorder.one(POOL).inputs.placementPolicy).toEqual({ type: '', policyName: 'fast-workload-made' });
  });

  test('is not made unless it is asked for', async () => {
    const recorder = await startRecording();
    new GpuNodePool('fast', { cluster: ELSEWHERE, ...A4X, workloadPolicy: undefined, placement: { policyName: 'own' } });
    await settled();
    expect(recorder.of(POLICY)).toEqual([]);
    expect(recorder.one(POOL).inputs.placementPolicy).toEqual({ type: '', policyName: 'own' });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['beside another one', { ...A4X, placement: { policyName: 'own' } }, 'placement.policyName: "own": is an existing policy, but workloadPolicy creates one'],
    ['of compact nodes', { ...A4X, placement: { compact: true } }, 'placement.compact: true: is not allowed for nvidia-gb200'],
    ['of machines that none places', { ...L4, workloadPolicy: { type: 'HIGH_THROUGHPUT' } }, 'workloadPolicy: "nvidia-l4": is for A4X and TPU7x'],
    ['of another topology', { ...A4X, workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: '1x64' } }, 'workloadPolicy.acceleratorTopology: "1x64": is not the topology of nvidia-gb200 in this pool, 1x72.'],
    ['of another slice', { ...TPU7X, workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: '4x4x4' } }, 'is not the topology of tpu7x in this pool, 2x2x2. Use 2x2x2, or remove it.'],
    ['without a topology', { ...A4X, workloadPolicy: { type: 'HIGH_THROUGHPUT', acceleratorTopology: '72' } }, 'workloadPolicy.acceleratorTopology: "72": must be a topology, such as 1x72 or 4x4x4.'],
    ['of another type', { ...A4X, workloadPolicy: { type: 'HIGH_AVAILABILITY' } }, 'workloadPolicy.type: "HIGH_AVAILABILITY": must be one of HIGH_THROUGHPUT.'],
    ['without a type', { ...A4X, workloadPolicy: {} }, 'workloadPolicy.type: is required: HIGH_THROUGHPUT.'],
  ])('%s is refused before anything is registered', async (_what, args, message) => {
    const recorder = await startRecording();
    expect(() => new GpuNodePool('fast', { cluster: ELSEWHERE, ...args } as GpuNodePoolArgs)).toThrow(message);
    await settled();
    expect(recorder.resources).toEqual([]);
  });
});
