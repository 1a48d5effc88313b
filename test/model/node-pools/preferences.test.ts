/** Lists of capacity and accelerators, and the choices that they stand for. */
import { errorsOf } from '../../../src/model/findings';
import { checkPreferences, describeChoice, expandPreferences, type PoolPreferences } from '../../../src/model/node-pools/preferences';

const H100 = { machineType: 'a3-highgpu-8g', gpus: { type: 'nvidia-h100-80gb', count: 8 } };
const A100 = { machineType: 'a2-ultragpu-8g', gpus: { type: 'nvidia-a100-80gb', count: 8 } };
const base = { name: 'train' };
const errors = (preferences: PoolPreferences) => errorsOf(checkPreferences(preferences));

test('one accelerator on demand is one choice, under the name of the pool', () => {
  expect(expandPreferences({ base, anyOf: [H100] })).toEqual({ choices: [{ pool: { ...H100, name: 'train', capacity: {} }, kind: 'onDemand' }], leftOut: [] });
});

test('the ways to have machines come first, and within each the accelerators', () => {
  const { choices } = expandPreferences({
    base: { ...base, zones: ['z'] },
    anyOf: [H100, A100],
    capacity: [{ kind: 'reservation', reservation: { name: 'r' }, machineType: 'a3-highgpu-8g' }, { kind: 'spot' }, { kind: 'flexStart', maxRunSeconds: 3600 }, { kind: 'onDemand' }],
  });
  expect(choices.map(({ pool }) => pool.name)).toEqual([
    'train-reserved-h100-80gb', 'train-spot-h100-80gb', 'train-spot-a100-80gb', 'train-flex-h100-80gb', 'train-flex-a100-80gb', 'train-on-demand-h100-80gb', 'train-on-demand-a100-80gb',
  ]);
  expect(choices.map(({ pool }) => pool.capacity)).toEqual([
    { reservation: { name: 'r' } }, { spot: true }, { spot: true }, { flexStart: true, maxRunSeconds: 3600 }, { flexStart: true, maxRunSeconds: 3600 }, {}, {},
  ]);
  expect(choices.map(({ pool }) => pool.autoRepair)).toEqual([undefined, undefined, undefined, false, false, undefined, undefined]);
});

test('two machines of one accelerator, and two reservations, have names of their own', () => {
  const { choices } = expandPreferences({
    base,
    anyOf: [{ ...A100, machineType: 'a2-ultragpu-4g', gpus: { ...A100.gpus, count: 4 } }, A100],
    capacity: [
      { kind: 'reservation', reservation: { name: 'a' }, machineType: 'a2-ultragpu-8g' }, { kind: 'reservation', reservation: { name: 'b' }, machineType: 'a2-ultragpu-8g' }, { kind: 'queued' },
    ],
  });
  expect(choices.map(({ pool }) => pool.name)).toEqual([
    'train-reserved-a2-ultragpu-8g', 'train-reserved-a2-ultragpu-8g-2', 'train-queued-a2-ultragpu-4g', 'train-queued-a2-ultragpu-8g',
  ]);
});

test('any reservation is one that fails where there is none', () => {
  expect(expandPreferences({ base, anyOf: [H100], capacity: [{ kind: 'reservation' }] }).choices[0].pool.capacity).toEqual({ reservationAffinity: 'any-then-fail' });
});

test('networks that GKE creates are for the machines that have interfaces for them', () => {
  const network = { gvnic: true, acceleratorNetworkProfile: 'auto' };
  const preferences = { base: { ...base, network }, anyOf: [H100, A100] };
  expect(expandPreferences(preferences).choices.map(({ pool }) => pool.network)).toEqual([network, { gvnic: true }]);
  expect(checkPreferences(preferences)).toEqual([]);
  expect(errors({ ...preferences, anyOf: [A100] })).toMatchObject([{ rule: 'dranet', path: 'pool.network.acceleratorNetworkProfile' }]);
});

