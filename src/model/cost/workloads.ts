/** What jobs and services cost: pods, hours and prices multiplied, with a range where a number of them is not certain. */
import { podRates, type MissingPrice, type PodNeed, type PodRates } from './machines';
import { PURCHASE_WORDS, rateOf, type PriceTable, type Purchase } from './prices';
import { NONE, oneOf, plus, range, sum, times, type Range } from './ranges';

export interface PodGroup {
  readonly name: string;
  readonly pods: Range;
  /** What each takes; several where any of them will do, the most preferred first. */
  readonly choices: readonly PodNeed[];
  /** Seconds after which these pods are ended, where they have a deadline of their own. */
  readonly deadlineSeconds?: number;
  /** Whether they run before or after all others, and not in the time of the workload. @default false */
  readonly isApart?: boolean;
}

/** Copies of a job: an array's, or a search's trials. */
export interface Copies {
  readonly count: number;
  /** Most at a time. */
  readonly parallel: number;
}

/** Something that runs pods. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** `job` ends by itself, `service` does not. */
  readonly nature: 'job' | 'service';
  readonly groups: readonly PodGroup[];
  readonly copies?: Copies;
  /** Seconds after which all of it is ended. */
  readonly deadlineSeconds?: number;
  /** What the numbers rely on. */
  readonly notes: readonly string[];
}

/** Money, as far as it is known. */
export interface Amounts {
  /** As the manifests say that machines are had. */
  readonly asWritten?: Range;
  readonly onDemand?: Range;
  readonly spot?: Range;
}

export interface DeviceCount {
  readonly type: string;
  /** At a time. */
  readonly count: Range;
}

export interface WorkloadCost {
  readonly workload: Workload;
  readonly devices: readonly DeviceCount[];
  readonly purchases: readonly Purchase[];
  /** Hours that each copy runs, where they are known. */
  readonly hours?: number;
  /** GPUs or chips times hours. */
  readonly deviceHours?: Range;
  readonly perHour: Amounts;
  /** For all hours, where they are known. */
  readonly total?: Amounts;
  readonly missing: readonly MissingPrice[];
  readonly notes: readonly string[];
}

/** Reckons a workload. @param hours hours that it runs, where its deadline is not an answer or a later one */
export function workloadCost(workload: Workload, table: PriceTable, hours?: number): WorkloadCost {
  const copies = workload.copies ?? { count: 1, parallel: 1 };
  const groups = workload.groups.map((group) => {
    const choices = group.choices.map((need) => ({ need, priced: podRates(need, table) }));
    return { group, choices, runs: groupHours(workload, group, hours), atATime: times(group.pods, copies.parallel) };
  });
  const known = groups.every(({ runs }) => runs !== undefined);
  const amounts = (podsOf: (index: number) => Range): Amounts => amountsOf(groups.map(({ choices }, index) => ({ choices, pods: podsOf(index) })));
  return {
    workload,
    devices: devicesOf(groups.map(({ choices, atATime }) => ({ need: choices[0].need, pods: atATime }))),
    purchases: [...new Set(groups.filter(({ group: { isApart }, choices }) => !isApart || choices.some(({ need }) => need.vcpu + need.memoryGiB > 0))
      .flatMap(({ choices }) => choices.map(({ need }) => need.purchase)))],
    ...(known && {
      hours: Math.max(0, ...groups.filter(({ group }) => !group.isApart).map(({ runs }) => runs!.each)),
      deviceHours: sum(groups.map(({ group, choices, runs }) => times(times(group.pods, devicesOfEach(choices)), runs!.all))),
      total: amounts((index) => times(groups[index].group.pods, groups[index].runs!.all)),
    }),
    perHour: amounts((index) => (groups[index].group.isApart ? NONE : groups[index].atATime)),
    missing: groups.flatMap(({ choices }) => choices.flatMap(({ need, priced }) => missingOf(need, priced))),
    notes: [...workload.notes, ...groups.flatMap(({ choices }) => choices.flatMap(({ need, priced }) => assumption(need, priced)))],
  };
}

