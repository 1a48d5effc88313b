/** What a pod costs for one hour: its machine, as far as it has it for itself, or its vCPUs and memory. */
import { plusRates, timesRates, type MachineRates, type PriceTable, type Purchase, type Rates } from './prices';
import { findGpu, findMachine, findTpu, machineNames, machinesWith, ordinaryMachines } from '../accelerators/catalogue';
import { defaultMachineFor } from '../accelerators/topology';
import { entryOf } from '../lists';
import { didYouMean } from '../violations';

export interface DeviceNeed {
  /** Value that nodes are selected by, such as `nvidia-h100-80gb`; undefined where the pod takes any. */
  readonly type?: string;
  readonly resource: string;
  /** Physical devices: a quarter where four pods share one. */
  readonly count: number;
  /** Topology of the slice, of TPUs. */
  readonly topology?: string;
}

export interface PodNeed {
  readonly devices?: DeviceNeed;
  readonly machineType?: string;
  readonly vcpu: number;
  readonly memoryGiB: number;
  /** How its node is paid. */
  readonly purchase: Purchase;
}

/** A row that the table does not have. */
export interface MissingPrice {
  /** Path of the row, such as `machines.a3-highgpu-8g`. */
  readonly row: string;
  readonly message: string;
}

export interface PodRates {
  readonly rates: Rates;
  /** Machine that it was reckoned with. */
  readonly machineType?: string;
  /** Whether the machine was chosen here and not by the pod. */
  readonly assumed: boolean;
  readonly missing?: MissingPrice;
}

/** What is known of a machine type, by the table or by the catalogue. */
export interface MachineFacts {
  readonly accelerator?: string;
  readonly devices?: number;
  readonly vcpu?: number;
  readonly memoryGiB?: number;
  /** Whether GPUs are attached to it, with a price of their own. */
  readonly attachable: boolean;
}

export function machineFacts(name: string, table: PriceTable): MachineFacts {
  const row: MachineRates = entryOf(table.machines, name) ?? {};
  const known = findMachine(name);
  const { machine, accelerators = [] } = known ?? {};
  return {
    accelerator: row.accelerator ?? (accelerators.length === 1 && machine?.devices !== undefined ? accelerators[0].type : undefined),
    devices: row.count ?? machine?.devices,
    vcpu: row.vcpu ?? machine?.vcpu,
    memoryGiB: row.memoryGiB ?? machine?.memoryGiB,
    attachable: row.count === undefined && known !== undefined && machine?.devices === undefined,
  };
}

export function podRates(need: PodNeed, table: PriceTable): PodRates {
  if (need.devices !== undefined) {
    return deviceRates(need, need.devices, table);
  }
  if (need.machineType !== undefined && entryOf(table.machines, need.machineType) !== undefined) {
    const share = shareOf(need, machineFacts(need.machineType, table));
    return { rates: timesRates(table.machines[need.machineType], share), machineType: need.machineType, assumed: false };
  }
  return plainRates(need, table);
}

function plainRates({ vcpu, memoryGiB, machineType }: PodNeed, { cpu, memory }: PriceTable): PodRates {
  const missing = [...(vcpu > 0 && cpu === undefined ? ['cpu'] : []), ...(memoryGiB > 0 && memory === undefined ? ['memory'] : [])];
  if (missing.length > 0) {
    const machine = machineType === undefined ? '' : ` (or machines.${machineType})`;
    return unpriced(missing.join(' and '), `, for pods without accelerators${machine}`, machineType);
  }
  return { rates: plusRates([timesRates(cpu ?? FREE, vcpu), timesRates(memory ?? FREE, memoryGiB)]), machineType, assumed: false };
}

function deviceRates(need: PodNeed, devices: DeviceNeed, table: PriceTable): PodRates {
  const machineType = need.machineType ?? sliceMachine(devices);
  const type = devices.type ?? (machineType === undefined ? undefined : machineFacts(machineType, table).accelerator);
  const ofType = entryOf(table.accelerators, type ?? devices.resource);
  const attached = type !== undefined && findGpu(type)?.attachableToN1 === true;
  if (machineType !== undefined) {
    const row = entryOf(table.machines, machineType);
    if (row !== undefined) {
      return onMachine(machineType, row, devices, type, ofType, table, need.machineType === undefined && devices.topology === undefined);
    }
    // The price of a device has its part of the machine in it, but for N1.
    return ofType !== undefined && !attached
      ? { rates: timesRates(ofType, devices.count), machineType, assumed: false }
      : unpriced(`machines.${machineType}`, guessed(machineType, Object.keys(table.machines)), machineType);
  }
  if (ofType !== undefined && !attached) {
    return { rates: timesRates(ofType, devices.count), assumed: false };
  }
  if (type === undefined) {
    return unpriced(`accelerators['${devices.resource}']`, ': the pod selects neither a type of accelerator nor a machine type, so it may get any');
  }
  return cheapest(need, devices, type, ofType, table);
}

function sliceMachine({ type = '', topology }: DeviceNeed): string | undefined {
  const tpu = topology === undefined ? undefined : findTpu(type);
  return tpu === undefined ? undefined : defaultMachineFor(tpu, topology!)?.name;
}

