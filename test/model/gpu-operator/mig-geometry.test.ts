import fc from 'fast-check';
import { GPUS } from '../../../src/model/accelerators/catalogue';
import { MIG_FAMILIES, familiesOfProduct, fits, mostOf, type MigDevices, type MigFamily } from '../../../src/model/gpu-operator/mig-geometry';

const family = (title: string) => MIG_FAMILIES.find((candidate) => candidate.title === title)!;

describe('the numbers that follow from places are those of GKE\'s tables', () => {
  const known = GPUS.flatMap(({ type, migProfiles }) => migProfiles.map(({ profile, perGpu }) => [type, profile, perGpu] as const))
    .filter(([, profile]) => /^\d+g\.\d+gb$/.test(profile));
  test.each(known)('%s: %s x %d', (type, profile, perGpu) => {
    const of = MIG_FAMILIES.find(({ gkeTypes }) => gkeTypes.includes(type))!;
    expect(mostOf(of, profile)).toBe(perGpu);
  });

  test('every GPU of GKE with partitions has a family', () => {
    const types = GPUS.filter(({ migProfiles }) => migProfiles.length > 0).map(({ type }) => type);
    expect(types.filter((type) => !MIG_FAMILIES.some(({ gkeTypes }) => gkeTypes.includes(type)))).toEqual([]);
  });
});

test.each<readonly [string, MigDevices, boolean]>([
  ['H100 80 GB', { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 }, true],
  ['H100 80 GB', { '3g.40gb': 2 }, true],
  ['H100 80 GB', { '4g.40gb': 1, '3g.40gb': 1 }, true],
  ['H100 80 GB', { '4g.40gb': 1, '2g.20gb': 1, '1g.10gb': 1 }, true],
  ['H100 80 GB', { '3g.40gb': 2, '1g.10gb': 1 }, false],
  ['H100 80 GB', { '1g.20gb': 4 }, true],
  ['H100 80 GB', { '1g.20gb': 3, '1g.10gb': 2 }, true],
  ['H100 80 GB', { '1g.20gb': 4, '1g.10gb': 1 }, false],
  ['H100 80 GB', { '2g.20gb': 3, '1g.10gb': 1 }, true],
  ['H100 80 GB', { '2g.20gb': 4 }, false],
  ['H100 80 GB', { '7g.80gb': 1, '1g.10gb': 1 }, false],
  ['A30', { '2g.12gb': 1, '1g.6gb': 2 }, true],
  ['A30', { '2g.12gb': 2, '1g.6gb': 1 }, false],
  ['A30', { '4g.24gb': 1 }, true],
  ['A100 40 GB', { '1g.10gb': 4 }, true],
])('%s: %j fits: %s', (title, devices, expected) => {
  expect(fits(family(title), devices)).toBe(expected);
});

test('what fits still fits when one partition is taken away', () => {
  const devicesOf = ({ profiles }: MigFamily) => fc.dictionary(fc.constantFrom(...profiles), fc.integer({ min: 1, max: 4 }), { minKeys: 1 });
  const sets = fc.constantFrom(...MIG_FAMILIES).chain((of) => fc.tuple(fc.constant(of), devicesOf(of)));
  fc.assert(fc.property(sets, ([of, devices]) => {
    fc.pre(fits(of, devices));
    for (const profile of Object.keys(devices)) {
      expect(fits(of, { ...devices, [profile]: devices[profile] - 1 })).toBe(true);
    }
  }));
});

test.each([
  ['NVIDIA-H100-80GB-HBM3', ['H100 80 GB']], ['NVIDIA-H100-NVL', ['H100 NVL']], ['NVIDIA-A100-SXM4-40GB', ['A100 40 GB']], ['NVIDIA-A100-80GB-PCIe', ['A100 80 GB']],
  ['NVIDIA-GB200', ['GB200', 'GB200 with 189 GB']], ['NVIDIA-L4', []], ['Tesla-T4', []],
])('%s is of the family %j', (product, titles) => {
  expect(familiesOfProduct(product).map(({ title }) => title)).toEqual(titles);
});
