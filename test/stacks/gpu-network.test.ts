/** Networks between GPUs. */
import * as fc from 'fast-check';
import { GkeCluster, GpuNetwork, GpuNodePool, type GpuNetworkArgs } from '../../src/stacks';
import { overlap, tryParseRange, trySplitRange } from '../../src/stacks/cluster/cidr';
import { late, settled, startRecording, valueOf } from './support/mocks';

const NETWORK = 'gcp:compute/network:Network';
const SUBNETWORK = 'gcp:compute/subnetwork:Subnetwork';
const ARGS = { project: 'ml-test', zone: 'europe-west4-b' };

afterEach(() => jest.restoreAllMocks());

test.each([
  ['a3-highgpu-8g', 8244, 4, 4],
  ['a3-megagpu-8g', 8244, 8, 8],
  ['a3-ultragpu-8g', 8896, 2, 9],
  ['a4-highgpu-8g', 8896, 2, 9],
])('%s has packets of %i, networks: %i, interfaces: %i', async (machineType, mtu, networks, interfaces) => {
  const recorder = await startRecording();
  const { additionalNetworks, objects } = new GpuNetwork('gpu', { ...ARGS, machineType });
  await settled();
  expect(recorder.of(NETWORK).map(({ inputs }) => inputs.mtu)).toEqual(Array(networks).fill(mtu));
  expect(recorder.of(SUBNETWORK)).toHaveLength(interfaces);
  expect(additionalNetworks).toHaveLength(interfaces);
  expect(objects).toHaveLength(2 * interfaces);
});

test('RDMA has one network with the profile of the zone, without a firewall', async () => {
  const recorder = await startRecording();
  new GpuNetwork('gpu', { ...ARGS, machineType: 'a3-ultragpu-8g', zone: late('europe-west4-b') });
  await settled();
  expect(recorder.sorted().map(({ type, inputs }) => ({ type, ...inputs }))).toMatchSnapshot();
});

test('the pool of the machines takes them', async () => {
  const recorder = await startRecording();
  const cluster = new GkeCluster('train', { project: 'ml-test', location: 'europe-west4', zones: ['europe-west4-b'] });
  const { additionalNetworks } = new GpuNetwork('gpu', { ...ARGS, machineType: 'a3-megagpu-8g' });
  new GpuNodePool('h100', {
    cluster, machineType: 'a3-megagpu-8g', gpus: { type: 'nvidia-h100-mega-80gb', count: 8 }, zones: ['europe-west4-b'], size: { totalMin: 0, totalMax: 4 },
    capacity: { spot: true }, network: { gvnic: true, additionalNetworks },
  });
  await settled();
  const pool = recorder.of('gcp:container/nodePool:NodePool').find(({ name }) => name === 'h100')!;
  // Google's provider would send false, and the nodes would have public addresses.
  expect(pool.inputs.networkConfig).toEqual({
    enablePrivateNodes: true,
    additionalNodeNetworkConfigs: Array.from({ length: 8 }, (_each, index) => ({ network: `gpu-data-${index}`, subnetwork: `gpu-data-${index}` })),
  });
  expect(await valueOf(additionalNetworks[0].network)).toBe('gpu-data-0');
});

test.each<[string, Partial<GpuNetworkArgs>, string]>([
  ['machine', { machineType: 'a3-megagpu-4g' }, "is not a known machine with GPUs. Did you mean 'a3-megagpu-8g'?"],
  ['machine without such networks', { machineType: 'g2-standard-8' }, 'has no networks other than that of the cluster.'],
  ['machine that DRANET is for', { machineType: 'a4x-highgpu-4g' }, 'gets its networks from DRANET. Set network.acceleratorNetworkProfile: auto on the pool instead.'],
  ['range', { range: '192.168.0.0/18' }, 'has no room for 9 networks of /20.'],
  ['zone', { zone: 'europe-west4' }, 'zone: "europe-west4": must be a zone'],
])('a wrong %s is refused', async (_what, args, message) => {
  const recorder = await startRecording();
  expect(() => new GpuNetwork('gpu', { ...ARGS, machineType: 'a3-ultragpu-8g', ...args })).toThrow(message);
  expect(recorder.resources).toEqual([]);
});

test('parts of a range are in it and have nothing in common', () => {
  fc.assert(fc.property(fc.integer({ min: 8, max: 24 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 16 }), (prefix, more, count) => {
    const within = tryParseRange(`10.0.0.0/${prefix}`)!;
    const parts = trySplitRange(within, prefix + more, count);
    expect(parts === undefined).toBe(count > 2 ** more);
    const ranges = (parts ?? []).map((part) => tryParseRange(part)!);
    ranges.forEach((range, index) => {
      expect(range.first >= within.first && range.last <= within.last).toBe(true);
      expect(ranges.slice(index + 1).some((other) => overlap(range, other))).toBe(false);
    });
  }));
});
