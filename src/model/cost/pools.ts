/** What node pools and storage cost, whatever uses them. */
import { guessed, machineFacts, type MissingPrice } from './machines';
import { HOURS_PER_MONTH, PURCHASE_WORDS, plusRates, rateOf, timesRates, type PriceTable, type Purchase, type Rates } from './prices';
import { range, times, type Range } from './ranges';
import { definedAmounts, type Amounts } from './workloads';
import { findGpu } from '../accelerators/catalogue';
import { entryOf } from '../lists';

/** A pool, however it is made. */
export interface Pool {
  readonly kind: string;
  readonly name: string;
  /** Namespace of the object, or name of the stack. */
  readonly namespace?: string;
  readonly machineType?: string;
  readonly devices?: { readonly type: string; readonly count: number };
  readonly purchase: Purchase;
  /** Nodes of all zones; undefined where nothing says how many, so that the price is of one. */
  readonly nodes?: Range;
  readonly bootDisk?: { readonly type: string; readonly GiB: number };
  /** Local SSDs that the pool counts, of 375 GB each. */
  readonly localSsds?: number;
  readonly notes: readonly string[];
}

export interface PoolCost {
  readonly pool: Pool;
  /** One node for one hour, as the pool is paid. */
  readonly perNode?: number;
  readonly perHour: Amounts;
  readonly missing: readonly MissingPrice[];
}

/** Row of local SSDs in the table's storage, and the GiB that each of them has. */
const LOCAL_SSD = { row: 'local-ssd', GiB: 375 } as const;

export function poolCost(pool: Pool, table: PriceTable): PoolCost {
  const { rates, missing } = nodeRates(pool, table);
  const disks = diskRates(pool, table);
  const all = plusRates([rates, timesRates(EVEN, disks.perHour)]);
  const perNode = rateOf(all, pool.purchase);
  const nodes = pool.nodes ?? range(1);
  const amount = (purchase: Purchase) => {
    const rate = rateOf(all, purchase);
    return rate === undefined ? undefined : times(nodes, rate);
  };
  const unpriced = missing.length === 0 && perNode === undefined
    ? [{ row: `machines.${pool.machineType}.${pool.purchase}`, message: `no price ${PURCHASE_WORDS[pool.purchase]}` }]
    : missing;
  const isWhole = disks.missing.length === 0;
  return {
    pool,
    ...(isWhole && perNode !== undefined && { perNode }),
    perHour: isWhole ? definedAmounts(amount(pool.purchase), amount('onDemand'), amount('spot')) : {},
    missing: [...unpriced, ...disks.missing],
  };
}

/** Whatever is paid alike on every kind of machine. */
const EVEN: Rates = { onDemand: 1, spot: 1, flexStart: 1, queued: 1, reserved: 1 };

function nodeRates({ machineType, devices }: Pool, table: PriceTable): { readonly rates: Rates; readonly missing: readonly MissingPrice[] } {
  const row = machineType === undefined ? undefined : entryOf(table.machines, machineType);
  const ofType = devices === undefined ? undefined : entryOf(table.accelerators, devices.type);
  const attached = machineType === undefined ? findGpu(devices?.type ?? '')?.attachableToN1 === true : machineFacts(machineType, table).attachable;
  if (row !== undefined && (devices === undefined || !attached)) {
    return { rates: row, missing: [] };
  }
  if (row !== undefined && ofType !== undefined) {
    return { rates: plusRates([row, timesRates(ofType, devices!.count)]), missing: [] };
  }
  if (row !== undefined) {
    return missing(`accelerators.${devices!.type}`, `no price in addition to machines.${machineType}: N1 GPUs are priced separately`);
  }
  if (ofType !== undefined && !attached) {
    return { rates: timesRates(ofType, devices!.count), missing: [] };
  }
  if (machineType === undefined) {
    return missing('machines', 'has no row for it: the pool names no machine type');
  }
  return missing(`machines.${machineType}`, `no price${guessed(machineType, Object.keys(table.machines))}`);
}

function missing(row: string, message: string): { readonly rates: Rates; readonly missing: readonly MissingPrice[] } {
  return { rates: {}, missing: [{ row, message }] };
}

function diskRates({ bootDisk, localSsds = 0 }: Pool, { storage }: PriceTable) {
  const disks = [
    ...(bootDisk === undefined ? [] : [bootDisk]),
    ...(localSsds === 0 ? [] : [{ type: LOCAL_SSD.row, GiB: LOCAL_SSD.GiB * localSsds }]),
  ];
  const unknown = disks.filter(({ type }) => entryOf(storage, type) === undefined);
  return {
    perHour: disks.reduce((total, { type, GiB }) => total + (entryOf(storage, type) ?? 0) * GiB / HOURS_PER_MONTH, 0),
    missing: unknown.map(({ type }) => ({ row: `storage.${type}`, message: `no price${guessed(type, Object.keys(storage))}` })),
  };
}

/** Storage that is paid by its size. */
export interface Store {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** Storage class or disk type; undefined for the cluster's default. */
  readonly type?: string;
  readonly GiB: Range;
}

export interface StoreCost {
  readonly store: Store;
  readonly perMonth?: Range;
  readonly missing: readonly MissingPrice[];
}

export function storeCost(store: Store, { storage }: PriceTable): StoreCost {
  const name = store.type ?? 'default';
  const price = entryOf(storage, name);
  return price === undefined
    ? { store, missing: [{ row: `storage.${name}`, message: `no price${guessed(name, Object.keys(storage))}` }] }
    : { store, perMonth: times(store.GiB, price), missing: [] };
}
