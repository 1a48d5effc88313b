/**
 * Capacity as a list of preferences: several ways to have machines, and several accelerators that will do, become choices in one order. Each choice
 * is a node pool, checked as one; a ComputeClass, Kueue's flavors and pools made by hand are all rendered from the same list.
 *
 * Order: the ways to have machines first, as the list has them, and within each the accelerators in their order. So spot machines of the second
 * accelerator come before on-demand machines of the first: who wants it the other way round writes two lists.
 */
import { takesManagedNetworks } from './rules/network-rules';
import { POOL_RULES } from './rules/rule-list';
import type { NodePoolSpec, PoolCapacity, PoolGpus, PoolReservation, PoolTpus } from './spec';
import { checkNodePool } from './validate-node-pool';
import { FindingCollector, either, type Finding } from '../findings';

/** How machines are had. */
export type CapacityKind = 'reservation' | 'spot' | 'flexStart' | 'queued' | 'onDemand';

/** One way to have machines. */
export interface CapacityPreference {
  readonly kind: CapacityKind;
  /** Of the kind `reservation`: which one. @default - any that fits */
  readonly reservation?: PoolReservation;
  /** Of the kind `reservation`: its machine type, which is required where several accelerators will do. */
  readonly machineType?: string;
  /** Seconds that a machine lives. */
  readonly maxRunSeconds?: number;
}

/** One accelerator that will do. */
export interface AcceleratorPreference {
  readonly machineType?: string;
  readonly gpus?: PoolGpus;
  readonly tpus?: PoolTpus;
}

export interface MachinePrice {
  readonly machineType: string;
  readonly kind: CapacityKind;
  /** Of one machine, for one hour, in the currency of all prices. */
  readonly perHour: number;
}

/** Pools that are alike but for accelerator and capacity. */
export interface PoolPreferences {
  readonly base: Omit<NodePoolSpec, 'machineType' | 'gpus' | 'tpus' | 'capacity'>;
  readonly anyOf: readonly AcceleratorPreference[];
  /** @default - on demand */
  readonly capacity?: readonly CapacityPreference[];
  /** Most that a machine may cost in an hour. Reservations are paid already, and are compared only where the prices have them. */
  readonly maxPricePerHour?: number;
  readonly prices?: readonly MachinePrice[];
}

export interface PoolChoice {
  readonly pool: NodePoolSpec;
  readonly kind: CapacityKind;
  /** Price of one machine for one hour, where it is known. */
  readonly perHour?: number;
}

/** All choices, in their order. */
export interface PoolChoices {
  readonly choices: readonly PoolChoice[];
  readonly leftOut: readonly PoolChoice[];
}

const ON_DEMAND: CapacityPreference = { kind: 'onDemand' };

/** Words of the kinds in names of pools. */
const SUFFIXES: { readonly [kind in CapacityKind]: string } = { reservation: 'reserved', spot: 'spot', flexStart: 'flex', queued: 'queued', onDemand: 'on-demand' };

/** The choices that preferences stand for. A list of one of each is one choice, with the name of the base. */
export function expandPreferences({ base, anyOf, capacity = [ON_DEMAND], maxPricePerHour, prices = [] }: PoolPreferences): PoolChoices {
  const pairs = capacity.flatMap((preference) => anyOf
    .filter(({ machineType }) => anyOf.length === 1 || preference.machineType === undefined || preference.machineType === machineType)
    .map((accelerator) => ({ preference, accelerator })));
  const names = namesOf(base.name, pairs, anyOf);
  const all = pairs.map(({ preference, accelerator }, index): PoolChoice => ({
    pool: {
      ...base,
      ...accelerator,
      ...repairOf(base, preference),
      ...networkOf(base, accelerator, anyOf),
      name: names[index],
      capacity: capacityOf(preference),
    },
    kind: preference.kind,
    perHour: prices.find(({ machineType, kind }) => machineType === accelerator.machineType && kind === preference.kind)?.perHour,
  }));
  const tooMuch = ({ perHour }: PoolChoice) => maxPricePerHour !== undefined && perHour !== undefined && perHour > maxPricePerHour;
  return { choices: all.filter((choice) => !tooMuch(choice)), leftOut: all.filter(tooMuch) };
}

