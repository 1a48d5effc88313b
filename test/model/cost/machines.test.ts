import { TABLE } from './tables';
import { podRates, type PodNeed } from '../../../src/model/cost/machines';

const need = (devices: Partial<NonNullable<PodNeed['devices']>> | undefined, more: Partial<PodNeed> = {}): PodNeed => ({
  vcpu: 0, memoryGiB: 0, purchase: 'onDemand', ...(devices && { devices: { resource: 'nvidia.com/gpu', count: 1, ...devices } }), ...more,
});

test.each<readonly [string, PodNeed, number, string | undefined]>([
  ['all GPUs of a machine', need({ type: 'nvidia-h100-80gb', count: 8 }), 80, 'a3-highgpu-8g'],
  ['a quarter of a machine, where only the whole has a price', need({ type: 'nvidia-h100-80gb', count: 2 }), 20, 'a3-highgpu-8g'],
  ['a machine by its name', need({ type: 'nvidia-h100-80gb', count: 4 }, { machineType: 'a3-highgpu-8g' }), 40, 'a3-highgpu-8g'],
  ['a machine by its name alone', need({ count: 8 }, { machineType: 'a3-highgpu-8g' }), 80, 'a3-highgpu-8g'],
  ['the cheapest machine with as many', need({ type: 'nvidia-l4' }), 1, 'g2-standard-12'],
  ['a larger machine, for want of room', need({ type: 'nvidia-l4' }, { vcpu: 40 }), 1, 'g2-standard-48'],
  ['a quarter of a GPU', need({ type: 'nvidia-l4', count: 0.25 }), 0.25, 'g2-standard-12'],
  ['a GPU on N1, with its machine', need({ type: 'nvidia-tesla-t4' }), 0.75, 'n1-standard-8'],
  ['two GPUs on a machine of N1', need({ type: 'nvidia-tesla-t4', count: 2 }, { machineType: 'n1-highmem-8' }), 1.2, 'n1-highmem-8'],
  ['a GPU whose machine no price', need({ type: 'nvidia-a100-80gb', count: 2 }), 10, undefined],
  ['a GPU whose named machine no price', need({ type: 'nvidia-a100-80gb', count: 2 }, { machineType: 'a2-ultragpu-2g' }), 10, 'a2-ultragpu-2g'],
  ['chips of a host', need({ type: 'tpu-v6e-slice', resource: 'google.com/tpu', count: 4, topology: '4x4' }), 10, 'ct6e-standard-4t'],
  ['a machine of another cloud', need({ type: 'NVIDIA-H100-80GB-HBM3', count: 4 }), 48, 'p5.48xlarge'],
  ['vCPUs and memory', need(undefined, { vcpu: 4, memoryGiB: 16 }), 0.184, undefined],
  ['part of a machine without accelerators', need(undefined, { vcpu: 2, memoryGiB: 16, machineType: 'e2-standard-8' }), 0.15, 'e2-standard-8'],
  ['a machine without accelerators of which nothing is asked', need(undefined, { machineType: 'e2-standard-8' }), 0.3, 'e2-standard-8'],
  ['a pod that asks for nothing', need(undefined), 0, undefined],
])('%s', (_what, pod, onDemand, machineType) => {
  const { rates, machineType: chosen, missing } = podRates(pod, TABLE);
  expect(missing).toBeUndefined();
  expect(rates.onDemand).toBeCloseTo(onDemand, 10);
  expect(chosen).toBe(machineType);
});

test('the cheapest machine is that of the way in which the pod is paid', () => {
  expect(podRates(need({ type: 'nvidia-tesla-t4' }, { purchase: 'spot' }), TABLE)).toEqual({
    rates: { onDemand: 0.85, spot: 0.22999999999999998 }, machineType: 'n1-highmem-8', assumed: true,
  });
});

test('GPUs of any type have the price of their resource, where the table has one', () => {
  const table = { ...TABLE, accelerators: { 'nvidia.com/gpu': { onDemand: 3 } } };
  expect(podRates(need({ count: 2 }), table).rates).toEqual({ onDemand: 6 });
  expect(podRates(need({ type: 'nvidia-b200' }), table).missing).toBeDefined();
});

test('queued machines cost what flex-start machines do, unless the table says otherwise', () => {
  const pod = need({ type: 'nvidia-h100-80gb', count: 8 }, { machineType: 'a3-highgpu-8g' });
  expect(podRates(pod, TABLE).rates.queued).toBe(40);
  const own = { ...TABLE, machines: { 'a3-highgpu-8g': { flexStart: 40, queued: 45 } } };
  expect(podRates(pod, own).rates.queued).toBe(45);
});

test.each<readonly [string, PodNeed, string, string]>([
  ['a machine', need({ type: 'nvidia-b200', count: 8 }, { machineType: 'a4-highgpu-8g' }), 'machines.a4-highgpu-8g', 'no price'],
  ['a machine with a slip', need({ count: 8 }, { machineType: 'a3-highgpu-8q' }), 'machines.a3-highgpu-8q', 'no price. Did you mean \'a3-highgpu-8g\'?'],
  ['a type', need({ type: 'nvidia-b200', count: 8 }), 'accelerators.nvidia-b200', 'no price, nor machines.a4-highgpu-8g, nor a larger machine'],
  ['a type that nobody knows', need({ type: 'nvidia-x9' }), 'accelerators.nvidia-x9', 'no price'],
  ['any type', need({}), 'accelerators[\'nvidia.com/gpu\']', 'no price: the pod selects neither a type of accelerator nor a machine type, so it may get any'],
])('%s without a price is named', (_what, pod, row, message) => {
  expect(podRates(pod, TABLE).missing).toEqual({ row, message });
});

test('pods without accelerators need prices of what they ask for', () => {
  const { cpu: _cpu, ...table } = TABLE;
  expect(podRates(need(undefined, { vcpu: 1, memoryGiB: 1 }), table).missing?.row).toBe('cpu');
  expect(podRates(need(undefined, { memoryGiB: 1 }), table).rates.onDemand).toBe(0.004);
});

test('GPUs of N1 have a price of their own, which is missed', () => {
  expect(podRates(need({ type: 'nvidia-tesla-v100' }, { machineType: 'n1-standard-8' }), TABLE).missing).toEqual({
    row: 'accelerators.nvidia-tesla-v100', message: 'no price in addition to machines.n1-standard-8: N1 GPUs are priced separately',
  });
});
