/** The tables against the facts that they are compiled from, where those are at hand. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GPUS, TPUS, findMachine, machineNames } from '../../../src/model/accelerators/catalogue';
import type { AcceleratorInfo, MachineType } from '../../../src/model/accelerators/types';
import { SOURCES } from '../../../src/model/accelerators/sources';

const FACTS = path.join(__dirname, '..', '..', '..', '..', 'shared', 'facts', 'gke-accelerators.json');
const hasFacts = existsSync(FACTS);

interface MachineFact {
  readonly name: string;
  readonly count?: number;
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly localSsd: MachineType['localSsd'];
  readonly gpuFraction?: string;
  readonly [other: string]: unknown;
}

interface Fact {
  readonly kind: string;
  readonly accelerator: string;
  readonly memoryGiBPerDevice: number | null;
  readonly validCounts: number[];
  readonly machineTypes: MachineFact[];
  readonly migProfiles: object[];
  readonly migProfilesDriverOnly?: string[];
  readonly machineFamily: string;
  readonly architecture: string;
  readonly networking: string;
  readonly networkDetail?: { readonly [field: string]: unknown };
  readonly bootDiskTypes: string[];
  readonly defaultBootDiskType: string;
  readonly attachableDiskTypes: string[];
  readonly attachableDiskTypesConfidentialNodesOnly?: string[];
  readonly spot: boolean | null;
  readonly compactPlacement: { readonly supported: boolean; readonly maxNodes?: number };
  readonly maxVcpuByCount?: object;
  readonly attachableToN1: boolean;
  readonly deprecated?: boolean;
  readonly onDemand?: boolean;
  readonly nvlinkTopology?: string;
  readonly dws?: boolean;
  readonly topology?: { readonly [field: string]: unknown };
}

const facts: readonly Fact[] = hasFacts ? JSON.parse(readFileSync(FACTS, 'utf8')) as Fact[] : [];
const all: readonly AcceleratorInfo[] = [...GPUS, ...TPUS];
const told = (type: string) => facts.find(({ accelerator }) => accelerator === type)!;
const describeWithFacts = hasFacts ? describe : describe.skip;

if (!hasFacts) {
  console.log('The tables of accelerators are not compared with ../shared/facts, which is not here.');
}

describeWithFacts('the tables hold what the facts say:', () => {
  test('of every accelerator, and of no other', () => {
    expect(all.map(({ type }) => type).sort()).toEqual(facts.map(({ accelerator }) => accelerator).sort());
  });

  test.each(all)('$type: memory, counts, disks, spot, network', (accelerator) => {
    const fact = told(accelerator.type);
    expect({
      kind: accelerator.kind,
      memory: accelerator.memoryGiB,
      counts: accelerator.counts,
      family: accelerator.machineFamily,
      architecture: accelerator.architecture,
      networking: accelerator.networking,
      boot: [accelerator.bootDiskTypes, accelerator.defaultBootDiskType],
      attachable: [accelerator.attachableDiskTypes, accelerator.confidentialOnlyDiskTypes],
      spot: accelerator.spot,
    }).toEqual({
      kind: fact.kind,
      memory: fact.memoryGiBPerDevice,
      counts: fact.validCounts,
      family: fact.machineFamily,
      architecture: fact.architecture,
      networking: fact.networking,
      boot: [fact.bootDiskTypes, fact.defaultBootDiskType],
      attachable: [fact.attachableDiskTypes, fact.attachableDiskTypesConfidentialNodesOnly],
      spot: fact.spot,
    });
    const { extraVpcs, extraGvnicNicType: _nic, rdmaStack: _stack, rdmaNicType: _type, ...network } = fact.networkDetail ?? {};
    expect(accelerator.network ?? {}).toEqual(network);
    expect(extraVpcs === undefined || extraVpcs === accelerator.network?.dataNics).toBe(true);
  });

  test.each(all)('$type: every machine type, with vCPUs, memory, devices and local SSDs', (accelerator) => {
    const machines = accelerator.machines.map(({ devices, ...machine }) => ({ ...machine, count: devices }));
    expect(machines).toEqual(told(accelerator.type).machineTypes.map(({ gpuFraction, vcpuNote: _note, ...fact }) => (
      { ...fact, ...(gpuFraction !== '1' && { gpuFraction }) }
    )));
  });

  test.each(GPUS)('$type: partitions, compact placement, vCPUs of N1 and how it is had', (gpu) => {
    const fact = told(gpu.type);
    expect(gpu.migProfiles).toEqual(fact.migProfiles);
    expect(gpu.migDriverOnly).toEqual((fact.migProfilesDriverOnly ?? []).map((size) => size.split(' ')[0]));
    expect(gpu.compactPlacementMaxNodes).toBe(fact.compactPlacement.supported ? fact.compactPlacement.maxNodes : undefined);
    expect(gpu.maxVcpuByCount).toEqual(fact.maxVcpuByCount);
    expect([gpu.attachableToN1, gpu.onDemand, gpu.nvlinkTopology, gpu.endOfSupport !== undefined])
      .toEqual([fact.attachableToN1, fact.onDemand, fact.nvlinkTopology, fact.deprecated ?? false]);
  });

  test.each(TPUS)('$type: topologies and whether it is had by flex-start', (tpu) => {
    const fact = told(tpu.type);
    const { large: _large, maxSingleSlice: _most, ...topology } = fact.topology!;
    const { unsortedDisputed: _disputed, ...rule } = tpu.topology;
    expect(rule).toEqual(topology);
    expect(tpu.dws).toBe(fact.dws);
  });
});

describe('every entry of the tables', () => {
  test.each(all)('$type names its sources', ({ sources }) => {
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.every((source) => source in SOURCES)).toBe(true);
  });

  test.each(all)('$type is made of machine types that have as many devices as it counts', ({ counts, machines }) => {
    const devices = machines.map(({ devices: own }) => own).filter((own) => own !== undefined);
    expect(devices.every((own) => counts.includes(own))).toBe(true);
    // Of N1 machines none has GPUs by itself.
    expect(devices.length === 0 || counts.every((count) => devices.includes(count))).toBe(true);
  });

  test.each(all)('$type boots from a default disk that is one of its disks', ({ bootDiskTypes, defaultBootDiskType }) => {
    expect(bootDiskTypes).toContain(defaultBootDiskType);
  });

  test('is found by its machine types, each once', () => {
    expect(new Set(machineNames()).size).toBe(machineNames().length);
    for (const name of machineNames()) {
      const { machine, accelerators } = findMachine(name)!;
      expect(accelerators.every(({ machines }) => machines.some((own) => own.name === name && own.vcpu === machine.vcpu))).toBe(true);
    }
  });

  test('has sources that are addresses, or pages of ours where the rule is', () => {
    const sources = Object.values(SOURCES);
    expect(sources.filter((source) => !/^(https:\/\/\S+|docs\/[a-zA-Z/-]+\.md)( \(.*\))?$/.test(source))).toEqual([]);
    expect(sources.filter((source) => source.startsWith('docs/') && !existsSync(path.join(__dirname, '..', '..', '..', source.split(' ')[0])))).toEqual([]);
  });
});
