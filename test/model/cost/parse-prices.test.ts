import { TABLE } from './tables';
import { parsePrices } from '../../../src/model/cost/parse-prices';
import { formatViolation } from '../../../src/model/violations';

const HEAD = { date: '2026-11-20', currency: 'USD', region: 'us-central1' };
const CPU = { cpu: { onDemand: 1 } };

test('a table is read as it is written, and what it leaves out is empty', () => {
  expect(parsePrices(TABLE)).toEqual({ table: TABLE, violations: [] });
  expect(parsePrices({ ...HEAD, ...CPU }).table).toEqual({ ...HEAD, ...CPU, machines: {}, accelerators: {}, storage: {}, objects: {} });
});

test.each<readonly [string, unknown, readonly string[]]>([
  ['a list', [], ['prices: []: must be a table with date, currency, region and machines. See docs/teams/cost.md for an example.']],
  ['nothing', undefined, ['prices: must be a table with date, currency, region and machines. See docs/teams/cost.md for an example.']],
  ['a table without a price', HEAD, ['machines: is missing, and so are accelerators, cpu, memory, storage and objects: the table has no price.']],
  ['no head', CPU, [
    'date: must be the date of the prices, such as "2026-11-20".',
    'currency: must be a currency code, such as "USD".',
    'region: must be the region of the prices, such as "us-central1": they differ between regions.',
  ]],
  ['a day that is none', { ...HEAD, ...CPU, date: '2026-13-40' }, ['date: "2026-13-40": must be the date of the prices, such as "2026-11-20".']],
  ['a currency in small letters', { ...HEAD, ...CPU, currency: 'eur' }, ['currency: "eur": must be a currency code, such as "USD". Did you mean \'EUR\'?']],
  ['a source that is no text', { ...HEAD, ...CPU, source: 1 }, ['source: 1: must be a string that says where the prices were read.']],
  ['a slip in a section', { ...HEAD, ...CPU, machine: {} }, ['machine: {}: is not a field of the price table. Did you mean \'machines\'?']],
  ['a slip in a way of paying', { ...HEAD, machines: { 'a3-highgpu-8g': { ondemand: 3 } } }, [
    'machines.a3-highgpu-8g.ondemand: 3: is not a field of prices. Did you mean \'onDemand\'?',
    'machines.a3-highgpu-8g: {"ondemand":3}: has no price. Give one of onDemand, spot, flexStart, queued, reserved.',
  ]],
  ['a number instead of prices', { ...HEAD, accelerators: { 'nvidia-l4': 0.7 } }, ['accelerators.nvidia-l4: 0.7: must name the purchase option, such as { onDemand: 0.7 }.']],
  ['a price in quotes', { ...HEAD, cpu: { onDemand: '$0.35' } }, ['cpu.onDemand: "$0.35": must be a number, without quotes or currency: 0.35.']],
  ['a negative price', { ...HEAD, memory: { spot: -1 } }, ['memory.spot: -1: must be a number of 0 or more.']],
  ['a price that is not a number', { ...HEAD, storage: { 'pd-ssd': null } }, ['storage.pd-ssd: null: must be a number of 0 or more.']],
  ['a map that is a list', { ...HEAD, ...CPU, objects: [] }, ['objects: []: must be a map from names to prices.']],
  ['a machine with a count alone', { ...HEAD, machines: { 'p5.48xlarge': { onDemand: 1, count: 8 } } }, [
    'machines[\'p5.48xlarge\'].accelerator: is required with count: together they describe the machine\'s accelerators.',
  ]],
  ['half a device', { ...HEAD, machines: { x: { onDemand: 1, accelerator: 'a', count: 0.5 } } }, ['machines.x.count: 0.5: must be a whole number above 0.']],
  ['no vCPU', { ...HEAD, machines: { x: { onDemand: 1, vcpu: 0 } } }, ['machines.x.vcpu: 0: must be a number above 0.']],
])('%s is refused', (_what, value, expected) => {
  const { table, violations } = parsePrices(value);
  expect(table).toBeUndefined();
  expect(violations.map(formatViolation)).toEqual(expected);
});
