/** The report of `trainyard cost` as text and JSON. */
import type { CostReport } from './report';
import { inColumns } from '../text';
import { objectTitle } from '../../model/objects/manifest-object';
import type { Paint } from '../../local/output/colours';
import type { PoolCost, StoreCost } from '../../model/cost/pools';
import { PURCHASE_WORDS } from '../../model/cost/prices';
import { isCertain, range, type Range } from '../../model/cost/ranges';
import { plusAmounts, type Amounts, type WorkloadCost } from '../../model/cost/workloads';

/** A table for each kind of cost. */
export function reportText(report: CostReport, paint: Paint): string[] {
  const priced = report.prices !== undefined;
  return [
    ...workloadTable('JOBS', report.jobs, priced, jobTotal(report), paint),
    ...workloadTable('SERVICES', report.services, priced, serviceTotal(report), paint),
    ...poolTable(report.pools, priced, report.totals.poolsPerHour, paint),
    ...storeTable(report.stores, priced, report.totals.storagePerMonth, paint),
    ...otherTable(report, paint),
    ...(report.prices === undefined ? [] : [paint(priceWords(report.prices), 'grey')]),
  ];
}

type Row = readonly string[];

function workloadTable(title: string, costs: readonly WorkloadCost[], priced: boolean, total: Row | undefined, paint: Paint): string[] {
  const head = [title, 'DEVICES', 'PAID', 'HOURS', 'GPU-HOURS', 'PRICE', 'ON DEMAND', 'SPOT'];
  const rows = costs.map((cost): Row => [
    objectTitle(cost.workload), devices(cost), paid(cost.purchases), hours(cost), optional(cost.deviceHours, number), ...amounts(cost),
  ]);
  return table(head, costs.length > 1 && total !== undefined ? [...rows, total] : rows, priced ? 8 : 5, paint);
}

/** Undefined if the hours of a job are unknown. */
function jobTotal({ totals: { jobs, jobDeviceHours } }: CostReport): Row | undefined {
  return jobs && ['together', '', '', '', optional(jobDeviceHours, number), ...prices(jobs, '')];
}

/** For all hours if they are known, otherwise for one hour. */
function serviceTotal({ services, prices: table_, totals: { servicesPerHour } }: CostReport): Row | undefined {
  const isForHours = services.every(({ total }) => total !== undefined);
  return table_ && ['together', '', '', '', '', ...(isForHours ? prices(plusAmounts(services.map(({ total }) => total!)), '') : prices(servicesPerHour, '/h'))];
}

function poolTable(pools: readonly PoolCost[], priced: boolean, total: Amounts, paint: Paint): string[] {
  const head = ['POOLS', 'NODES', 'MACHINE', 'DEVICES OF EACH', 'PAID', 'EACH', 'ALL NODES', 'ON DEMAND', 'SPOT'];
  const rows = pools.map(({ pool, perNode, perHour }): Row => [
    objectTitle(pool), optional(pool.nodes, number), pool.machineType ?? '-', pool.devices === undefined ? '-' : `${pool.devices.count} ${pool.devices.type}`,
    PURCHASE_WORDS[pool.purchase], optional(perNode === undefined ? undefined : range(perNode), hourly), ...prices(pool.nodes === undefined ? {} : perHour, '/h'),
  ]);
  const counted = pools.filter(({ pool }) => pool.nodes !== undefined).length;
  return table(head, priced && counted > 1 ? [...rows, ['together', '', '', '', '', '', ...prices(total, '/h')]] : rows, priced ? 9 : 5, paint);
}

function storeTable(stores: readonly StoreCost[], priced: boolean, total: Range | undefined, paint: Paint): string[] {
  const rows = stores.map(({ store, perMonth }): Row => [objectTitle(store), store.type ?? 'default', number(store.GiB), optional(perMonth, money)]);
  return table(['STORAGE', 'CLASS', 'GIB', 'A MONTH'], priced && stores.length > 1 ? [...rows, ['together', '', '', optional(total, money)]] : rows, priced ? 4 : 3, paint);
}

function otherTable({ others }: CostReport, paint: Paint): string[] {
  return table(['OTHERS', 'NUMBER', 'PRICE'], others.map(({ kind, count, perHour }) => [kind, String(count), hourly(range(perHour))]), 3, paint);
}

/** The source of the prices. */
export function priceWords({ currency, region, date, source }: NonNullable<CostReport['prices']>): string {
  return `Prices in ${currency}, of ${region}, of ${date}${source === undefined ? '' : ` (${source})`}.`;
}