/** Checks preferences, and every choice that they stand for as a pool. What is wrong with all choices is reported once. */
export function checkPreferences(preferences: PoolPreferences, path = 'pool'): Finding[] {
  const findings = new FindingCollector();
  const { anyOf, capacity = [ON_DEMAND], maxPricePerHour } = preferences;
  if (anyOf.length === 0) {
    findings.error(POOL_RULES.oneAccelerator, `${path}.anyOf`, [], 'is empty. Name an accelerator.');
  }
  if (capacity.length === 0) {
    findings.error(POOL_RULES.sameCapacity, `${path}.capacity`, [], 'is empty. List at least one way to get machines, or leave it out for on-demand machines.');
  }
  capacity.forEach((preference, index) => checkPreference(preference, index, preferences, path, findings));
  const { choices, leftOut } = expandPreferences(preferences);
  checkPrices(choices, leftOut, maxPricePerHour, path, findings);
  findings.addAll(findingsOfChoices([...choices, ...leftOut], path));
  return findings.findings;
}

function checkPreference(
  preference: CapacityPreference, index: number, { anyOf, capacity = [] }: PoolPreferences, path: string, findings: FindingCollector,
): void {
  const where = `${path}.capacity[${index}]`;
  const { kind, machineType, reservation } = preference;
  const isTwin = (other: CapacityPreference) => (
    other.kind === kind && other.machineType === machineType && other.reservation?.name === reservation?.name
  );
  const twin = capacity.findIndex(isTwin);
  if (twin < index && twin >= 0) {
    findings.error(POOL_RULES.sameCapacity, where, kind, `duplicates entry ${twin}. Remove one of the two.`);
  }
  const machines = anyOf.map((accelerator) => accelerator.machineType).filter((name) => name !== undefined);
  if (machineType !== undefined && !machines.includes(machineType)) {
    findings.error(POOL_RULES.reservedMachine, `${where}.machineType`, machineType, `does not have an accelerator of the pool, which uses ${either(machines)}. Reserve one of these, or add the accelerator.`);
  } else if (reservation !== undefined && machineType === undefined && anyOf.length > 1) {
    findings.error(POOL_RULES.reservedMachine, `${where}.machineType`, undefined, `is required: a reservation covers one machine type, and several are possible here. Name the machine type of '${reservation.name}': ${either(machines)}.`);
  }
}

function checkPrices(
  choices: readonly PoolChoice[], leftOut: readonly PoolChoice[], most: number | undefined, path: string, findings: FindingCollector,
): void {
  if (most === undefined) {
    return;
  }
  if (!(most > 0)) {
    findings.error(POOL_RULES.maxPrice, `${path}.maxPrice`, most, 'must be above 0.');
    return;
  }
  for (const { pool, kind } of choices.filter((choice) => choice.perHour === undefined && choice.kind !== 'reservation')) {
    findings.error(POOL_RULES.knownPrice, `${path}.prices`, undefined, `have none of ${pool.machineType ?? 'this machine'} ${WORDS[kind]}, so it is unknown whether it costs more than ${most}. Add it, or remove maxPrice.`);
  }
  if (choices.length === 0 && leftOut.length > 0) {
    const cheapest = leftOut.reduce((best, choice) => (choice.perHour! < best.perHour! ? choice : best));
    findings.error(POOL_RULES.maxPrice, `${path}.maxPrice`, most, `excludes every choice: the cheapest,  ${describeChoice(cheapest)}, costs more. Raise it to ${cheapest.perHour}, or add a cheaper choice.`);
  }
}

