/**
 * Bayesian search: a Gaussian process over the trials so far, and the point where it expects the largest improvement over the best of them. The first
 * trials are spread evenly. Trials that failed count as bad as the worst that did not; trials under way are taken to bring what the model expects,
 * so that several at a time go to different places.
 */
import { GaussianProcess, standardise } from './gaussian-process';
import { Random, shuffledPoint, spreadPoint } from './random';
import type { Search, SearchHistory } from './search';
import { encodePoint, type Point, type SearchSpace } from './search-space';

/** Random candidates, and candidates near each of the best trials; from the best of them the climb begins. */
const CANDIDATES = 300;
const NEIGHBOURS = 24;
const INCUMBENTS = 3;
const CLIMBS = 4;

/** The point of trial `next`. @param shared what suggestions that rest on the same finished trials share */
export function suggestBayesian(search: Search, { finished, active, next }: SearchHistory, shared: SharedFit): Point {
  const { space, seed } = search;
  const taken = new Set([...finished, ...active].map(({ point }) => encodePoint(point)));
  if (finished.filter(({ value }) => value !== undefined).length < 2 || next <= initialTrials(search)) {
    return firstFree(taken, [spreadPoint(space, seed, next)], search, next);
  }
  shared.fit ??= fitTo(search, finished);
  const { fitted, standard, coordinates } = shared.fit;
  const model = active.length > 0 ? fitted.expecting(active.map(({ point }) => space.coordinatesOf(point))) : fitted;
  const improvement = new ExpectedImprovement(model, Math.max(...standard));
  const random = new Random(seed, 'bayesian', next);
  const incumbents = standard.map((value, index) => ({ value, at: coordinates[index] })).sort((a, b) => b.value - a.value).slice(0, INCUMBENTS);

  const snap = snapper(space);
  // Where values are few, one that was tried is not tried again; elsewhere none comes up twice by chance.
  const isTaken = (at: readonly number[]) => space.size < Infinity && taken.has(encodePoint(space.pointAt(at)));
  const best = new BestCandidates(CLIMBS);
  const consider = (wish: readonly number[]) => {
    const at = snap(wish);
    best.add(at, isTaken(at) ? -Infinity : improvement.at(at, best.floor));
  };
  for (let count = 0; count < CANDIDATES; count++) {
    consider(space.dimensions.map(() => random.next()));
  }
  for (const { at } of incumbents) {
    for (let count = 0; count < NEIGHBOURS; count++) {
      consider(scatter(space, at, count % 2 === 0 ? 0.1 : 0.02, random));
    }
  }
  best.points.forEach((at) => consider(improvement.climb(at)));
  return firstFree(taken, best.points.map((at) => space.pointAt(at)), search, next);
}

/** About how many multiplications {@link suggestBayesian} takes without its fit: the model of so many trials, and a look at each candidate. */
export function bayesianWork(dimensions: number, trials: number): number {
  const looks = CANDIDATES + INCUMBENTS * NEIGHBOURS;
  return trials * trials * (trials / 6 + dimensions / 2) + looks * trials * (dimensions + trials / 2);
}

/** What is learnt from finished trials. */
interface Fit {
  readonly fitted: GaussianProcess;
  readonly standard: readonly number[];
  readonly coordinates: readonly (readonly number[])[];
}

/** Shared by suggestions for one search that rest on the same finished trials: what is learnt from those is most of the work, and learnt once. */
export interface SharedFit {
  fit?: Fit;
}

function fitTo(search: Search, finished: SearchHistory['finished']): Fit {
  const values = finished.flatMap(({ value }) => value ?? []);
  const worst = values.reduce((a, b) => ((a < b) === (search.goal === 'maximize') ? a : b));
  const standard = standardise(finished.map(({ value }) => value ?? worst), search.goal);
  const coordinates = finished.map(({ point }) => search.space.coordinatesOf(point));
  return { fitted: GaussianProcess.fit(coordinates, standard, search.space.dimensions.map(({ unordered }) => unordered)), standard, coordinates };
}

/** The best of the points that were looked at, the best first. */
class BestCandidates {
  private readonly entries: { readonly at: readonly number[]; readonly value: number }[] = [];

  public constructor(private readonly count: number) {}

  /** What a point has to exceed to be one of them. */
  public get floor(): number {
    return this.entries.length < this.count ? -Infinity : this.entries[this.count - 1].value;
  }

  public get points(): (readonly number[])[] {
    return this.entries.map(({ at }) => at);
  }

  public add(at: readonly number[], value: number): void {
    if (this.entries.length >= this.count && value <= this.floor) {
      return;
    }
    const place = this.entries.findIndex((entry) => entry.value < value);
    this.entries.splice(place < 0 ? this.entries.length : place, 0, { at, value });
    this.entries.length = Math.min(this.entries.length, this.count);
  }
}

/** Brings coordinates to those of a value, in dimensions in which values are few. */
function snapper({ dimensions }: SearchSpace): (at: readonly number[]) => readonly number[] {
  return (at) => at.map((coordinate, axis) => {
    const { countable, coordinateAt, levelAt } = dimensions[axis];
    return countable ? coordinateAt(levelAt(coordinate)) : coordinate;
  });
}

