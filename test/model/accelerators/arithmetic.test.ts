import fc from 'fast-check';
import { allocatableGpus, partitionsPerGpu, GPUS, findGpu } from '../../../src/model/accelerators/catalogue';

const division = fc.record({
  gpus: fc.integer({ min: 1, max: 16 }), partitionsPerGpu: fc.integer({ min: 1, max: 7 }), clientsPerDevice: fc.integer({ min: 1, max: 48 }),
});

test('a node has GPUs x partitions x clients to give, as in the example of the autoscaler', () => {
  expect(allocatableGpus({ gpus: 4, partitionsPerGpu: 3, clientsPerDevice: 5 })).toBe(60);
  expect(allocatableGpus({ gpus: 8 })).toBe(8);
});

test('dividing GPUs further never gives less', () => {
  fc.assert(fc.property(division, (divided) => allocatableGpus(divided) >= allocatableGpus({ gpus: divided.gpus })));
});

test('what is to give grows in proportion to each of its three factors', () => {
  fc.assert(fc.property(division, fc.integer({ min: 2, max: 5 }), (divided, times) => {
    const once = allocatableGpus(divided);
    expect(allocatableGpus({ ...divided, gpus: divided.gpus * times })).toBe(once * times);
    expect(allocatableGpus({ ...divided, partitionsPerGpu: divided.partitionsPerGpu * times })).toBe(once * times);
    expect(allocatableGpus({ ...divided, clientsPerDevice: divided.clientsPerDevice * times })).toBe(once * times);
  }));
});

test('partitions of a size are no more than the GPU has memory for', () => {
  for (const gpu of GPUS) {
    for (const { profile } of gpu.migProfiles) {
      const [, gib] = /^[0-9]+g\.([0-9]+)gb/.exec(profile)!;
      // Names of sizes are rounded up: four of 47gb are a GB200 of 186.
      expect(partitionsPerGpu(gpu, profile)! * (Number(gib) - 1)).toBeLessThan(gpu.memoryGiB!);
    }
  }
});

test('a size that a GPU does not have gives no partitions', () => {
  expect(partitionsPerGpu(findGpu('nvidia-tesla-a100')!, '1g.10gb')).toBeUndefined();
});
