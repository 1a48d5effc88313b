/** Bayesian search against random search, at equal trials, seed by seed. */
import { BRANIN, HARTMANN_6, regret, runSearch, searchFor } from './functions';
import { ExpectedImprovement, logExpectedImprovement } from '../../../src/model/tuning/bayesian';
import { FITTED_POINTS, GaussianProcess, standardise } from '../../../src/model/tuning/gaussian-process';
import { Random } from '../../../src/model/tuning/random';
import { encodePoint } from '../../../src/model/tuning/search-space';
import { suggest } from '../../../src/model/tuning/suggest';

const SEEDS = Array.from({ length: 24 }, (_entry, index) => index + 1);

/** Probability of at least `wins` heads in `count` throws of a fair coin: how surprising it is that chance alone wins so often. */
function signTest(wins: number, count: number): number {
  let [probability, ways] = [0, 1];
  for (let heads = 0; heads <= count; heads++) {
    probability += heads >= wins ? ways / 2 ** count : 0;
    ways = ways * (count - heads) / (heads + 1);
  }
  return probability;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

describe.each([
  { name: 'Branin', test: BRANIN, maxTrials: 20, parallelTrials: 1 },
  { name: 'Branin, four at a time', test: BRANIN, maxTrials: 20, parallelTrials: 4 },
  { name: 'Hartmann-6', test: HARTMANN_6, maxTrials: 25, parallelTrials: 1 },
  { name: 'Hartmann-6, four at a time', test: HARTMANN_6, maxTrials: 25, parallelTrials: 4 },
])('on $name with $maxTrials trials', ({ test: testFunction, ...fields }) => {
  test('the model beats chance: in most of 24 seeds, and by half of the distance or more in the median', () => {
    const pairs = SEEDS.map((seed) => ({
      bayesian: regret(testFunction, { ...fields, algorithm: 'bayesian', seed }),
      random: regret(testFunction, { ...fields, algorithm: 'random', seed: seed + 1000 }),
    }));
    const wins = pairs.filter(({ bayesian, random }) => bayesian < random).length;
    expect(signTest(wins, pairs.length)).toBeLessThan(0.01);
    expect(median(pairs.map(({ bayesian }) => bayesian))).toBeLessThan(0.75 * median(pairs.map(({ random }) => random)));
  });
});

test('the same history gives the same answer, whatever was asked before and in whatever order it is remembered', () => {
  const search = searchFor(BRANIN.parameters, { maxTrials: 12 });
  const finished = runSearch(search, BRANIN.value).slice(0, 9);
  const answer = suggest(search, { finished, active: [], next: 10 });
  suggest(search, { finished: finished.slice(0, 5), active: [], next: 6 });
  expect(suggest(searchFor(BRANIN.parameters, { maxTrials: 12 }), { finished, active: [], next: 10 })).toEqual(answer);
});

test('another seed gives other trials', () => {
  const search = (seed: number) => searchFor(BRANIN.parameters, { maxTrials: 5, seed });
  const points = (seed: number) => runSearch(search(seed), BRANIN.value).map(({ point }) => encodePoint(point));
  expect(points(1)).not.toEqual(points(2));
});

test('it learns which category and which number of a list are best, and tries no point twice', () => {
  const search = searchFor({
    optimizer: { type: 'categorical', values: ['sgd', 'adam', 'lion'] }, batch: { type: 'int', values: [16, 32, 64, 128] },
  }, { maxTrials: 20 });
  const trials = runSearch(search, ({ optimizer, batch }) => (optimizer === 'adam' ? 0 : 1) + Math.abs(Math.log2(Number(batch) / 32)));
  // Twelve points are all there are.
  expect(trials).toHaveLength(12);
  expect(new Set(trials.map(({ point }) => encodePoint(point))).size).toBe(12);
  expect(trials.slice(0, 9).some(({ value }) => value === 0)).toBe(true);
});

test('it keeps away from where trials fail', () => {
  const search = searchFor({ x: { type: 'float', min: 0, max: 1 } }, { maxTrials: 20 });
  const trials = runSearch(search, ({ x }) => (Number(x) > 0.5 ? undefined : (Number(x) - 0.3) ** 2));
  const late = trials.slice(10);
  expect(late.filter(({ value }) => value === undefined).length).toBeLessThan(5);
  expect(Math.min(...trials.flatMap(({ value }) => value ?? []))).toBeLessThan(0.001);
});

test('trials of the same moment go to different places', () => {
  const search = searchFor(BRANIN.parameters, { maxTrials: 20, parallelTrials: 4 });
  const finished = runSearch(search, BRANIN.value).slice(0, 8);
  const first = suggest(search, { finished, active: [], next: 9 })!;
  const second = suggest(search, { finished, active: [first], next: 10 })!;
  const [a, b] = [first, second].map(({ point }) => search.space.coordinatesOf(point));
  expect(Math.hypot(a[0] - b[0], a[1] - b[1])).toBeGreaterThan(0.01);
});

test('a model goes through what it was told, and knows less the farther away it is asked', () => {
  const points = [0.1, 0.3, 0.5, 0.7, 0.9].map((x) => [x]);
  const values = standardise(points.map(([x]) => Math.sin(6 * x)), 'maximize');
  const model = GaussianProcess.fit(points, values, [false]);
  points.forEach((point, index) => expect(model.predict(point).mean).toBeCloseTo(values[index], 1));
  expect(model.predict([0.5]).variance).toBeLessThan(model.predict([0.6]).variance);
  expect(model.predict([0.6]).variance).toBeLessThan(model.predict([2]).variance);
});

test('values that are far out on the bad side do not flatten the others', () => {
  const [a, b, c, diverged] = standardise([1, 2, 3, 1e12], 'minimize');
  expect(a).toBeGreaterThan(b + 0.1);
  expect(b).toBeGreaterThan(c + 0.1);
  expect(c).toBeGreaterThan(diverged);
});

test('the expected improvement is that of the textbook, also far below the best', () => {
  expect(Math.exp(logExpectedImprovement(0, 1))).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 6);
  expect(Math.exp(logExpectedImprovement(1, 1))).toBeCloseTo(1.0833155, 5);
  expect(logExpectedImprovement(-20, 1)).toBeGreaterThan(logExpectedImprovement(-21, 1));
  expect(logExpectedImprovement(-4.99, 1)).toBeCloseTo(logExpectedImprovement(-5.01, 1), 0);
});

