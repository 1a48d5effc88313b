import fc from 'fast-check';
import { TABLE } from './tables';
import type { PodNeed } from '../../../src/model/cost/machines';
import { PURCHASES, type PriceTable } from '../../../src/model/cost/prices';
import { range } from '../../../src/model/cost/ranges';
import { plusAmounts, workloadCost, type PodGroup, type Workload } from '../../../src/model/cost/workloads';

const H100: PodNeed = { devices: { type: 'nvidia-h100-80gb', resource: 'nvidia.com/gpu', count: 8 }, machineType: 'a3-highgpu-8g', vcpu: 0, memoryGiB: 0, purchase: 'spot' };
const workers = (pods = range(4), need: Partial<PodNeed> = {}): PodGroup => ({ name: 'worker', pods, choices: [{ ...H100, ...need }] });
const job = (more: Partial<Workload> = {}): Workload => ({ kind: 'Job', name: 'j', nature: 'job', groups: [workers()], notes: [], ...more });

describe('hours', () => {
  test.each<readonly [string, Workload, number | undefined, number | undefined, number | undefined]>([
    ['of the deadline', job({ deadlineSeconds: 7200 }), undefined, 2, 64],
    ['of --hours', job(), 3, 3, 96],
    ['of the deadline, where --hours is more', job({ deadlineSeconds: 7200 }), 3, 2, 64],
    ['of --hours, where the deadline is later', job({ deadlineSeconds: 36000 }), 3, 3, 96],
    ['unknown', job(), undefined, undefined, undefined],
    ['of pods with a deadline of their own', job({ groups: [{ ...workers(), deadlineSeconds: 3600 }] }), 5, 1, 32],
    ['of all trials', job({ copies: { count: 20, parallel: 4 } }), 2, 2, 1280],
    ['of all trials that fit into the deadline', job({ copies: { count: 20, parallel: 4 }, deadlineSeconds: 7200 }), undefined, 2, 256],
    ['of few trials, which end before the deadline', job({ copies: { count: 5, parallel: 4 }, deadlineSeconds: 36000 }), 1, 1, 160],
  ])('%s', (_what, workload, given, hours, deviceHours) => {
    const cost = workloadCost(workload, TABLE, given);
    expect(cost.hours).toBe(hours);
    expect(cost.deviceHours).toEqual(deviceHours === undefined ? undefined : range(deviceHours));
    expect(cost.total?.asWritten).toEqual(deviceHours === undefined ? undefined : range(deviceHours * 3));
    expect(cost.total?.onDemand).toEqual(deviceHours === undefined ? undefined : range(deviceHours * 10));
  });
});

test('an hour of trials is an hour of those that run at a time', () => {
  const { perHour } = workloadCost(job({ copies: { count: 20, parallel: 4 } }), TABLE);
  expect(perHour).toEqual({ asWritten: range(384), onDemand: range(1280), spot: range(384) });
});

test('an elastic job costs between its least and its most replicas', () => {
  const cost = workloadCost(job({ groups: [workers(range(2, 8))] }), TABLE, 10);
  expect(cost).toMatchObject({ devices: [{ type: 'nvidia-h100-80gb', count: range(16, 64) }], deviceHours: range(160, 640), total: { asWritten: range(480, 1920), onDemand: range(1600, 6400) } });
});

test('machines of several kinds make a range, from the cheapest to the dearest', () => {
  const cost = workloadCost(job({ groups: [{ name: 'worker', pods: range(1), choices: [H100, { ...H100, purchase: 'onDemand' }, { ...H100, purchase: 'reserved' }] }] }), TABLE, 1);
  expect(cost).toMatchObject({ purchases: ['spot', 'onDemand', 'reserved'], total: { asWritten: range(24, 80), onDemand: range(80), spot: range(24) } });
});

