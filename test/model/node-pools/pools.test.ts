/** Node pools that are right, and what is only warned of. */
import fc from 'fast-check';
import { errorsOf, warningsOf } from '../../../src/model/findings';
import { GPUS, TPUS, machinesWith } from '../../../src/model/accelerators/catalogue';
import { defaultMachineFor, hostsOf, topologiesOf } from '../../../src/model/accelerators/topology';
import { POOL_RULES } from '../../../src/model/node-pools/rules/rule-list';
import type { ClusterFacts, NodePoolSpec } from '../../../src/model/node-pools/spec';
import { checkNodePool, checkNodePools } from '../../../src/model/node-pools/validate-node-pool';

const L4: NodePoolSpec = { name: 'l4', machineType: 'g2-standard-8', gpus: { type: 'nvidia-l4', count: 1 } };
const H200: NodePoolSpec = { name: 'h200', machineType: 'a3-ultragpu-8g', gpus: { type: 'nvidia-h200-141gb', count: 8 } };

describe('a pool of every GPU on every machine that is proposed for it has no errors', () => {
  const offered = GPUS.filter(({ endOfSupport }) => endOfSupport === undefined)
    .flatMap((gpu) => gpu.counts.flatMap((count) => machinesWith(gpu, count).map((machine) => ({ gpu, count, machine }))));

  test('and every GPU has some', () => {
    expect(new Set(offered.map(({ gpu }) => gpu.type)).size).toBe(GPUS.length - 1);
  });

  test('with its own boot disk, partitions and sharing', () => {
    const clientCounts = fc.option(fc.integer({ min: 2, max: 48 }));
    fc.assert(fc.property(fc.constantFrom(...offered), fc.nat(), clientCounts, ({ gpu, count, machine }, pick, clients) => {
      const sizes = [undefined, ...gpu.migProfiles.map(({ profile }) => profile)];
      const pool: NodePoolSpec = {
        name: 'pool',
        machineType: machine.name,
        gpus: {
          type: gpu.type, count, partition: sizes[pick % sizes.length], ...(clients !== null && { sharing: { strategy: 'time-sharing', clients } }),
        },
        bootDiskType: gpu.defaultBootDiskType,
        attachedDiskTypes: gpu.attachableDiskTypes,
        capacity: { spot: true },
        size: { totalMin: 0, totalMax: 8 },
      };
      expect(errorsOf(checkNodePool(pool))).toEqual([]);
    }));
  });

  test('and one GPU more or less than the machine has is an error', () => {
    const fixed = offered.filter(({ machine }) => machine.devices !== undefined);
    fc.assert(fc.property(fc.constantFrom(...fixed), fc.constantFrom(-1, 1), ({ gpu, count, machine }, more) => {
      const findings = checkNodePool({ name: 'pool', machineType: machine.name, gpus: { type: gpu.type, count: count + more }, capacity: { spot: true } });
      expect(errorsOf(findings).map(({ path }) => path)).toEqual(['pool.gpus.count']);
    }));
  });
});

test('a pool of every slice, with as many nodes as it has hosts, has no errors, and with one node more it has', () => {
  for (const tpu of TPUS) {
    for (const topology of topologiesOf(tpu, 256)) {
      const machine = defaultMachineFor(tpu, topology)!;
      const hosts = hostsOf(topology, machine.devices!)!;
      const pool = (maxPerZone: number): NodePoolSpec => ({
        name: 'slice', machineType: machine.name, tpus: { type: tpu.type, topology }, size: { minPerZone: 0, maxPerZone, locationPolicy: 'ANY' }, bootDiskType: tpu.defaultBootDiskType,
        ...(tpu.workloadPolicy && { placement: { policyName: 'policy' } }),
      });
      expect([tpu.type, topology, errorsOf(checkNodePool(pool(hosts)))]).toEqual([tpu.type, topology, []]);
      expect(errorsOf(checkNodePool(pool(hosts + 1))).length).toBe(hosts > 1 ? 1 : 0);
    }
  }
});

describe('what no source is certain of is a warning:', () => {
  test.each<[string, Partial<ClusterFacts>, NodePoolSpec, keyof typeof POOL_RULES]>([
    ['spot machines that nobody speaks of', {}, { name: 'gb200', machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 }, capacity: { spot: true } }, 'spot'],
    ['the upgrade of flex-start machines', {}, { ...L4, autoRepair: false, capacity: { flexStart: true }, upgrade: { strategy: 'SURGE' } }, 'dwsUpgrade'],
    ['gVNIC on another image', {}, { ...L4, imageType: 'UBUNTU_CONTAINERD', network: { gvnic: true } }, 'gvnic'],
    ['Fast Socket without gVNIC', {}, { ...L4, network: { fastSocket: true } }, 'fastSocket'],
    ['confidential nodes that nobody speaks of', {}, { ...L4, confidentialNodeType: 'SEV' }, 'confidential'],
    ['RDMA without a zone', {}, { ...H200, network: { additionalNetworks: Array.from({ length: 9 }, () => ({ network: 'n', subnetwork: 's' })) } }, 'rdmaZone'],
    ['interfaces without networks', {}, H200, 'additionalNetworks'],
    ['a label of the system', {}, { ...L4, labels: { 'cloud.google.com/gke-spot': 'true' } }, 'systemLabel'],
    ['local SSDs that the machine has anyway', {}, { ...H200, localSsdEphemeral: 32 }, 'localSsd'],
    ['A4X without a workload policy', {}, { name: 'gb200', machineType: 'a4x-highgpu-4g', gpus: { type: 'nvidia-gb200', count: 4 } }, 'workloadPolicy'],
    ['zones that are not named', { regional: true }, L4, 'zones'],
    ['bare metal among shielded nodes', { shieldedNodes: true }, { name: 'gb300', machineType: 'a4x-maxgpu-4g-metal', gpus: { type: 'nvidia-gb300', count: 4 } }, 'shielded'],
    ['a limit for what is newer than the table', { autoprovisioningLimits: { 'quantum-brain': 1 } }, L4, 'limits'],
  ])('%s', (_what, cluster, pool, rule) => {
    const findings = checkNodePools({ ...cluster, pools: [{ name: 'system', machineType: 'e2-standard-4' }, pool] });
    expect(errorsOf(findings)).toEqual([]);
    expect(warningsOf(findings).map((warning) => warning.rule)).toContain(POOL_RULES[rule].id);
  });
});

test('labels that a pool has to set itself are its own to set', () => {
  const labels = { 'cloud.google.com/gke-queued': 'true', 'cloud.google.com/compute-class': 'gpus', 'team': 'a' };
  expect(checkNodePool({ ...L4, capacity: { queued: true }, labels })).toEqual([]);
});

test('the GPU operator is fine where GKE installs nothing', () => {
  const pool = { ...L4, gpus: { ...L4.gpus!, driver: 'disabled' }, gpuOperator: true, labels: { 'gke-no-default-nvidia-gpu-device-plugin': 'true' } };
  expect(checkNodePool(pool)).toEqual([]);
});

test('a pool without accelerators keeps only the rules that hold for all', () => {
  expect(checkNodePool({ name: 'system', machineType: 'e2-standard-4', size: { totalMin: 1, totalMax: 3 }, bootDiskType: 'pd-balanced', attachedDiskTypes: ['anything'] })).toEqual([]);
});
