/** Arithmetic of address ranges. */
import * as fc from 'fast-check';
import { nodesOfPodRange, nodesOfSubnetwork, overlap, tryParseRange } from '../../src/stacks/cluster/cidr';

const text = (first: number, prefix: number) => `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`;
const ranges = fc.integer({ min: 0, max: 32 }).chain((prefix) => fc.integer({ min: 0, max: 2 ** Math.min(prefix, 31) - 1 })
  .map((block) => ({ first: block * 2 ** (32 - prefix), prefix })));

test('every range that begins at its first address is read', () => {
  fc.assert(fc.property(ranges, ({ first, prefix }) => {
    expect(tryParseRange(text(first, prefix))).toEqual({ first, prefix, last: first + 2 ** (32 - prefix) - 1 });
  }));
});

test.each(['10.0.0.1/20', '10.0.0.0', '10.0.0.0/33', '256.0.0.0/8', '10.0.0/8', 'fd00::/8', ''])('%p is not a range', (value) => {
  expect(tryParseRange(value)).toBeUndefined();
});

test('two ranges overlap exactly if the smaller one is in the larger one', () => {
  fc.assert(fc.property(ranges, ranges, (a, b) => {
    const [one, other] = [tryParseRange(text(a.first, a.prefix))!, tryParseRange(text(b.first, b.prefix))!];
    const shorter = Math.min(a.prefix, b.prefix);
    const sameBlock = Math.floor(a.first / 2 ** (32 - shorter)) === Math.floor(b.first / 2 ** (32 - shorter));
    expect(overlap(one, other)).toBe(sameBlock);
    expect(overlap(other, one)).toBe(sameBlock);
  }));
});

test.each([['10.64.0.0/14', 110, 1024], ['10.64.0.0/14', 32, 4096], ['10.0.0.0/24', 110, 1], ['10.0.0.0/25', 110, 0], ['10.0.0.0/21', 256, 4]])(
  '%s has room for nodes of %i pods: %i', (range, pods, nodes) => expect(nodesOfPodRange(tryParseRange(range)!, pods)).toBe(nodes));

test('a subnetwork keeps four addresses for Google', () => {
  expect([20, 29, 31].map((prefix) => nodesOfSubnetwork({ first: 0, last: 0, prefix }))).toEqual([4092, 4, 0]);
});
