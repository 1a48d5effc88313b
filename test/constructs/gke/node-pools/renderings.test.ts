/**
 * One props object means the same wherever it goes: what Config Connector, ComputeClass and Pulumi are told of random valid props is read back, and
 * compared, choice by choice.
 */
import { ApiObject, App, Chart, Duration, Size } from 'cdk8s';
import { TaintEffect } from 'cdk8s-plus-28';
import fc from 'fast-check';
import { meaningOfNodePool, meaningOfPriority, type Fields } from './support/pool-meanings';
import { Accelerator, GpuSharing, MigSize } from '../../../../src';
import {
  Capacity, GkeClusterReference, GpuComputeClass, GpuDriver, GpuNodePool, NodeCount, NodePoolDescription, type GpuNodePoolProps,
} from '../../../../src/constructs/gke';
import { pulumiNodePool } from '../../../../src/manifests/node-pools/pulumi-node-pool';
import { plainObject } from '../../../../src/manifests/plain-object';
import { GPUS, TPUS, findMachine, findTpu, machinesWith } from '../../../../src/model/accelerators/catalogue';
import { defaultMachineFor, hostsOf, topologiesOf } from '../../../../src/model/accelerators/topology';

const CLUSTER = GkeClusterReference.named('ml', { location: 'us-central1' });

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const taint = fc.record({
  key: word, value: word, effect: fc.constantFrom(TaintEffect.NO_SCHEDULE, TaintEffect.PREFER_NO_SCHEDULE, TaintEffect.NO_EXECUTE),
});
const reservation = fc.tuple(word, fc.option(word, { nil: undefined })).map(([name, project]) => Capacity.reservation(name, { project }));
const flexStart = fc.option(fc.integer({ min: 1, max: 160 }), { nil: undefined })
  .map((hours) => Capacity.flexStart({ maxRunDuration: hours === undefined ? undefined : Duration.hours(hours) }));
const way = fc.oneof(fc.constantFrom(Capacity.ON_DEMAND, Capacity.SPOT, Capacity.ANY_RESERVATION), reservation, flexStart);
const capacity = fc.oneof(
  { weight: 3, arbitrary: way.map((one) => [one]) },
  { weight: 1, arbitrary: fc.uniqueArray(way, { minLength: 2, maxLength: 4, selector: ({ kind }) => kind }) },
);
const size = fc.tuple(fc.nat(3), fc.nat(5), fc.boolean(), fc.constantFrom('', 'any', 'balanced')).map(([min, more, total, policy]) => {
  const count = total ? NodeCount.total(min, min + more + 1) : NodeCount.perZone(min, min + more + 1);
  return policy === 'any' ? count.inAnyZone() : policy === 'balanced' ? count.balanced() : count;
});
const common = fc.record({
  name: fc.constant('pool'),
  capacity: fc.option(capacity, { nil: undefined }),
  labels: fc.dictionary(word, word, { maxKeys: 4, noNullPrototype: true }),
  taints: fc.uniqueArray(taint, { maxLength: 3, selector: ({ key }) => key }),
  zones: fc.subarray(['us-central1-a', 'us-central1-b', 'us-central1-c'], { minLength: 1 }),
  bootGiB: fc.option(fc.integer({ min: 10, max: 2000 }), { nil: undefined }),
});

const gpuMachines = GPUS.filter(({ endOfSupport }) => endOfSupport === undefined)
  .flatMap((gpu) => gpu.counts.flatMap((count) => machinesWith(gpu, count).map((machine) => ({ gpu, count, machine }))));

const gpuProps = fc.tuple(
  fc.constantFrom(...gpuMachines), common, size, fc.nat(), fc.option(fc.integer({ min: 2, max: 48 })),
  fc.constantFrom(undefined, GpuDriver.DEFAULT, GpuDriver.LATEST, GpuDriver.GPU_OPERATOR),
).map(([{ gpu, count, machine }, { bootGiB, ...rest }, nodes, pick, clients, driver]): GpuNodePoolProps => {
  const partition = [undefined, ...gpu.migProfiles][pick % (gpu.migProfiles.length + 1)];
  const whole = Accelerator.nvidia(gpu.type).onMachine(machine.name);
  const parts = partition === undefined ? whole : whole.partitioned(MigSize.of(partition.profile));
  const accelerator = clients === null ? parts : parts.shared(pick % 2 === 0 ? GpuSharing.timeSharing(clients) : GpuSharing.mps(clients));
  return {
    ...rest,
    accelerator,
    driver,
    size: nodes,
    ...(machine.devices === undefined && { gpusPerNode: count }),
    disks: { bootType: gpu.defaultBootDiskType, bootSize: bootGiB === undefined ? undefined : Size.gibibytes(bootGiB) },
  };
});