interface GroupHours {
  readonly each: number;
  /** Of all copies together. */
  readonly all: number;
}

function devicesOfEach(choices: PricedGroup['choices']): Range {
  return oneOf(choices.map(({ need }) => range(need.devices?.count ?? 0)));
}

/** Hours of the pods of one copy, and of all copies together. */
function groupHours({ copies, deadlineSeconds }: Workload, group: PodGroup, given: number | undefined): GroupHours | undefined {
  const limits = [group.isApart ? undefined : deadlineSeconds, group.deadlineSeconds];
  const bounds = limits.flatMap((seconds) => (seconds === undefined ? [] : [seconds / 3600]));
  const each = Math.min(...bounds, given ?? Infinity);
  if (each === Infinity) {
    return undefined;
  }
  // The deadline of the whole ends its copies too: no more of them run than fit into it.
  const most = copies === undefined || deadlineSeconds === undefined ? Infinity : copies.parallel * deadlineSeconds / 3600;
  return { each, all: Math.min((copies?.count ?? 1) * each, most) };
}

interface PricedGroup {
  readonly choices: readonly { readonly need: PodNeed; readonly priced: PodRates }[];
  readonly pods: Range;
}

function amountsOf(groups: readonly PricedGroup[]): Amounts {
  const total = (purchaseOf: (need: PodNeed) => Purchase): Range | undefined => groups.reduce<Range | undefined>((amount, { choices, pods }) => {
    const rates = choices.map(({ need, priced }) => rateOf(priced.rates, purchaseOf(need)));
    const known = rates.filter((rate) => rate !== undefined).map((rate) => range(rate));
    return amount === undefined || known.length < rates.length ? undefined : plus(amount, times(pods, oneOf(known)));
  }, NONE);
  return definedAmounts(total(({ purchase }) => purchase), total(() => 'onDemand'), total(() => 'spot'));
}

/** Amounts without those that are not known. */
export function definedAmounts(asWritten: Range | undefined, onDemand: Range | undefined, spot: Range | undefined): Amounts {
  return { ...(asWritten && { asWritten }), ...(onDemand && { onDemand }), ...(spot && { spot }) };
}

/** Amounts of several things: known where each of them is. */
export function plusAmounts(all: readonly Amounts[]): Amounts {
  const total = (of: (amounts: Amounts) => Range | undefined) => all.reduce<Range | undefined>((amount, each) => {
    const more = of(each);
    return amount === undefined || more === undefined ? undefined : plus(amount, more);
  }, NONE);
  return definedAmounts(total(({ asWritten }) => asWritten), total(({ onDemand }) => onDemand), total(({ spot }) => spot));
}

function devicesOf(groups: readonly { readonly need: PodNeed; readonly pods: Range }[]): DeviceCount[] {
  const counts = new Map<string, Range>();
  for (const { need: { devices }, pods } of groups) {
    if (devices !== undefined) {
      const type = devices.type ?? devices.resource;
      counts.set(type, plus(counts.get(type) ?? NONE, times(pods, devices.count)));
    }
  }
  return [...counts].map(([type, count]) => ({ type, count }));
}

/** The row that a pod needs and that is not there, or not for the way in which it is paid. */
function missingOf({ purchase, devices, machineType }: PodNeed, { missing, rates, machineType: chosen }: PodRates): MissingPrice[] {
  if (missing !== undefined) {
    return [missing];
  }
  if (rateOf(rates, purchase) !== undefined) {
    return [];
  }
  const name = chosen ?? machineType;
  const row = name !== undefined ? `machines.${name}` : devices === undefined ? 'cpu and memory' : `accelerators.${devices.type}`;
  return [{ row: `${row}.${purchase}`, message: `no price ${PURCHASE_WORDS[purchase]}` }];
}

function assumption({ devices }: PodNeed, { assumed, machineType }: PodRates): string[] {
  return assumed ? [`${devices!.type}: estimated on ${machineType}, the cheapest priced machine type with room for the pod, which selects none`] : [];
}

