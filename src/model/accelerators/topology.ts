/**
 * Arithmetic of TPU slices: chips, hosts and slices of a topology such as `4x4` or `2x2x4`, and which topologies there are. A slice consists of
 * hosts of one machine type, so the hosts are the product of the dimensions divided by the chips of a host.
 */
import { ordinaryMachines } from './catalogue';
import type { MachineType, TopologyRule, TpuAccelerator } from './types';

/** Edge of the cubes that large slices of three dimensions consist of. */
const CUBE = 4;

/** Dimensions of `2x2x4`; undefined when the text is not a topology. */
export function tryParseTopology(topology: string): number[] | undefined {
  return /^[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){1,2}$/.test(topology) ? topology.split('x').map(Number) : undefined;
}

/** `2x2x4` of its dimensions. */
export function topologyText(dimensions: readonly number[]): string {
  return dimensions.join('x');
}

export function chipsOf(dimensions: readonly number[]): number {
  return dimensions.reduce((product, dimension) => product * dimension, 1);
}

/** The chips of a topology; undefined when the text is none. */
export function tryChipsOf(topology: string): number | undefined {
  const dimensions = tryParseTopology(topology);
  return dimensions && chipsOf(dimensions);
}

/** Hosts of a slice; undefined when the chips of a host do not divide it. */
export function hostsOf(topology: string, chipsPerHost: number): number | undefined {
  const chips = tryChipsOf(topology);
  return chips !== undefined && chips % chipsPerHost === 0 ? chips / chipsPerHost : undefined;
}

/** Slices that so many hosts make; undefined when one would be incomplete. */
export function slicesOf(topology: string, chipsPerHost: number, hosts: number): number | undefined {
  const perSlice = hostsOf(topology, chipsPerHost);
  return perSlice !== undefined && hosts > 0 && hosts % perSlice === 0 ? hosts / perSlice : undefined;
}

/** Whether a TPU has slices of a topology, with dimensions in the order that it wants. */
export function hasTopology({ topology: rule }: TpuAccelerator, topology: string): boolean {
  const dimensions = tryParseTopology(topology);
  if (dimensions === undefined || dimensions.length !== rule.dims) {
    return false;
  }
  if (rule.allowed !== undefined) {
    return rule.allowed.includes(topology);
  }
  if (topology === rule.singleChip || rule.small?.includes(topology)) {
    return true;
  }
  return isSorted(dimensions) && areCubes(dimensions, rule);
}

/** The topology of the same dimensions in the order that the TPU wants, such as `2x4` for `4x2`; undefined when there is none. */
export function orderedTopology(tpu: TpuAccelerator, topology: string): string | undefined {
  return orders(tryParseTopology(topology) ?? []).map(topologyText).find((candidate) => hasTopology(tpu, candidate));
}

/** Whether the dimensions are those of a slice if only their order is changed. */
export function isOnlyUnsorted(tpu: TpuAccelerator, topology: string): boolean {
  return !hasTopology(tpu, topology) && orderedTopology(tpu, topology) !== undefined;
}

function orders(dimensions: readonly number[]): number[][] {
  return dimensions.length <= 1 ? [[...dimensions]] : dimensions.flatMap((first, index) => (
    orders([...dimensions.slice(0, index), ...dimensions.slice(index + 1)]).map((rest) => [first, ...rest])
  ));
}

/** Whether the dimensions are those of cubes, and of no more than there are. */
function areCubes(dimensions: readonly number[], rule: TopologyRule): boolean {
  const cubes = chipsOf(dimensions.map((dimension) => dimension / CUBE));
  return rule.maxCubes !== undefined && dimensions.every((dimension) => dimension % CUBE === 0) && cubes <= rule.maxCubes;
}

function isSorted(dimensions: readonly number[]): boolean {
  return dimensions.every((dimension, index) => index === 0 || dimensions[index - 1] <= dimension);
}

/** All topologies of a TPU up to so many chips, the smallest first: for tables and proposals. */
export function topologiesOf(tpu: TpuAccelerator, maxChips: number): string[] {
  const { allowed, small = [], singleChip, maxCubes = 0, dims } = tpu.topology;
  if (allowed !== undefined || dims === 2) {
    return (allowed ?? []).filter((topology) => tryChipsOf(topology)! <= maxChips);
  }
  const found = [...(singleChip === undefined ? [] : [singleChip]), ...small];
  const edges = Array.from({ length: maxCubes }, (_edge, index) => (index + 1) * CUBE);
  for (const a of edges) {
    for (const b of edges.filter((edge) => edge >= a && a * edge * edge <= maxChips)) {
      for (const c of edges.filter((edge) => edge >= b && a * b * edge <= maxChips)) {
        found.push(topologyText([a, b, c]));
      }
    }
  }
  return found.filter((topology) => tryChipsOf(topology)! <= maxChips && hasTopology(tpu, topology))
    .sort((one, other) => tryChipsOf(one)! - tryChipsOf(other)!);
}

/**
 * The machine type of the hosts of a slice unless one is set: one host that is the whole slice where there is one, else the machine
 * of slices over several hosts.
 */
export function defaultMachineFor(tpu: TpuAccelerator, topology: string): MachineType | undefined {
  const machines = ordinaryMachines(tpu);
  return machines.find(({ singleHostTopology }) => singleHostTopology === topology) ?? multiHostMachine(tpu);
}

export function multiHostMachine(tpu: TpuAccelerator): MachineType | undefined {
  const named = tpu.machines.find(({ name }) => name === tpu.topology.multiHostMachineType);
  return named ?? ordinaryMachines(tpu).find(({ devices }) => devices === 4);
}

/** Whether a machine type can be a host of slices of a topology: the whole slice by itself, or one of several. */
export function isHostOf(tpu: TpuAccelerator, machine: MachineType, topology: string): boolean {
  const chips = tryChipsOf(topology);
  if (machine.singleHostTopology === topology) {
    return true;
  }
  // Machines of one chip and of eight are slices by themselves only.
  return machine.devices === 4 && chips !== undefined && chips > machine.devices && chips % machine.devices === 0 && hasTopology(tpu, topology);
}
