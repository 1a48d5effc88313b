import fc from 'fast-check';
import { TPUS, findTpu } from '../../../src/model/accelerators/catalogue';
import {
  chipsOf, defaultMachineFor, hasTopology, hostsOf, isHostOf, isOnlyUnsorted, orderedTopology, slicesOf, topologiesOf, topologyText, tryChipsOf,
  tryParseTopology,
} from '../../../src/model/accelerators/topology';

const tpu = fc.constantFrom(...TPUS.filter(({ topology }) => !topology.multiHostOnly));
const dimensions = fc.array(fc.integer({ min: 1, max: 128 }), { minLength: 2, maxLength: 3 });

test('dimensions are read as they are written', () => {
  fc.assert(fc.property(dimensions, (given) => expect(tryParseTopology(topologyText(given))).toEqual(given)));
});

test.each(['', '4', '4x', 'x4', '4x4x4x4', '0x4', '4x-4', '4X4', ' 4x4', '4x4.5', '04x4'])('%j is not a topology', (text) => {
  expect(tryParseTopology(text)).toBeUndefined();
  expect(tryChipsOf(text)).toBeUndefined();
});

test('the hosts of a slice have all of its chips, and no more', () => {
  fc.assert(fc.property(dimensions, fc.constantFrom(1, 4, 8), (given, perHost) => {
    const hosts = hostsOf(topologyText(given), perHost);
    expect(hosts === undefined ? chipsOf(given) % perHost : hosts * perHost).toBe(hosts === undefined ? chipsOf(given) % perHost : chipsOf(given));
    expect(hosts === undefined).toBe(chipsOf(given) % perHost !== 0);
  }));
});

test('so many slices have so many times the hosts, and one host more is not a slice', () => {
  fc.assert(fc.property(tpu, fc.integer({ min: 1, max: 20 }), fc.nat(), (one, slices, pick) => {
    const known = topologiesOf(one, 512);
    const topology = known[pick % known.length];
    const chips = defaultMachineFor(one, topology)!.devices!;
    const hosts = hostsOf(topology, chips)!;
    expect(slicesOf(topology, chips, hosts * slices)).toBe(slices);
    expect(slicesOf(topology, chips, hosts * slices + 1)).toBe(hosts === 1 ? slices + 1 : undefined);
  }));
});

test('every topology that is listed exists, has a machine type, and is complete on it', () => {
  for (const one of TPUS) {
    for (const topology of topologiesOf(one, 2048)) {
      const machine = defaultMachineFor(one, topology)!;
      expect([one.type, topology, hasTopology(one, topology), isHostOf(one, machine, topology)]).toEqual([one.type, topology, true, true]);
      expect(hostsOf(topology, machine.devices!)).toBeGreaterThanOrEqual(1);
    }
  }
});

test('a slice of one host is exactly one whose chips are those of its machine', () => {
  fc.assert(fc.property(tpu, fc.nat(), (one, pick) => {
    const known = topologiesOf(one, 512);
    const topology = known[pick % known.length];
    const machine = defaultMachineFor(one, topology)!;
    expect(machine.singleHostTopology === topology).toBe(tryChipsOf(topology) === machine.devices);
  }));
});

test('dimensions in another order are told as the slice that they are of', () => {
  fc.assert(fc.property(tpu, fc.nat(), (one, pick) => {
    const known = topologiesOf(one, 512);
    const topology = known[pick % known.length];
    const reversed = topologyText([...tryParseTopology(topology)!].reverse());
    expect(orderedTopology(one, reversed)).toBe(topology);
    expect(isOnlyUnsorted(one, reversed)).toBe(reversed !== topology);
  }));
});

test.each([
  ['tpu-v6e-slice', '4x4', 4, 4],
  ['tpu-v6e-slice', '2x4', 8, 1],
  ['tpu-v5-lite-podslice', '16x16', 4, 64],
  ['tpu-v5p-slice', '2x2x1', 4, 1],
  ['tpu-v5p-slice', '4x4x8', 4, 32],
  ['tpu7x', '1x1x1', 1, 1],
  ['tpu7x', '4x4x4', 4, 16],
])('%s %s has hosts of %d chips, %d of them', (type, topology, chips, hosts) => {
  const machine = defaultMachineFor(findTpu(type)!, topology)!;
  expect(machine.devices).toBe(chips);
  expect(hostsOf(topology, chips)).toBe(hosts);
});

test.each([
  ['tpu-v5p-slice', '4x4x560', 'has 140 cubes', true],
  ['tpu-v5p-slice', '4x4x564', 'has one more', false],
  ['tpu-v4-podslice', '16x16x16', 'has 64 cubes', true],
  ['tpu-v4-podslice', '16x16x20', 'has 80', false],
  ['tpu-v6e-slice', '16x16', 'is the largest', true],
  ['tpu-v6e-slice', '16x32', 'is larger', false],
  ['tpu-v6e-slice', '4x4x4', 'has a dimension too many', false],
  ['tpu-v5p-slice', '4x6x8', 'is not made of cubes', false],
  ['tpu-v5p-slice', '1x1x1', 'is for TPU7x only', false],
])('%s: %s %s', (type, topology, _why, expected) => {
  expect(hasTopology(findTpu(type)!, topology)).toBe(expected);
});

test('a topology in the wrong order is recognised', () => {
  expect(isOnlyUnsorted(findTpu('tpu-v6e-slice')!, '4x2')).toBe(true);
  expect(isOnlyUnsorted(findTpu('tpu-v6e-slice')!, '2x4')).toBe(false);
  expect(isOnlyUnsorted(findTpu('tpu-v6e-slice')!, '3x5')).toBe(false);
});
