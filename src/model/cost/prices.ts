/**
 * A price table, as its author wrote it: prices of one region, in one currency, of one day. None is bundled: prices change, differ between regions
 * and contracts, and no source that we may cite has them all, so that our own table would be wrong for most users without a warning.
 */

/** How machines are paid. `reserved` is what an hour costs under the reservation's or commitment's contract. */
export const PURCHASES = ['onDemand', 'spot', 'flexStart', 'queued', 'reserved'] as const;

/** One of {@link PURCHASES}. */
export type Purchase = (typeof PURCHASES)[number];

/** Words of it for people. */
export const PURCHASE_WORDS: { readonly [purchase in Purchase]: string } = {
  onDemand: 'on demand', spot: 'spot', flexStart: 'flex-start', queued: 'queued', reserved: 'reserved',
};

/** Prices of one thing for one hour, by how it is paid. What is not known is left out. */
export type Rates = { readonly [purchase in Purchase]?: number };

/** A machine type. What it has is needed only of machines that `model/accelerators` does not know. */
export interface MachineRates extends Rates {
  /** Type of its accelerators: the value that pods select. */
  readonly accelerator?: string;
  /** How many accelerators it has. */
  readonly count?: number;
  readonly vcpu?: number;
  readonly memoryGiB?: number;
}

export interface PriceTable {
  /** Day that the prices are of, such as `2026-11-20`. */
  readonly date: string;
  /** ISO 4217, such as `USD`. */
  readonly currency: string;
  readonly region: string;
  /** Where they were read. */
  readonly source?: string;
  /** One machine for one hour, with the accelerators that it comes with. */
  readonly machines: { readonly [machineType: string]: MachineRates };
  /** One GPU or chip for one hour: attached to N1, or with its part of a machine that has no price. */
  readonly accelerators: { readonly [type: string]: Rates };
  /** One vCPU for one hour, of pods without accelerators. */
  readonly cpu?: Rates;
  /** One GiB of memory for one hour, of pods without accelerators. */
  readonly memory?: Rates;
  /** One GiB for one month, by disk type or storage class. */
  readonly storage: { readonly [type: string]: number };
  /** One hour of any other object that is paid by time, by its kind or its type in Pulumi. */
  readonly objects: { readonly [kind: string]: number };
}

/** Hours of a month, for storage: 365.25 days of 24 hours, divided by 12. */
export const HOURS_PER_MONTH = 730.5;

/** A table without prices, for counting hours alone. */
export const NO_PRICES: PriceTable = { date: '', currency: '', region: '', machines: {}, accelerators: {}, storage: {}, objects: {} };

/**
 * The price for a way of paying. Queued machines cost what flex-start machines do unless the table says otherwise: both are handed out by the
 * Dynamic Workload Scheduler.
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/concepts/provisioning-model
 */
export function rateOf(rates: Rates, purchase: Purchase): number | undefined {
  return rates[purchase] ?? (purchase === 'queued' ? rates.flexStart : undefined);
}

/** Rates of so many of a thing. */
export function timesRates(rates: Rates, factor: number): Rates {
  return mapRates((purchase) => {
    const rate = rateOf(rates, purchase);
    return rate === undefined ? undefined : rate * factor;
  });
}

/** Rates of several things together: known where all of them are. */
export function plusRates(all: readonly Rates[]): Rates {
  return mapRates((purchase) => all.reduce<number | undefined>((total, rates) => {
    const rate = rateOf(rates, purchase);
    return total === undefined || rate === undefined ? undefined : total + rate;
  }, 0));
}

function mapRates(rateFor: (purchase: Purchase) => number | undefined): Rates {
  return Object.fromEntries(PURCHASES.map((purchase) => [purchase, rateFor(purchase)]).filter(([, rate]) => rate !== undefined)) as Rates;
}
