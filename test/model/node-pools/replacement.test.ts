/** Changes that make a pool go and come again. */
import fc from 'fast-check';
import { describeReplacements, provisionedName, replacementsOf, type PoolProvisioner } from '../../../src/model/node-pools/replacement';
import type { NodePoolSpec } from '../../../src/model/node-pools/spec';

const POOL: NodePoolSpec = {
  name: 'h100', machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 }, size: { totalMin: 0, totalMax: 4 }, labels: { team: 'a' }, bootDiskType: 'pd-ssd', bootDiskGiB: 200,
};

const BOTH: readonly [field: string, change: Partial<NodePoolSpec>][] = [
  ['name', { name: 'h101' }],
  ['gpus.partition', { gpus: { ...POOL.gpus!, partition: '1g.10gb' } }],
  ['gpus.sharing', { gpus: { ...POOL.gpus!, sharing: { strategy: 'mps', clients: 2 } } }],
  ['gpus.driver', { gpus: { ...POOL.gpus!, driver: 'latest' } }],
  ['capacity.spot', { capacity: { spot: true } }],
  ['capacity.flexStart', { capacity: { flexStart: true } }],
  ['capacity.queued', { capacity: { queued: true } }],
  ['capacity.reservation', { capacity: { reservation: { name: 'r' } } }],
  ['capacity.reservationAffinity', { capacity: { reservationAffinity: 'any' } }],
  ['capacity.maxRunSeconds', { capacity: { maxRunSeconds: 60 } }],
  ['placement', { placement: { compact: true } }],
  ['network.additionalNetworks', { network: { additionalNetworks: [{ network: 'n', subnetwork: 's' }] } }],
  ['localSsdEphemeral', { localSsdEphemeral: 2 }],
  ['serviceAccount', { serviceAccount: 'a@b.iam.gserviceaccount.com' }],
  ['secureBoot', { secureBoot: true }],
  ['confidentialNodeType', { confidentialNodeType: 'TDX' }],
  ['maxPodsPerNode', { maxPodsPerNode: 32 }],
];

const CONFIG_CONNECTOR_ONLY: readonly [field: string, change: Partial<NodePoolSpec>][] = [
  ['machineType', { machineType: 'a3-highgpu-8g-nolssd' }],
  ['bootDiskType', { bootDiskType: 'pd-balanced' }],
  ['bootDiskGiB', { bootDiskGiB: 300 }],
  ['network.gvnic', { network: { gvnic: true } }],
  ['imageStreaming', { imageStreaming: true }],
];

const IN_PLACE: readonly Partial<NodePoolSpec>[] = [
  { size: { totalMin: 1, totalMax: 8 } }, { labels: { team: 'b' } }, { zones: ['z'] }, { upgrade: { strategy: 'SURGE', maxSurge: 1 } }, { autoRepair: false }, { tags: ['t'] },
  { resourceLabels: { a: 'b' } }, { imageType: 'COS_CONTAINERD' }, { workloadMetadata: 'GKE_METADATA' }, { gpus: { ...POOL.gpus!, driver: 'default' } }, { capacity: { spot: false } },
  { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] }, { network: { gpuDirect: 'rdma' } },
];

const fields = (change: Partial<NodePoolSpec>, by: PoolProvisioner) => replacementsOf(POOL, { ...POOL, ...change }, by).map(({ field }) => field);

test.each(BOTH)('a change of %s replaces the pool, whoever makes it', (field, change) => {
  expect([fields(change, 'configConnector'), fields(change, 'pulumi')]).toEqual([[field], [field]]);
});

test.each(CONFIG_CONNECTOR_ONLY)('a change of %s replaces the pool of Config Connector, and reaches that of Pulumi', (field, change) => {
  expect([fields(change, 'configConnector'), fields(change, 'pulumi')]).toEqual([[field], []]);
});

test.each(IN_PLACE)('a change to %j reaches the pool that is there', (change) => {
  expect([fields(change, 'configConnector'), fields(change, 'pulumi')]).toEqual([[], []]);
});

test('a sentence says what is replaced, and how to make it safe', () => {
  const replacements = replacementsOf(POOL, { ...POOL, capacity: { spot: true }, maxPodsPerNode: 32 }, 'pulumi');
  expect(describeReplacements('h100', replacements)).toBe(
    "pool 'h100' and all of its nodes are replaced when capacity.spot (false -> true), maxPodsPerNode (none -> 32) change. With blueGreen: true the new pool is created first.",
  );
  expect(replacements[0].source).toContain('terraform-provider-google');
});

test('with blueGreen a pool has another name exactly when it would be replaced', () => {
  const blue = { ...POOL, blueGreen: true };
  const changes = [...BOTH, ...CONFIG_CONNECTOR_ONLY].map(([, change]) => change).concat(IN_PLACE);
  fc.assert(fc.property(fc.constantFrom<PoolProvisioner>('configConnector', 'pulumi'), fc.subarray(changes), (by, some) => {
    const changed = Object.assign({}, blue, ...some) as NodePoolSpec;
    expect(provisionedName(changed, by) === provisionedName(blue, by)).toBe(replacementsOf(blue, changed, by).length === 0);
  }));
});

test('names with a hash are no longer than GKE allows, and without blueGreen they stay', () => {
  expect(provisionedName({ ...POOL, name: 'p'.repeat(33) + '-' + 'q'.repeat(6), blueGreen: true }, 'pulumi')).toMatch(/^p{33}-[0-9a-f]{6}$/);
  expect(provisionedName(POOL, 'pulumi')).toBe('h100');
});