/** A point near another; in many dimensions a step in all of them at once is never an improvement. */
function scatter({ dimensions }: SearchSpace, at: readonly number[], width: number, random: Random): number[] {
  return at.map((coordinate, axis) => {
    if (dimensions[axis].unordered) {
      return random.next() < 0.2 ? random.next() : coordinate;
    }
    return random.next() < Math.max(0.3, 2 / at.length) ? Math.min(1 - 1e-9, Math.max(0, coordinate + width * random.normal())) : coordinate;
  });
}

/** Trials before the model is asked: enough to see something in every dimension, and at most a third of all. */
function initialTrials({ space, maxTrials }: Search): number {
  return Math.min(2 * space.dimensions.length + 2, Math.max(3, Math.floor(maxTrials / 3)), 12);
}

/** The first point that was not tried; of a small space there may be few left, and any of them is better than one twice. */
function firstFree(taken: ReadonlySet<string>, points: readonly Point[], search: Search, next: number): Point {
  const free = points.find((point) => !taken.has(encodePoint(point)));
  if (free) {
    return free;
  }
  for (let index = next; index < next + taken.size + 1; index++) {
    const point = shuffledPoint(search, index);
    if (!taken.has(encodePoint(point))) {
      return point;
    }
  }
  return points[0];
}

const { abs, exp, log, max, min, sqrt, PI } = Math;

/** Steps of a climb at most; most end sooner. */
const CLIMB_STEPS = 16;

/** First and last length of a step, in length scales of the model. */
const STEP = { first: 0.3, last: 0.003 };

/**
 * How much better than the best value so far a point is expected to be, by a model: large where the model expects much, and where it knows little.
 * Logarithms: far from the good places the improvement itself is zero to a computer.
 * @see https://doi.org/10.1023/A:1008306431147 (Jones, Schonlau, Welch: Efficient Global Optimization)
 */
export class ExpectedImprovement {
  public constructor(private readonly model: GaussianProcess, private readonly best: number) {}

  /** At a point; -Infinity where it is surely not above `floor`. */
  public at(point: readonly number[], floor = -Infinity): number {
    const { best } = this;
    const isHopeless = (mean: number, variance: number) => floor > -Infinity && logExpectedImprovement(mean - best, sqrt(variance)) <= floor;
    const expected = this.model.predictUnless(point, isHopeless);
    return expected === undefined ? -Infinity : logExpectedImprovement(expected.mean - best, sqrt(expected.variance));
  }

  /**
   * The top of the hill that a point is on, as far as some steps lead. Steps follow the slope, measured in length scales, and get longer while they
   * lead up and shorter when they do not. Categories stay as they are.
   */
  public climb(from: readonly number[]): readonly number[] {
    const { lengths } = this.model;
    let [at, found] = [from, this.slopeAt(from)];
    for (let step = STEP.first, count = 0; step > STEP.last && count < CLIMB_STEPS; count++) {
      const uphill = found.along.map((slope, axis) => slope * lengths[axis] * lengths[axis]);
      const steepness = sqrt(uphill.reduce((sum, part, axis) => sum + (part / lengths[axis]) ** 2, 0));
      if (!(steepness > 1e-12)) {
        break;
      }
      const next = at.map((coordinate, axis) => (
        uphill[axis] === 0 ? coordinate : min(1 - 1e-9, max(0, coordinate + uphill[axis] * step / steepness))));
      const there = this.slopeAt(next);
      const isHigher = there.value > found.value;
      [at, found] = isHigher ? [next, there] : [at, found];
      step *= isHigher ? 1.4 : 0.3;
    }
    return at;
  }

  private slopeAt(point: readonly number[]): { readonly value: number; readonly along: readonly number[] } {
    const { mean, variance, alongMean, alongVariance } = this.model.slope(point);
    const deviation = sqrt(variance);
    const { byGain, byDeviation, value } = derivatives(mean - this.best, deviation);
    return { value, along: alongMean.map((slope, axis) => byGain * slope + byDeviation * alongVariance[axis] / (2 * deviation)) };
  }
}

/**
 * Logarithm of the expected improvement, for a mean that is `gain` above the best and a standard deviation. Far below the best the improvement
 * itself is zero to a computer, and every candidate would look alike.
 */
export function logExpectedImprovement(gain: number, deviation: number): number {
  const z = gain / deviation;
  if (z > -5) {
    return log(deviation) + log(z * normalCdf(z) + normalDensity(z));
  }
  // Asymptotic: density / z^2.
  return log(deviation) - z * z / 2 - log(sqrt(2 * PI)) - 2 * log(-z);
}

/** The same with its derivatives. */
function derivatives(gain: number, deviation: number): { readonly value: number; readonly byGain: number; readonly byDeviation: number } {
  const z = gain / deviation;
  const value = logExpectedImprovement(gain, deviation);
  if (z <= -5) {
    return { value, byGain: -z / deviation, byDeviation: z * z / deviation };
  }
  const improvement = deviation * (z * normalCdf(z) + normalDensity(z));
  return { value, byGain: normalCdf(z) / improvement, byDeviation: normalDensity(z) / improvement };
}

function normalDensity(z: number): number {
  return exp(-z * z / 2) / sqrt(2 * PI);
}

/** Abramowitz and Stegun 26.2.17, absolute error below 1e-7, made exact enough in the tail by its symmetric form. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * abs(z));
  const series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = normalDensity(z) * series;
  return z >= 0 ? 1 - tail : tail;
}