/** A model of a wavy function of three coordinates, of which the last is a category. */
function wavy(count: number): { readonly model: GaussianProcess; readonly points: number[][]; readonly values: number[] } {
  const random = new Random('wavy', count);
  const points = Array.from({ length: count }, () => [random.next(), random.next(), random.integer(2) + 0.5]);
  const values = standardise(points.map(([x, y, z]) => Math.sin(5 * x) * Math.cos(4 * y) + 0.2 * z), 'maximize');
  return { model: GaussianProcess.fit(points, values, [false, false, true]), points, values };
}

test('the slopes of a model are its differences, and a category has none', () => {
  const { model } = wavy(20);
  const random = new Random('slopes');
  const step = 1e-5;
  for (let round = 0; round < 20; round++) {
    const at = [random.next(), random.next(), 0.5];
    const { mean, variance, alongMean, alongVariance } = model.slope(at);
    expect(model.predict(at)).toEqual({ mean, variance });
    for (const axis of [0, 1]) {
      const [above, below] = [step, -step].map((by) => model.predict(at.map((coordinate, index) => coordinate + (index === axis ? by : 0))));
      expect(alongMean[axis]).toBeCloseTo((above.mean - below.mean) / (2 * step), 4);
      expect(alongVariance[axis]).toBeCloseTo((above.variance - below.variance) / (2 * step), 4);
    }
    expect(alongMean[2]).toBe(0);
    expect(alongVariance[2]).toBe(0);
  }
});

test('a climb ends no lower than it began, stays within the space and in its category', () => {
  const { model, values } = wavy(25);
  const improvement = new ExpectedImprovement(model, Math.max(...values));
  const random = new Random('climbs');
  const gains = Array.from({ length: 40 }, () => {
    const from = [random.next(), random.next(), random.integer(2) + 0.5];
    const top = improvement.climb(from);
    expect(top.every((coordinate) => coordinate >= 0 && coordinate < 2)).toBe(true);
    expect(top.slice(0, 2).every((coordinate) => coordinate < 1)).toBe(true);
    expect(top[2]).toBe(from[2]);
    return improvement.at(top) - improvement.at(from);
  });
  expect(Math.min(...gains)).toBeGreaterThanOrEqual(0);
  expect(median(gains)).toBeGreaterThan(0.1);
});

test('what is left out of the work is never what would have been better', () => {
  const { model, values } = wavy(25);
  const improvement = new ExpectedImprovement(model, Math.max(...values));
  const random = new Random('floors');
  for (let round = 0; round < 200; round++) {
    const at = [random.next(), random.next(), 0.5];
    const value = improvement.at(at);
    expect(improvement.at(at, value - 0.01)).toBe(value);
    expect(improvement.at(at, value + 0.01)).toBeLessThanOrEqual(value);
  }
});

test('a model of many trials rests on all of them, though its scales come from some', () => {
  const { model, points, values } = wavy(2 * FITTED_POINTS);
  const misses = points.map((point, index) => Math.abs(model.predict(point).mean - values[index]));
  expect(Math.max(...misses)).toBeLessThan(0.2);
  const { model: few } = wavy(FITTED_POINTS);
  expect(few.lengths.map((length) => length > 0.05)).toEqual(model.lengths.map((length) => length > 0.05));
});