const slices = TPUS.flatMap((tpu) => topologiesOf(tpu, 64).map((topology) => ({ tpu, topology })));

const tpuProps = fc.tuple(fc.constantFrom(...slices), common).map(([{ tpu, topology }, { bootGiB, ...rest }]): GpuNodePoolProps => ({
  ...rest,
  accelerator: Accelerator.tpu(tpu.type, topology),
  size: NodeCount.perZone(0, hostsOf(topology, defaultMachineFor(tpu, topology)!.devices!)!).inAnyZone(),
  disks: { bootType: tpu.defaultBootDiskType, bootSize: bootGiB === undefined ? undefined : Size.gibibytes(bootGiB) },
  ...(tpu.workloadPolicy && { placementPolicy: 'policy' }),
}));

/** What the three renderings of props are, and what the first two complain of. */
function renderings(props: GpuNodePoolProps) {
  const app = new App();
  const pools = new Chart(app, 'pools');
  const pool = new GpuNodePool(pools, 'Pool', { cluster: CLUSTER, ...props });
  const classes = new Chart(app, 'classes');
  const computeClass = new GpuComputeClass(classes, 'Class', props);
  return {
    pulumi: NodePoolDescription.of(props)._toSpecs().map(pulumiNodePool),
    configConnector: objectsOf(pools).map(({ metadata, spec }): Fields => ({ ...spec, name: metadata.name })),
    ofPool: pool.node.validate(),
    computeClass: objectsOf(classes)[0].spec as Fields,
    ofClass: computeClass.node.validate(),
  };
}

/** Objects of a chart, whatever its constructs complain of. */
function objectsOf(chart: Chart): Fields[] {
  return chart.node.findAll().filter((construct) => ApiObject.isApiObject(construct)).map((object) => object.toJson() as Fields);
}

function isValid(props: GpuNodePoolProps): boolean {
  try {
    NodePoolDescription.of(props);
    return true;
  } catch {
    return false;
  }
}

