import { TABLE } from './tables';
import { poolCost, storeCost, type Pool } from '../../../src/model/cost/pools';
import { range } from '../../../src/model/cost/ranges';

const pool = (more: Partial<Pool>): Pool => ({ kind: 'ContainerNodePool', name: 'p', purchase: 'onDemand', nodes: range(1, 4), notes: [], ...more });

test.each<readonly [string, Partial<Pool>, number]>([
  ['a machine with its GPUs', { machineType: 'a3-highgpu-8g', devices: { type: 'nvidia-h100-80gb', count: 8 } }, 80],
  ['spot', { machineType: 'a3-highgpu-8g', purchase: 'spot' }, 24],
  ['queued, at the price of flex-start', { machineType: 'a3-highgpu-8g', purchase: 'queued' }, 40],
  ['N1 with GPUs', { machineType: 'n1-standard-8', devices: { type: 'nvidia-tesla-t4', count: 2 } }, 1.1],
  ['a machine without a price, by its GPUs', { machineType: 'a2-ultragpu-4g', devices: { type: 'nvidia-a100-80gb', count: 4 } }, 20],
  ['no accelerators', { machineType: 'e2-standard-8' }, 0.3],
  ['a boot disk of 730.5 GiB', { machineType: 'e2-standard-8', bootDisk: { type: 'pd-balanced', GiB: 730.5 } }, 0.4],
  ['local SSDs', { machineType: 'n1-standard-8', localSsds: 2 }, 0.4 + 0.08 * 750 / 730.5],
])('%s', (_what, more, perNode) => {
  const cost = poolCost(pool(more), TABLE);
  expect(cost.missing).toEqual([]);
  expect(cost.perNode).toBeCloseTo(perNode, 10);
  expect(cost.perHour.asWritten!.min).toBeCloseTo(perNode, 10);
  expect(cost.perHour.asWritten!.max).toBeCloseTo(perNode * 4, 10);
});

test.each<readonly [string, Partial<Pool>, string, string]>([
  ['a machine', { machineType: 'a4-highgpu-8g' }, 'machines.a4-highgpu-8g', 'no price'],
  ['a machine with a slip', { machineType: 'g2-standard-13' }, 'machines.g2-standard-13', 'no price. Did you mean \'g2-standard-12\'?'],
  ['a way of paying', { machineType: 'g2-standard-12', purchase: 'flexStart' }, 'machines.g2-standard-12.flexStart', 'no price flex-start'],
  ['GPUs of N1', { machineType: 'n1-standard-8', devices: { type: 'nvidia-tesla-v100', count: 1 } }, 'accelerators.nvidia-tesla-v100', 'no price in addition to machines.n1-standard-8: N1 GPUs are priced separately'],
  ['a machine that is not named', {}, 'machines', 'has no row for it: the pool names no machine type'],
  ['a disk', { machineType: 'e2-standard-8', bootDisk: { type: 'pd-ssd', GiB: 100 } }, 'storage.pd-ssd', 'no price'],
])('%s without a price is named, and the pool has none', (_what, more, row, message) => {
  const cost = poolCost(pool(more), TABLE);
  expect(cost.missing).toEqual([{ row, message }]);
  expect(cost.perNode).toBeUndefined();
  expect(cost.perHour.asWritten).toBeUndefined();
});

test('storage costs by the GiB and month', () => {
  const store = { kind: 'PersistentVolumeClaim', name: 'data', GiB: range(1000) };
  expect(storeCost({ ...store, type: 'standard-rwx' }, TABLE)).toMatchObject({ perMonth: range(200), missing: [] });
  expect(storeCost(store, TABLE)).toMatchObject({ missing: [{ row: 'storage.default', message: 'no price' }] });
});
