/** Pools that are read back from their objects: what replaces them is the same as of the pools themselves. */
import fc from 'fast-check';
import { constructContainerNodePoolSpec } from '../../../src/manifests/node-pools/container-node-pool';
import { isContainerNodePool, readContainerNodePool } from '../../../src/manifests/node-pools/read-container-node-pool';
import { replacementsOf } from '../../../src/model/node-pools/replacement';
import type { NodePoolSpec } from '../../../src/model/node-pools/spec';

const POOL: NodePoolSpec = { name: 'h100', machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 }, size: { totalMin: 0, totalMax: 4 } };
const SLICE = { machineType: 'ct6e-standard-4t', gpus: undefined };

/** Changes that Config Connector has fields for, and some that reach the pool as it is. */
const CHANGES: readonly Partial<NodePoolSpec>[] = [
  { gpus: { type: 'nvidia-h100-80gb', count: 4 } }, { gpus: { ...POOL.gpus!, type: 'nvidia-l4' } }, { gpus: { ...POOL.gpus!, partition: '1g.10gb', driver: 'latest' } },
  { gpus: { ...POOL.gpus!, sharing: { strategy: 'mps', clients: 2 }, driver: 'default' } }, { gpus: { ...POOL.gpus!, driver: 'disabled', sharing: { strategy: 'time-sharing', clients: 3 } } },
  { capacity: { spot: true } }, { capacity: { queued: true } }, { capacity: { reservation: { name: 'r' } } }, { capacity: { reservationAffinity: 'any' } },
  { capacity: { reservation: { name: 'r', project: 'p', block: 'b', subBlock: 's' } } }, { capacity: { spot: false } }, { capacity: { reservationAffinity: 'any-then-fail' } },
  { placement: { compact: true } }, { placement: { policyName: 'near' } }, { network: { gvnic: true } }, { network: { additionalNetworks: [{ network: 'n', subnetwork: 's' }] } },
  { localSsdEphemeral: 2 }, { localSsdBlock: 2 }, { imageStreaming: true }, { imageStreaming: false }, { serviceAccount: 'a@b.iam.gserviceaccount.com' }, { secureBoot: true },
  { secureBoot: false }, { confidentialNodeType: 'TDX' }, { maxPodsPerNode: 32 }, { machineType: 'a3-highgpu-4g' }, { bootDiskType: 'pd-ssd', bootDiskGiB: 300 },
  { taints: [{ key: 'team', value: 'a', effect: 'NoExecute' }] }, { computeClass: 'fast' },
  { ...SLICE, tpus: { type: 'tpu-v6e-slice', topology: '4x4' } }, { ...SLICE, tpus: { type: 'tpu-v6e-slice', topology: '4x8' } },
  { size: { totalMin: 1, totalMax: 8 } }, { labels: { team: 'a' } }, { zones: ['z'] }, { autoRepair: false }, { tags: ['t'] }, { upgrade: { strategy: 'SURGE', maxSurge: 1 } },
];

const pool = fc.subarray([...CHANGES], { maxLength: 5 }).map((changes): NodePoolSpec => Object.assign({}, POOL, ...changes) as NodePoolSpec)
  // A slice over several hosts has its own placement, and says nothing else.
  .map((spec): NodePoolSpec => (spec.tpus === undefined ? spec : { ...spec, ...SLICE, placement: undefined }));

const readBack = (spec: NodePoolSpec) => readContainerNodePool(spec.name, constructContainerNodePoolSpec(spec, { clusterName: 'ml', location: 'us-central1' }));

test('two objects differ in the fields that their pools differ in, with the same values', () => {
  fc.assert(fc.property(pool, pool, (before, after) => {
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
    expect(plain(replacementsOf(readBack(before), readBack(after), 'configConnector'))).toEqual(plain(replacementsOf(before, after, 'configConnector')));
  }), { numRuns: 500 });
});

test('references to objects are read, and the name in Google Cloud', () => {
  expect(readContainerNodePool('object', {
    resourceID: 'pool', nodeConfig: { serviceAccountRef: { name: 'nodes' } }, networkConfig: { additionalNodeNetworkConfigs: [{ networkRef: { name: 'n' }, subnetworkRef: { external: 's' } }] },
  })).toMatchObject({ name: 'pool', serviceAccount: 'nodes', network: { additionalNetworks: [{ network: 'n', subnetwork: 's' }] } });
});

test.each([undefined, null, 'text', {}, { nodeConfig: [], networkConfig: 3 }, { nodeConfig: { guestAccelerator: {}, taint: 'x' } }])('what is not a pool is read as one that says nothing: %j', (spec) => {
  expect(replacementsOf(readContainerNodePool('x', spec), readContainerNodePool('x', {}), 'configConnector')).toEqual([]);
});

test('kinds of other groups are no pools of Config Connector', () => {
  expect(isContainerNodePool({ apiVersion: 'container.cnrm.cloud.google.com/v1beta1', kind: 'ContainerNodePool' })).toBe(true);
  expect(isContainerNodePool({ apiVersion: 'example.com/v1', kind: 'ContainerNodePool' })).toBe(false);
  expect(isContainerNodePool({ apiVersion: 'container.cnrm.cloud.google.com/v1beta1', kind: 'ContainerCluster' })).toBe(false);
});
