import fc from 'fast-check';
import { formatIndexes, parseIndexes } from '../../../../src/operator/training/plan/index-set';

describe('sets of indexes', () => {
  it.each([
    [[], undefined],
    [[0], '0'],
    [[0, 1], '0-1'],
    [[3, 1, 2, 0, 7], '0-3,7'],
    [[9, 5, 7], '5,7,9'],
  ])('%j is written as %j', (indexes, text) => {
    expect(formatIndexes(new Set(indexes))).toBe(text);
    expect([...parseIndexes(text)].sort((a, b) => a - b)).toEqual([...indexes].sort((a, b) => a - b));
  });

  it('every set is read as it was written', () => {
    fc.assert(fc.property(fc.uniqueArray(fc.nat(10_000)), (indexes) => {
      expect(parseIndexes(formatIndexes(new Set(indexes)))).toEqual(new Set(indexes));
    }));
  });

  it.each(['', 'x', '1-', '-2', '3,,x,5', '7-4'])('what is no index in %j is passed over', (text) => {
    expect([...parseIndexes(text)]).toEqual(text.startsWith('3') ? [3, 5] : []);
  });

  it('the worst set of 10,000 replicas is smaller than 25 KiB', () => {
    const everySecond = new Set(Array.from({ length: 5_000 }, (_, index) => index * 2));

    expect(formatIndexes(everySecond)!.length).toBeLessThan(25 * 1024);
  });
});
