/** Random search, grids, hyperband, what is remembered, and the random numbers under all of them. */
import { runSearch, searchFor } from './functions';
import { hyperbandRungs, rungOf } from '../../../src/model/tuning/hyperband';
import { REMEMBERED_TRIALS, remember } from '../../../src/model/tuning/memory';
import { Random, shuffledIndex } from '../../../src/model/tuning/random';
import type { FinishedTrial } from '../../../src/model/tuning/search';
import { encodePoint } from '../../../src/model/tuning/search-space';
import { suggest } from '../../../src/model/tuning/suggest';

const UNIT = { x: { type: 'float', min: 0, max: 1 } } as const;

describe('random numbers', () => {
  test('follow from their seeds, are even, and differ between streams', () => {
    const draw = (...seeds: (string | number)[]) => {
      const random = new Random(...seeds);
      return Array.from({ length: 4000 }, () => random.next());
    };
    expect(draw('a', 1)).toEqual(draw('a', 1));
    expect(draw('a', 1)).not.toEqual(draw('a', 2));
    const numbers = draw('even');
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
    const tenths = Array.from({ length: 10 }, (_entry, tenth) => numbers.filter((number) => Math.floor(number * 10) === tenth).length);
    tenths.forEach((count) => expect(Math.abs(count - 400)).toBeLessThan(100));
  });

  test('shuffle without leaving out or repeating', () => {
    for (const size of [1, 2, 3, 7, 64, 100, 1000]) {
      const places = Array.from({ length: size }, (_entry, index) => shuffledIndex(index, size, 'seed'));
      expect([...places].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_entry, index) => index));
    }
    expect(Array.from({ length: 20 }, (_entry, index) => shuffledIndex(index, 20, 'a')))
      .not.toEqual(Array.from({ length: 20 }, (_entry, index) => shuffledIndex(index, 20, 'b')));
  });
});

describe('random search', () => {
  test('covers the range', () => {
    const values = runSearch(searchFor(UNIT, { algorithm: 'random', maxTrials: 200 }), ({ x }) => Number(x)).map(({ value }) => value!);
    expect(Math.min(...values)).toBeLessThan(0.05);
    expect(Math.max(...values)).toBeGreaterThan(0.95);
  });

  test('tries each point of a countable space once, and then ends', () => {
    const trials = runSearch(searchFor({ a: { type: 'int', min: 1, max: 4 }, b: { type: 'int', min: 1, max: 5 } }, { algorithm: 'random', maxTrials: 50 }), () => 0);
    expect(new Set(trials.map(({ point }) => encodePoint(point))).size).toBe(20);
    expect(trials).toHaveLength(20);
  });
});

test('a grid is walked in order', () => {
  const search = searchFor({ a: { type: 'int', values: [1, 2] }, b: { type: 'categorical', values: ['x', 'y'] } }, { algorithm: 'grid' });
  expect(runSearch(search, () => 0).map(({ point }) => Object.values(search.space.valuesOf(point)).join(''))).toEqual(['1x', '1y', '2x', '2y']);
});

describe('hyperband', () => {
  const budget = { min: 1, max: 9, reductionFactor: 3 };
  const search = searchFor(UNIT, { algorithm: 'hyperband', budget, maxTrials: 22, parallelTrials: 4 });

  test('has the rungs of the paper', () => {
    expect(hyperbandRungs(budget).map(({ trials, budget: each }) => [trials, each])).toEqual([[9, 1], [3, 3], [1, 9], [5, 3], [1, 9], [3, 9]]);
    expect(rungOf(budget, 22)).toMatchObject({ first: 20, trials: 3 });
    // The 22nd ends the first round; the 23rd begins the next.
    expect(rungOf(budget, 23)).toMatchObject({ first: 23, trials: 9, budget: 1 });
    expect(rungOf(budget, 32)).toMatchObject({ first: 32, trials: 3, budget: 3, previous: { first: 23 } });
  });

  test('the best of a rung go on with more budget, and go on from their own checkpoints', () => {
    const trials = runSearch(search, ({ x }) => Number(x));
    const byNumber = new Map(trials.map((trial) => [trial.number, trial]));
    const best = trials.slice(0, 9).sort((a, b) => a.value! - b.value!).slice(0, 3);
    expect([10, 11, 12].map((number) => byNumber.get(number)!.continues)).toEqual(best.map(({ number }) => number));
    expect([10, 11, 12].map((number) => byNumber.get(number)!.point)).toEqual(best.map(({ point }) => point));
    expect(byNumber.get(13)).toMatchObject({ budget: 9, continues: best[0].number, point: best[0].point });
    expect(byNumber.get(14)).toMatchObject({ budget: 3 });
    expect(byNumber.get(14)!.continues).toBeUndefined();
  });

  test('waits for a rung to end before the next begins', () => {
    const finished = runSearch(search, ({ x }) => Number(x)).slice(0, 8);
    const last = suggest(search, { finished, active: [], next: 9 })!;
    expect(suggest(search, { finished, active: [last], next: 10 })).toBeUndefined();
    expect(suggest(search, { finished: [...finished, { ...last, value: 1 }], active: [], next: 10 })).toMatchObject({ number: 10, budget: 3 });
  });

  test('trials that failed do not go on; new points take their place', () => {
    const trials = runSearch(search, (_values, { number }) => (number === 4 ? 1 : undefined));
    expect(trials[9]).toMatchObject({ continues: 4 });
    expect(trials[10].continues).toBeUndefined();
    expect(trials[10].budget).toBe(3);
  });
});

describe('what is remembered', () => {
  const trial = (number: number, value?: number): FinishedTrial => ({ number, point: [number], ...(value !== undefined && { value }) });

  test('are the latest and the best trials, however many there were', () => {
    const search = searchFor(UNIT, { maxTrials: 100_000 });
    let memory: FinishedTrial[] = [];
    for (let number = 1; number <= 1000; number++) {
      memory = remember(search, [...memory, trial(number, (number * 7919) % 1000)], number + 1);
      expect(memory.length).toBeLessThanOrEqual(REMEMBERED_TRIALS);
    }
    const numbers = new Set(memory.map(({ number }) => number));
    Array.from({ length: 50 }, (_entry, index) => 1000 - index).forEach((number) => expect(numbers).toContain(number));
    const all = Array.from({ length: 1000 }, (_entry, index) => trial(index + 1, ((index + 1) * 7919) % 1000));
    const best = all.sort((a, b) => a.value! - b.value!).slice(0, 40);
    best.forEach(({ number }) => expect(numbers).toContain(number));
  });

  test('of hyperband are two rungs, and they give the same trials as everything would', () => {
    const budget = { min: 1, max: 81, reductionFactor: 3 };
    const search = searchFor(UNIT, { algorithm: 'hyperband', budget, maxTrials: 400 });
    const all: FinishedTrial[] = [];
    let memory: FinishedTrial[] = [];
    let largest = 0;
    for (let next = 1; next <= 400; next++) {
      const chosen = suggest(search, { finished: memory, active: [], next })!;
      expect(chosen).toEqual(suggest(search, { finished: all, active: [], next }));
      const ended = { ...chosen, value: (next * 7919) % 1000 };
      all.push(ended);
      memory = remember(search, [...memory, ended], next + 1);
      largest = Math.max(largest, memory.length);
    }
    expect(largest).toBeLessThanOrEqual(REMEMBERED_TRIALS);
  });

  test('is nothing where nothing is learned', () => {
    expect(remember(searchFor(UNIT, { algorithm: 'random' }), [trial(1, 1)], 2)).toEqual([]);
  });
});