function onMachine(
  machineType: string, row: Rates, { count }: DeviceNeed, type: string | undefined, ofType: Rates | undefined, table: PriceTable, assumed: boolean,
): PodRates {
  const facts = machineFacts(machineType, table);
  if (facts.attachable) {
    return ofType === undefined
      ? unpriced(`accelerators.${type ?? 'TYPE'}`, ` in addition to machines.${machineType}: N1 GPUs are priced separately`, machineType)
      : { rates: plusRates([timesRates(row, Math.min(1, count)), timesRates(ofType, count)]), machineType, assumed };
  }
  return facts.devices === undefined
    ? unpriced(`machines.${machineType}.count`, ', in addition to accelerator: what the machine comes with is unknown', machineType)
    : { rates: timesRates(row, count / facts.devices), machineType, assumed };
}

/** The cheapest machine with a price that has room for the pod: one with exactly as many devices where there is one. */
function cheapest(need: PodNeed, devices: DeviceNeed, type: string, ofType: Rates | undefined, table: PriceTable): PodRates {
  const priced = candidates(type, devices.count, table)
    .filter((name) => entryOf(table.machines, name) !== undefined && hasRoom(need, devices, machineFacts(name, table)))
    .map((name) => onMachine(name, table.machines[name], devices, type, ofType, table, true));
  const exact = priced.filter(({ machineType }) => {
    const { devices: has, attachable } = machineFacts(machineType!, table);
    return attachable || has === Math.ceil(devices.count);
  });
  const [best] = (exact.length > 0 ? exact : priced).filter(({ missing }) => missing === undefined)
    .map((each) => ({ ...each, price: lowest(each.rates, need.purchase), name: each.machineType! }))
    .sort((one, other) => one.price - other.price || (one.name < other.name ? -1 : 1))
    .map(({ price: _price, name: _name, ...each }) => each);
  if (best !== undefined) {
    return best;
  }
  const [first] = priced;
  if (first !== undefined) {
    return first;
  }
  const gpu = findGpu(type);
  const machines = gpu === undefined ? findTpu(type)?.machines ?? [] : machinesWith(gpu, Math.ceil(devices.count));
  const names = (machines.length > 0 || gpu === undefined ? machines : ordinaryMachines(gpu)).map(({ name }) => `machines.${name}`);
  const few = names.length > 4 ? [...names.slice(0, 3), '…'] : names;
  const others = names.length > 0 ? `, nor ${few.join(', ')}, nor a larger machine` : '';
  return unpriced(`accelerators.${type}`, `${others}${guessed(type, Object.keys(table.accelerators))}`);
}

function candidates(type: string, count: number, table: PriceTable): string[] {
  const gpu = findGpu(type);
  const attachable = gpu?.attachableToN1 ? new Set(machinesWith(gpu, Math.ceil(count)).map(({ name }) => name)) : undefined;
  const own = Object.keys(table.machines);
  const known = attachable === undefined ? machineNames().filter((name) => machineFacts(name, table).accelerator === type) : [...attachable];
  return [...new Set([...known, ...own.filter((name) => table.machines[name].accelerator === type)])];
}

/** Whether a machine has as many devices, and as much of all else for each of them. */
function hasRoom({ vcpu, memoryGiB }: PodNeed, { count }: DeviceNeed, { devices, ...machine }: MachineFacts): boolean {
  const enough = (wanted: number, has: number | undefined) => has === undefined || wanted <= has;
  return (devices === undefined || devices >= count) && enough(vcpu, machine.vcpu) && enough(memoryGiB, machine.memoryGiB);
}

/** Part of a machine that a pod without accelerators takes: by whichever it takes more of. All of it if that is not known. */
function shareOf({ vcpu, memoryGiB }: PodNeed, machine: MachineFacts): number {
  const shares = [
    ...(machine.vcpu === undefined || vcpu === 0 ? [] : [vcpu / machine.vcpu]),
    ...(machine.memoryGiB === undefined || memoryGiB === 0 ? [] : [memoryGiB / machine.memoryGiB]),
  ];
  return shares.length === 0 ? 1 : Math.min(1, Math.max(...shares));
}

const FREE: Rates = { onDemand: 0, spot: 0, flexStart: 0, queued: 0, reserved: 0 };

function lowest(rates: Rates, purchase: Purchase): number {
  return rates[purchase] ?? rates.onDemand ?? Infinity;
}

/** @param more what follows "no price" */
function unpriced(row: string, more: string, machineType?: string): PodRates {
  return { rates: {}, machineType, assumed: false, missing: { row, message: `no price${more}` } };
}

/** `. Did you mean 'x'?`, or nothing: of two names that are known none is a slip of the other, however close they are. */
export function guessed(name: string, rows: readonly string[]): string {
  const isKnown = (word: string) => findMachine(word) !== undefined || findGpu(word) !== undefined || findTpu(word) !== undefined;
  const guess = didYouMean(name, isKnown(name) ? rows.filter((row) => !isKnown(row)) : rows);
  return guess === '' ? '' : `.${guess}`;
}
