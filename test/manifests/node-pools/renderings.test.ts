/**
 * One pool means the same wherever it goes: what Config Connector, ComputeClass and Pulumi are told of random valid pools is read back, and compared.
 */
import fc from 'fast-check';
import { GPUS, TPUS, machinesWith } from '../../../src/model/accelerators/catalogue';
import { errorsOf } from '../../../src/model/accelerators/findings';
import { defaultMachineFor, hostsOf, topologiesOf } from '../../../src/model/accelerators/topology';
import { computeClassGaps, configConnectorGaps } from '../../../src/model/node-pools/gaps';
import { writtenLabels, writtenTaints } from '../../../src/model/node-pools/nodes';
import type { NodePoolSpec, PoolCapacity, PoolGpus, PoolSize, PoolTpus } from '../../../src/model/node-pools/spec';
import { checkNodePool } from '../../../src/model/node-pools/validate-node-pool';
import { constructComputeClassSpec } from '../../../src/manifests/node-pools/compute-class';
import { constructContainerNodePoolSpec } from '../../../src/manifests/node-pools/container-node-pool';
import { pulumiNodePool } from '../../../src/manifests/node-pools/pulumi-node-pool';
import { plainObject } from '../../../src/manifests/plain-object';

/** What is compared. */
interface Meaning {
  readonly machine?: string;
  readonly accelerator?: string;
  readonly count?: number;
  readonly partition?: string;
  readonly sharing?: readonly [string, number];
  readonly driver?: string;
  readonly spot: boolean;
  readonly reservation?: string;
  readonly labels: { readonly [name: string]: string };
  readonly taints: readonly string[];
  readonly zones: readonly string[];
  readonly locationPolicy?: string;
  readonly metadata?: string;
  readonly bootDisk: readonly [string?, number?];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what comes back is read, and compared
type Fields = { readonly [field: string]: any };

const EFFECTS: Fields = { NO_SCHEDULE: 'NoSchedule', PREFER_NO_SCHEDULE: 'PreferNoSchedule', NO_EXECUTE: 'NoExecute' };
const DRIVERS: Fields = { 'DEFAULT': 'default', 'LATEST': 'latest', 'INSTALLATION_DISABLED': 'autoinstall-disabled' };

function meaningOfNodePool(spec: Fields, names: { readonly guests: string; readonly taints: string }): Meaning & { readonly autoscaling?: Fields } {
  const { nodeConfig } = spec;
  const [guest] = nodeConfig[names.guests] ?? [];
  return {
    machine: nodeConfig.machineType,
    accelerator: guest?.type,
    count: guest?.count,
    partition: guest?.gpuPartitionSize,
    sharing: guest?.gpuSharingConfig && [guest.gpuSharingConfig.gpuSharingStrategy, guest.gpuSharingConfig.maxSharedClientsPerGpu],
    driver: guest && DRIVERS[guest.gpuDriverInstallationConfig.gpuDriverVersion],
    spot: nodeConfig.spot ?? false,
    reservation: nodeConfig.reservationAffinity?.values?.[0],
    labels: nodeConfig.labels ?? {},
    taints: (nodeConfig[names.taints] ?? []).map(({ key, value, effect }: Fields) => `${key}=${value}:${EFFECTS[effect]}`),
    zones: spec.nodeLocations ?? [],
    locationPolicy: spec.autoscaling?.locationPolicy,
    metadata: nodeConfig.workloadMetadataConfig?.mode,
    bootDisk: [nodeConfig.diskType, nodeConfig.diskSizeGb],
    autoscaling: spec.autoscaling,
  };
}

function meaningOfPriority(spec: Fields): Meaning & { readonly minimum: number } {
  const [priority] = spec.priorities;
  const { gpu, storage, location, reservations } = priority;
  const config = spec.nodePoolConfig ?? {};
  const specific = reservations?.specific?.[0];
  return {
    machine: priority.machineType,
    accelerator: gpu?.type,
    count: gpu?.count,
    partition: gpu?.gpuSharing?.gpuPartitionSize,
    sharing: gpu?.gpuSharing?.sharingStrategy && [gpu.gpuSharing.sharingStrategy, gpu.gpuSharing.maxSharedClientsPerGPU],
    driver: gpu?.driverVersion,
    spot: priority.spot ?? false,
    reservation: specific && (specific.project === undefined ? specific.name : `projects/${specific.project}/reservations/${specific.name}`),
    labels: config.nodeLabels ?? {},
    taints: (config.taints ?? []).map(({ key, value, effect }: Fields) => `${key}=${value ?? ''}:${effect}`),
    zones: location?.zones ?? [],
    locationPolicy: location?.locationPolicy,
    metadata: config.workloadMetadata,
    bootDisk: [storage?.bootDiskType, storage?.bootDiskSize],
    minimum: spec.minimumCapacity?.targetNodeCount ?? 0,
  };
}

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const labels = fc.dictionary(word, word, { maxKeys: 4, noNullPrototype: true });
const taints = fc.uniqueArray(fc.record({ key: word, value: word, effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute') }), { maxLength: 3, selector: ({ key }) => key });
const zones = fc.subarray(['us-central1-a', 'us-central1-b', 'us-central1-c'], { minLength: 1 });
const capacities = fc.oneof(
  fc.constant<PoolCapacity>({ spot: true }),
  fc.record({ reservation: fc.record({ name: word, project: fc.option(word, { nil: undefined }) }) }),
);
const sizes = fc.tuple(fc.nat(3), fc.nat(5), fc.boolean(), fc.constantFrom(undefined, 'ANY', 'BALANCED')).map(([min, more, total, locationPolicy]): PoolSize => (
  {
    ...(total ? { totalMin: min, totalMax: min + more + 1 } : { minPerZone: min, maxPerZone: min + more + 1 }),
    ...(locationPolicy && { locationPolicy }),
  }
));
const common = fc.record({
  labels, taints, zones, capacity: capacities, workloadMetadata: fc.constant('GKE_METADATA'), bootDiskGiB: fc.option(fc.integer({ min: 10, max: 2000 }), { nil: undefined }),
});

const gpuMachines = GPUS.filter(({ endOfSupport }) => endOfSupport === undefined)
  .flatMap((gpu) => gpu.counts.flatMap((count) => machinesWith(gpu, count).map((machine) => ({ gpu, count, machine }))));

const gpuPools = fc.tuple(fc.constantFrom(...gpuMachines), common, sizes, fc.nat(), fc.option(fc.integer({ min: 2, max: 48 })), fc.constantFrom(undefined, 'default', 'latest'))
  .map(([{ gpu, count, machine }, rest, size, pick, clients, driver]): NodePoolSpec => {
    const partitions = [undefined, ...gpu.migProfiles.map(({ profile }) => profile)];
    const partition = partitions[pick % partitions.length];
    const gpus: PoolGpus = {
      type: gpu.type, count, ...(driver && { driver }), ...(partition && { partition }), ...(clients !== null && { sharing: { strategy: pick % 2 === 0 ? 'time-sharing' : 'mps', clients } }),
    };
    return { name: 'pool', machineType: machine.name, gpus, bootDiskType: gpu.defaultBootDiskType, size, ...rest };
  });

const slices = TPUS.flatMap((tpu) => topologiesOf(tpu, 64).map((topology) => ({ tpu, topology })));

const tpuPools = fc.tuple(fc.constantFrom(...slices), common).map(([{ tpu, topology }, rest]): NodePoolSpec => {
  const machine = defaultMachineFor(tpu, topology)!;
  const tpus: PoolTpus = { type: tpu.type, topology };
  const hosts = hostsOf(topology, machine.devices!)!;
  return {
    name: 'slice', machineType: machine.name, tpus, size: { minPerZone: 0, maxPerZone: hosts, locationPolicy: 'ANY' }, bootDiskType: tpu.defaultBootDiskType,
    ...(tpu.workloadPolicy && { placement: { policyName: 'policy' } }), ...rest,
  };
});

const target = { clusterName: 'c', location: 'us-central1' };

test('machine, accelerator, counts, labels, taints, capacity and autoscaling are the same in all three', () => {
  fc.assert(fc.property(fc.oneof(gpuPools, tpuPools), (pool) => {
    expect(errorsOf(checkNodePool(pool))).toEqual([]);
    expect([...configConnectorGaps(pool), ...errorsOf(computeClassGaps(pool))]).toEqual([]);

    const { autoscaling: ofPulumi, ...pulumi } = meaningOfNodePool(pulumiNodePool(pool), { guests: 'guestAccelerators', taints: 'taints' });
    const { autoscaling: ofConfigConnector, ...configConnector } = meaningOfNodePool(constructContainerNodePoolSpec(pool, target), { guests: 'guestAccelerator', taints: 'taint' });
    const { minimum, ...computeClass } = meaningOfPriority(constructComputeClassSpec({ choices: [pool], whenUnsatisfiable: 'DoNotScaleUp' }));
    expect(configConnector).toEqual(pulumi);
    expect(computeClass).toEqual(pulumi);

    // And it is what the pool says.
    const { machineType, gpus, bootDiskType, bootDiskGiB } = pool;
    expect(pulumi).toMatchObject({
      machine: machineType,
      accelerator: gpus?.type,
      count: gpus?.count,
      labels: writtenLabels(pool),
      zones: pool.zones,
      bootDisk: [bootDiskType, bootDiskGiB],
    });
    expect(pulumi.taints).toEqual(writtenTaints(pool).map(({ key, value, effect }) => `${key}=${value}:${effect}`));
    const { minPerZone, maxPerZone, totalMin, totalMax, locationPolicy } = pool.size!;
    const limits = plainObject({
      minNodeCount: minPerZone, maxNodeCount: maxPerZone, totalMinNodeCount: totalMin, totalMaxNodeCount: totalMax, locationPolicy,
    });
    expect([ofPulumi, ofConfigConnector]).toEqual([limits, limits]);
    expect(minimum).toBe(totalMin ?? minPerZone! * pool.zones!.length);
  }), { numRuns: 500 });
});

test('a slice has its type, its topology and the chips of a host in the class, and its placement in the pools', () => {
  fc.assert(fc.property(tpuPools, (pool) => {
    const [priority] = constructComputeClassSpec({ choices: [pool], whenUnsatisfiable: 'DoNotScaleUp' }).priorities as Fields[];
    const { type, topology } = pool.tpus!;
    const machine = TPUS.flatMap(({ machines }) => machines).find(({ name }) => name === pool.machineType)!;
    expect(priority.tpu).toEqual({ type, topology, count: machine.devices });
    const placement = pulumiNodePool(pool).placementPolicy;
    const isSlice = hostsOf(topology, priority.tpu.count)! > 1;
    expect(placement).toEqual(pool.placement ? { type: '', policyName: 'policy' } : isSlice ? { type: 'COMPACT', tpuTopology: topology } : undefined);
  }));
});