const WORDS: { readonly [kind in CapacityKind]: string } = { reservation: 'reserved', spot: 'spot', flexStart: 'flex-start', queued: 'queued', onDemand: 'on demand' };

/** `spot a3-highgpu-8g, 88.49 an hour`. */
export function describeChoice({ pool, kind, perHour }: PoolChoice): string {
  const name = pool.capacity?.reservation === undefined ? '' : ` (${pool.capacity.reservation.name})`;
  return `${WORDS[kind]}${name} ${pool.machineType ?? 'machines'}${perHour === undefined ? '' : `, ${perHour} an hour`}`;
}

function findingsOfChoices(choices: readonly PoolChoice[], path: string): Finding[] {
  const perChoice = choices.map(({ pool }) => checkNodePool(pool, path));
  const key = ({ path: where, message }: Finding) => `${where}\n${message}`;
  const times = new Map<string, number>();
  perChoice.flat().forEach((finding) => times.set(key(finding), (times.get(key(finding)) ?? 0) + 1));
  return perChoice.flatMap((findings, index) => findings.flatMap((finding): Finding[] => {
    if (times.get(key(finding)) === choices.length) {
      return index === 0 ? [finding] : [];
    }
    const { pool } = choices[index];
    return [{ ...finding, path: finding.path.replace(path, `${path}(${pool.name})`) }];
  }));
}

function capacityOf({ kind, reservation, maxRunSeconds }: CapacityPreference): PoolCapacity {
  return {
    ...(kind === 'spot' && { spot: true }),
    ...(kind === 'flexStart' && { flexStart: true }),
    ...(kind === 'queued' && { queued: true }),
    ...(reservation !== undefined && { reservation }),
    ...(kind === 'reservation' && reservation === undefined && { reservationAffinity: 'any-then-fail' }),
    ...(maxRunSeconds !== undefined && { maxRunSeconds }),
  };
}

/** Flex-start machines are not repaired; a request for repairs of all choices is reported. */
function repairOf({ autoRepair }: { readonly autoRepair?: boolean }, { kind }: CapacityPreference): { readonly autoRepair?: boolean } {
  return autoRepair === undefined && kind === 'flexStart' ? { autoRepair: false } : {};
}

/** Networks that GKE creates are for the machines that have interfaces for them, where other machines will do too. */
function networkOf(
  { network }: PoolPreferences['base'], { machineType }: AcceleratorPreference, anyOf: readonly AcceleratorPreference[],
): Pick<NodePoolSpec, 'network'> {
  const takes = (machine: string | undefined) => machine === undefined || takesManagedNetworks(machine);
  if (network?.acceleratorNetworkProfile === undefined || takes(machineType) || !anyOf.some((other) => takes(other.machineType))) {
    return {};
  }
  const { acceleratorNetworkProfile: _, ...rest } = network;
  return { network: rest };
}

function namesOf(
  base: string,
  pairs: readonly { readonly preference: CapacityPreference; readonly accelerator: AcceleratorPreference }[],
  anyOf: readonly AcceleratorPreference[],
): string[] {
  if (pairs.length === 1) {
    return [base];
  }
  const types = anyOf.map(typeOf);
  const taken = new Map<string, number>();
  return pairs.map(({ preference, accelerator }) => {
    const type = typeOf(accelerator);
    // Two accelerators of one type differ by their machines.
    const device = anyOf.length === 1 ? [] : [types.filter((other) => other === type).length > 1 ? accelerator.machineType ?? type : type];
    const name = [base, SUFFIXES[preference.kind], ...device].join('-');
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    return before === 0 ? name : `${name}-${before + 1}`;
  });
}

/** `h100-80gb` of `nvidia-h100-80gb`, `v6e` of `tpu-v6e-slice`. */
function typeOf({ gpus, tpus }: AcceleratorPreference): string {
  return (gpus?.type ?? tpus?.type ?? 'none').replace(/^nvidia-(tesla-)?/, '').replace(/^tpu-/, '').replace(/-(slice|podslice)$/, '');
}