function table(head: Row, rows: readonly Row[], columns: number, paint: Paint): string[] {
  if (rows.length === 0) {
    return [];
  }
  const all = [head, ...rows].map((row) => row.slice(0, columns));
  const lines = inColumns(all).map((row) => row.join('  ').trimEnd());
  return [paint(lines[0], 'cyan'), ...lines.slice(1), ''];
}

/** Devices at a time, as `8 nvidia-h100-80gb`. */
export function devices({ devices: all }: Pick<WorkloadCost, 'devices'>): string {
  return all.length === 0 ? '-' : all.map(({ type, count }) => `${number(count)} ${type}`).join(', ');
}

function paid(purchases: WorkloadCost['purchases']): string {
  return purchases.map((purchase) => PURCHASE_WORDS[purchase]).join(' or ');
}

function hours({ hours: each, workload: { copies } }: WorkloadCost): string {
  return each === undefined ? '-' : `${copies === undefined ? '' : `${copies.count} x `}${number(range(each))}`;
}

/** Prices for all hours if they are known, otherwise for one hour. */
function amounts({ total, perHour }: WorkloadCost): string[] {
  return total === undefined ? prices(perHour, '/h') : prices(total, '');
}

function prices({ asWritten, onDemand, spot }: Amounts, suffix: string): string[] {
  return [asWritten, onDemand, spot].map((amount) => (amount === undefined ? '-' : `${money(amount)}${suffix}`));
}

function optional<Value>(value: Value | undefined, write: (value: Value) => string): string {
  return value === undefined ? '-' : write(value);
}

/** `1,152.00` or `288.00-1,152.00`; small prices have more decimals. */
export function money(amount: Range): string {
  return isCertain(amount) ? moneyText(amount.min) : `${moneyText(amount.min)}-${moneyText(amount.max)}`;
}

function moneyText(value: number): string {
  return value > 0 && value < 0.1 ? value.toFixed(4) : grouped(value.toFixed(2));
}

function hourly(amount: Range): string {
  return `${money(amount)}/h`;
}

/** At most two decimals, without zeros at the end. */
export function number({ min, max }: Range): string {
  const text = (value: number) => grouped(String(Math.round(value * 100) / 100));
  return min === max ? text(min) : `${text(min)}-${text(max)}`;
}

function grouped(digits: string): string {
  return Number(digits).toLocaleString('en-US', { minimumFractionDigits: digits.split('.')[1]?.length ?? 0 });
}

/** Lines about assumptions, and about objects without a price. */
export function reportNotes(report: CostReport): string[] {
  return [
    ...sharedNotes([
      ...[...report.jobs, ...report.services].map(({ workload, notes }) => ({ title: objectTitle(workload), notes })),
      ...report.pools.map(({ pool }) => ({ title: objectTitle(pool), notes: pool.notes })),
    ]),
    ...(report.jobs.some(({ hours: known }) => known === undefined) ? ['a job without a deadline has a price for one hour only. Set how long jobs run with --hours N.'] : []),
    ...(report.unpriced.length === 0 ? [] : [`not in the price, because there is no row below objects or no price by the hour: ${listed(report.unpriced)}.`]),
  ];
}

/** One line for each note, with its objects. */
export function sharedNotes(all: readonly { readonly title: string; readonly notes: readonly string[] }[]): string[] {
  const notes = [...new Set(all.flatMap((each) => each.notes))];
  return notes.map((note) => `${listed(all.filter((each) => each.notes.includes(note)).map(({ title }) => title))}: ${note}.`);
}

/** Lines about the rows that are missing. */
export function missingLines({ missing }: Pick<CostReport, 'missing'>): string[] {
  return missing.map(({ row, message, wantedBy }) => `${row}: ${message}${message.endsWith('?') ? '' : '.'} (${listed(wantedBy)})`);
}

function listed(words: readonly string[]): string {
  return words.length <= 5 ? words.join(', ') : `${words.slice(0, 4).join(', ')} and ${words.length - 4} more`;
}

/** The report for programs, without the pods. */
export function reportJson({ prices: table_, jobs, services, pools, stores, others, totals, missing, unpriced }: CostReport): object {
  const workload = ({ workload: { kind, name, namespace, copies }, ...cost }: WorkloadCost) => ({ kind, namespace, name, copies, ...cost });
  return {
    complete: table_ !== undefined && missing.length === 0,
    prices: table_ === undefined ? null : { date: table_.date, currency: table_.currency, region: table_.region, source: table_.source },
    jobs: jobs.map(workload),
    services: services.map(workload),
    pools: pools.map(({ pool, ...cost }) => ({ ...pool, ...cost })),
    storage: stores.map(({ store, ...cost }) => ({ ...store, ...cost })),
    others,
    totals,
    missing,
    unpriced,
  };
}
