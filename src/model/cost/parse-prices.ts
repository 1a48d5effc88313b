/** Reads a price table and reports everything that is wrong with it, by the path of the field. */
import { PURCHASES, type MachineRates, type PriceTable, type Rates } from './prices';
import { ViolationCollector, didYouMean, type Violation } from '../violations';
import { isRecord, type JsonRecord } from '../json-parts';

export interface ParsedPrices {
  /** The table, where nothing is wrong with it. */
  readonly table?: PriceTable;
  readonly violations: readonly Violation[];
}

const TEXTS = ['date', 'currency', 'region', 'source'] as const;
const MAPS = ['machines', 'accelerators', 'storage', 'objects'] as const;
const FIELDS: readonly string[] = [...TEXTS, ...MAPS, 'cpu', 'memory'];

const SIZES = ['count', 'vcpu', 'memoryGiB'] as const;
const MACHINE_FIELDS: readonly string[] = [...PURCHASES, 'accelerator', ...SIZES];

/** Reads a table of YAML or JSON that is parsed already. */
export function parsePrices(value: unknown): ParsedPrices {
  const found = new ViolationCollector();
  if (!isRecord(value)) {
    found.add('prices', value, 'must be a table with date, currency, region and machines. See docs/teams/cost.md for an example.');
    return { violations: found.violations };
  }
  checkNames(value, FIELDS, '', 'the price table', found);
  checkHead(value, found);
  const maps = Object.fromEntries(MAPS.map((name) => [name, mapOf(value[name], name, found)]));
  if (MAPS.every((name) => Object.keys(maps[name]).length === 0) && value.cpu === undefined && value.memory === undefined) {
    found.add('machines', undefined, 'is missing, and so are accelerators, cpu, memory, storage and objects: the table has no price.');
  }
  for (const [type, rates] of Object.entries(maps.machines)) {
    checkMachine(rates, entry('machines', type), found);
  }
  for (const [type, rates] of Object.entries(maps.accelerators)) {
    checkRates(rates, entry('accelerators', type), PURCHASES, found);
  }
  for (const name of ['cpu', 'memory'].filter((field) => value[field] !== undefined)) {
    checkRates(value[name], name, PURCHASES, found);
  }
  for (const name of ['storage', 'objects'] as const) {
    Object.entries(maps[name]).forEach(([type, price]) => checkPrice(price, entry(name, type), found));
  }
  return found.violations.length > 0 ? { violations: found.violations } : { violations: [], table: { ...value, ...maps } as unknown as PriceTable };
}

function checkHead(value: JsonRecord, found: ViolationCollector): void {
  const { date, currency, region, source } = value;
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date))) {
    found.add('date', date, 'must be the date of the prices, such as "2026-11-20".');
  }
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    found.add('currency', currency, `must be a currency code, such as "USD".${typeof currency === 'string' && /^[a-z]{3}$/i.test(currency) ? ` Did you mean '${currency.toUpperCase()}'?` : ''}`);
  }
  if (typeof region !== 'string' || region === '') {
    found.add('region', region, 'must be the region of the prices, such as "us-central1": they differ between regions.');
  }
  if (source !== undefined && typeof source !== 'string') {
    found.add('source', source, 'must be a string that says where the prices were read.');
  }
}

function checkMachine(value: unknown, path: string, found: ViolationCollector): void {
  checkRates(value, path, MACHINE_FIELDS, found);
  if (!isRecord(value)) {
    return;
  }
  const { accelerator, count } = value as JsonRecord & MachineRates;
  if (accelerator !== undefined && (typeof accelerator !== 'string' || accelerator === '')) {
    found.add(`${path}.accelerator`, accelerator, 'must be the type that pods select, such as "nvidia-l4".');
  }
  for (const size of SIZES.filter((name) => value[name] !== undefined)) {
    const number = value[size];
    if (typeof number !== 'number' || !(number > 0) || (size === 'count' && !Number.isInteger(number))) {
      found.add(`${path}.${size}`, number, size === 'count' ? 'must be a whole number above 0.' : 'must be a number above 0.');
    }
  }
  if ((accelerator === undefined) !== (count === undefined)) {
    const missing = accelerator === undefined ? 'accelerator' : 'count';
    found.add(`${path}.${missing}`, undefined, `is required with ${missing === 'count' ? 'accelerator' : 'count'}: together they describe the machine's accelerators.`);
  }
}

function checkRates(value: unknown, path: string, names: readonly string[], found: ViolationCollector): void {
  if (!isRecord(value)) {
    found.add(path, value, `must name the purchase option, such as { onDemand: ${typeof value === 'number' ? value : 1.5} }.`);
    return;
  }
  checkNames(value, names, path, 'prices', found);
  const rates = PURCHASES.filter((purchase) => value[purchase] !== undefined);
  if (rates.length === 0) {
    found.add(path, value, `has no price. Give one of ${PURCHASES.join(', ')}.`);
  }
  rates.forEach((purchase) => checkPrice((value as Rates)[purchase], `${path}.${purchase}`, found));
}

function checkPrice(value: unknown, path: string, found: ViolationCollector): void {
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value.replace(/^\D+/, '')))) {
    found.add(path, value, `must be a number, without quotes or currency: ${Number(value.replace(/^\D+/, ''))}.`);
  } else if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    found.add(path, value, 'must be a number of 0 or more.');
  }
}

function checkNames(value: JsonRecord, names: readonly string[], path: string, what: string, found: ViolationCollector): void {
  for (const name of Object.keys(value).filter((field) => !names.includes(field))) {
    found.add(path === '' ? name : `${path}.${name}`, value[name], `is not a field of ${what}.${didYouMean(name, names) || ` There are ${names.join(', ')}.`}`);
  }
}

function mapOf(value: unknown, path: string, found: ViolationCollector): JsonRecord {
  if (value === undefined) {
    return {};
  }
  if (!isRecord(value)) {
    found.add(path, value, 'must be a map from names to prices.');
    return {};
  }
  return value;
}

/** Names of machines may have dots in them. */
function entry(map: string, name: string): string {
  return /^[\w-]+$/.test(name) ? `${map}.${name}` : `${map}['${name}']`;
}