describe('prices', () => {
  const prices = [{ machineType: 'a3-highgpu-8g', kind: 'spot', perHour: 30 }, { machineType: 'a3-highgpu-8g', kind: 'onDemand', perHour: 88 }] as const;
  const capacity = [{ kind: 'reservation', reservation: { name: 'r' } }, { kind: 'spot' }, { kind: 'onDemand' }] as const;

  test('are those of machine and kind, and what costs more than the most is left out', () => {
    const { choices, leftOut } = expandPreferences({ base, anyOf: [H100], capacity, prices, maxPricePerHour: 50 });
    expect(choices.map(describeChoice)).toEqual(['reserved (r) a3-highgpu-8g', 'spot a3-highgpu-8g, 30 an hour']);
    expect(leftOut.map(describeChoice)).toEqual(['on demand a3-highgpu-8g, 88 an hour']);
    expect(errors({ base, anyOf: [H100], capacity, prices, maxPricePerHour: 50 })).toEqual([]);
  });

  test('that are not known cannot be compared', () => {
    expect(errors({ base, anyOf: [H100], capacity, prices: prices.slice(0, 1), maxPricePerHour: 50 })).toMatchObject([
      { path: 'pool.prices', rule: 'known-price', message: 'have none of a3-highgpu-8g on demand, so it is unknown whether it costs more than 50. Add it, or remove maxPrice.' },
    ]);
  });

  test('may not leave nothing', () => {
    expect(errors({ base, anyOf: [H100], capacity: [{ kind: 'spot' }, { kind: 'onDemand' }], prices, maxPricePerHour: 10 })).toMatchObject([
      { path: 'pool.maxPrice', value: 10, rule: 'max-price', message: 'excludes every choice: the cheapest,  spot a3-highgpu-8g, 30 an hour, costs more. Raise it to 30, or add a cheaper choice.' },
    ]);
    expect(errors({ base, anyOf: [H100], maxPricePerHour: 0 })).toMatchObject([{ path: 'pool.maxPrice', message: 'must be above 0.' }]);
  });
});

describe('a list is refused for', () => {
  test.each<[string, Partial<PoolPreferences>, string, string, string]>([
    ['no accelerator', { anyOf: [] }, 'one-accelerator', 'pool.anyOf', 'Name an accelerator'],
    ['no way to have machines', { capacity: [] }, 'same-capacity', 'pool.capacity', 'at least one way'],
    ['one way twice', { capacity: [{ kind: 'spot' }, { kind: 'onDemand' }, { kind: 'spot' }] }, 'same-capacity', 'pool.capacity[2]', 'duplicates'],
    ['a reservation of one of several machines', { capacity: [{ kind: 'reservation', reservation: { name: 'r' } }] }, 'reserved-machine', 'pool.capacity[0].machineType', 'a3-highgpu-8g or a2-ultragpu-8g'],
    ['a reservation of another machine', { capacity: [{ kind: 'spot' }, { kind: 'reservation', reservation: { name: 'r' }, machineType: 'a4-highgpu-8g' }] }, 'reserved-machine', 'pool.capacity[1].machineType', 'does not have an accelerator of the pool'],
  ])('%s', (_what, preferences, rule, path, words) => {
    expect(errors({ base, anyOf: [H100, A100], ...preferences })).toMatchObject([{ rule, path, message: expect.stringContaining(words) }]);
  });
});

test('what is wrong with every choice is told once, and what is wrong with one of them by its name', () => {
  const b200 = { machineType: 'a4-highgpu-8g', gpus: { type: 'nvidia-b200', count: 8 } };
  const found = errors({ base: { name: 'train', bootDiskGiB: 5 }, anyOf: [H100, b200], capacity: [{ kind: 'spot' }, { kind: 'onDemand' }] });
  expect(found.map(({ path, rule }) => [path, rule])).toEqual([['pool.bootDiskGiB', 'boot-disk'], ['pool(train-on-demand-b200).capacity', 'on-demand']]);
});