test('a price that is missing leaves out what relies on it, and nothing else', () => {
  const cost = workloadCost(job({ groups: [workers(range(1), { purchase: 'flexStart' }), { ...workers(range(1)), choices: [{ ...H100, devices: { ...H100.devices!, type: 'nvidia-b200' }, machineType: 'a4-highgpu-8g' }] }] }), TABLE, 1);
  expect(cost.total).toEqual({});
  expect(cost.missing.map(({ row }) => row)).toEqual(['machines.a4-highgpu-8g']);
  const noSpot: PriceTable = { ...TABLE, machines: { 'a3-highgpu-8g': { onDemand: 80 } } };
  const priced = workloadCost(job(), noSpot, 1);
  expect(priced.total).toEqual({ onDemand: range(320) });
  expect(priced.missing).toEqual([{ row: 'machines.a3-highgpu-8g.spot', message: 'no price spot' }]);
});

describe('for any table, job and hours', () => {
  const price = fc.double({ min: 0.001, max: 200, noNaN: true });
  const discounts = fc.double({ min: 0, max: 1, noNaN: true });
  const tables = fc.record({ onDemand: price, discount: discounts, cpu: price }).map(({ onDemand, discount, cpu }): PriceTable => ({
    ...TABLE, machines: { 'a3-highgpu-8g': { onDemand, spot: onDemand * discount, flexStart: onDemand, reserved: onDemand } }, cpu: { onDemand: cpu, spot: cpu * discount },
  }));
  const pods = fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 })).map(([least, more]) => range(least, least + more));
  const jobs = fc.record({ pods, launcher: fc.nat(8), purchase: fc.constantFrom(...PURCHASES), count: fc.integer({ min: 1, max: 9 }) })
    .map(({ pods: replicas, launcher, purchase, count }) => job({
      groups: [workers(replicas, { purchase }), { name: 'launcher', pods: range(1), choices: [{ vcpu: launcher, memoryGiB: 0, purchase: 'onDemand' }] }],
      copies: { count, parallel: 1 },
    }));
  const hours = fc.integer({ min: 1, max: 500 });

  test('the price grows with the hours in proportion', () => {
    fc.assert(fc.property(tables, jobs, hours, fc.integer({ min: 2, max: 20 }), (table, workload, time, factor) => {
      const [once, often] = [time, time * factor].map((each) => workloadCost(workload, table, each).total!);
      for (const kind of ['asWritten', 'onDemand', 'spot'] as const) {
        expect(often[kind]!.min).toBeCloseTo(once[kind]!.min * factor, 4);
        expect(often[kind]!.max).toBeCloseTo(once[kind]!.max * factor, 4);
      }
    }));
  });

  test('the price of two groups is the sum of their prices', () => {
    fc.assert(fc.property(tables, jobs, hours, (table, workload, time) => {
      const parts = workload.groups.map((each) => workloadCost({ ...workload, groups: [each] }, table, time).total!);
      const whole = workloadCost(workload, table, time).total!;
      expect(whole.onDemand!.max).toBeCloseTo(plusAmounts(parts).onDemand!.max, 6);
    }));
  });

  test('spot costs no more than on demand where each row says so, and the least no more than the most', () => {
    fc.assert(fc.property(tables, jobs, hours, (table, workload, time) => {
      const { total, perHour } = workloadCost(workload, table, time);
      for (const amounts of [total!, perHour]) {
        expect(amounts.spot!.max).toBeLessThanOrEqual(amounts.onDemand!.max + 1e-9);
        Object.values(amounts).forEach(({ min, max }) => expect(min).toBeLessThanOrEqual(max));
      }
    }));
  });

  test('a deadline never makes a job dearer', () => {
    fc.assert(fc.property(tables, jobs, hours, fc.integer({ min: 60, max: 1_000_000 }), (table, workload, time, deadlineSeconds) => {
      const free = workloadCost(workload, table, time).total!;
      const bound = workloadCost({ ...workload, deadlineSeconds }, table, time).total!;
      expect(bound.onDemand!.max).toBeLessThanOrEqual(free.onDemand!.max + 1e-9);
    }));
  });
});