test('machine, accelerator, counts, labels, taints, capacity and autoscaling of one props object are the same in all three', () => {
  const seen = { onDemand: 0, spot: 0, reservation: 0, flexStart: 0, several: 0, gpus: 0, tpus: 0 };
  fc.assert(fc.property(fc.oneof({ weight: 2, arbitrary: gpuProps }, { weight: 1, arbitrary: tpuProps }), (props) => {
    fc.pre(isValid(props));
    const { pulumi, configConnector, ofPool, computeClass, ofClass } = renderings(props);
    const ways = props.capacity ?? [Capacity.ON_DEMAND];
    ways.forEach(({ kind }) => seen[kind as keyof typeof seen]++);
    seen.several += ways.length > 1 ? 1 : 0;
    seen[props.accelerator!.topology === undefined ? 'gpus' : 'tpus']++;

    const ofPulumi = pulumi.map((pool) => meaningOfNodePool(pool, { guests: 'guestAccelerators', taints: 'taints' }));
    const meanings = ofPulumi.map(({ autoscaling: _, ...meaning }) => meaning);
    // The class, priority by priority. The most nodes have no field there: see the page.
    expect(ofClass).toEqual([]);
    const { minimum, priorities } = meaningOfPriority(computeClass);
    expect(priorities).toEqual(meanings);
    for (const { minNodeCount = 0, totalMinNodeCount = minNodeCount * props.zones!.length } of ofPulumi.map(({ autoscaling }) => autoscaling!)) {
      expect(minimum).toBe(totalMinNodeCount);
    }

    // Config Connector has all of it, or says that it has neither flex-start machines nor those of any reservation.
    const flexible = ways.some(({ kind }) => kind === 'flexStart');
    const ofAnyReservation = ways.includes(Capacity.ANY_RESERVATION);
    expect(ofPool.some((line) => line.includes('pool.capacity.flexStart'))).toBe(flexible);
    expect(ofPool.some((line) => line.includes('pool.capacity.reservationAffinity'))).toBe(ofAnyReservation);
    expect(configConnector.map(({ name }) => name)).toEqual(pulumi.map(({ name }) => name));
    configConnector.forEach((pool, index) => {
      if (ways[index].kind !== 'flexStart') {
        expect(meaningOfNodePool(pool, { guests: 'guestAccelerator', taints: 'taint' })).toEqual(ofPulumi[index]);
      }
    });
    expect(flexible || ofAnyReservation || ofPool.length === 0).toBe(true);

    // And it is what the props say.
    expect(meanings.map(({ way: each }) => each)).toEqual(ways.map(({ kind }) => kind));
    for (const meaning of meanings) {
      expect(meaning).toMatchObject({ labels: props.labels, zones: props.zones });
      expect(meaning.bootDisk).toEqual([props.disks!.bootType, props.disks!.bootSize?.toGibibytes()]);
      expect(meaning.taints).toEqual(props.taints!.map(({ key, value, effect }) => `${key}=${value}:${effect}`));
      const { type, topology, partition, sharing, machineType = defaultMachineFor(findTpu(type)!, topology!)!.name } = props.accelerator!;
      expect(meaning.machine).toBe(machineType);
      expect([meaning.accelerator, meaning.count]).toEqual(
        topology === undefined ? [type, props.gpusPerNode ?? findMachine(machineType)!.machine.devices] : [undefined, undefined],
      );
      expect([meaning.partition, meaning.sharing?.[1]]).toEqual([partition?.profile, sharing?.clients]);
    }
    const { minPerZone, maxPerZone, totalMin, totalMax, locationPolicy } = props.size!._toSpec();
    const limits = plainObject({
      minNodeCount: minPerZone, maxNodeCount: maxPerZone, totalMinNodeCount: totalMin, totalMaxNodeCount: totalMax, locationPolicy,
    });
    expect(ofPulumi.map(({ autoscaling }) => autoscaling)).toEqual(ways.map(() => limits));
  }), { numRuns: 300 });
  // Otherwise the rules left out what is to be compared.
  expect(Object.entries(seen).filter(([, times]) => times < 15)).toEqual([]);
});

test('a slice has its type, its topology and the chips of a host in the class, and its placement in the pools', () => {
  fc.assert(fc.property(tpuProps, (props) => {
    fc.pre(isValid(props));
    const { pulumi, computeClass } = renderings(props);
    const { type, topology } = props.accelerator!;
    pulumi.forEach(({ nodeConfig, placementPolicy }, index) => {
      const { devices } = TPUS.flatMap(({ machines }) => machines).find(({ name }) => name === nodeConfig.machineType)!;
      expect(computeClass.priorities[index].tpu).toEqual({ type, topology, count: devices });
      const isSlice = hostsOf(topology!, devices!)! > 1;
      expect(placementPolicy).toEqual(props.placementPolicy ? { type: '', policyName: 'policy' } : isSlice ? { type: 'COMPACT', tpuTopology: topology } : undefined);
    });
  }));
});

test('a description has the choices, with what is left out for its price, and says what is wrong with props', () => {
  const props: GpuNodePoolProps = {
    name: 'l4', accelerator: Accelerator.NVIDIA_L4.onMachine('g2-standard-24'), capacity: [Capacity.SPOT, Capacity.ON_DEMAND], maxPrice: 1,
    prices: [{ machineType: 'g2-standard-24', capacity: Capacity.SPOT, perHour: 0.8 }, { machineType: 'g2-standard-24', capacity: Capacity.ON_DEMAND, perHour: 2 }],
  };
  const { choices, leftOut, warnings } = NodePoolDescription.of(props);
  expect({ choices, leftOut, warnings }).toEqual({
    choices: ['spot g2-standard-24, 0.8 an hour'], leftOut: ['on demand g2-standard-24, 2 an hour'], warnings: [],
  });
  expect(() => NodePoolDescription.of({ ...props, name: undefined })).toThrow("pool.name: is required: there is no construct id to derive it from. Add it, such as name: 'l4'.");
  expect(() => NodePoolDescription.of({ ...props, accelerator: undefined })).toThrow("NodePoolDescription 'l4': pool.accelerator: is required, or anyOf.");
  expect(() => NodePoolDescription.of({ ...props, disks: { bootType: 'hyperdisk-balanced' } })).toThrow('is not a boot disk of g2-standard-24');
});
