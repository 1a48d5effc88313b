/**
 * Bayesian search: a Gaussian process over the trials so far, and the point where it expects the largest improvement over the best of them. The first
 * trials are spread evenly. Trials that failed count as bad as the worst that did not; trials under way are taken to bring what the model expects,
 * so that several at a time go to different places.
 * @see https://doi.org/10.1023/A:1008306431147 (Jones, Schonlau, Welch: Efficient Global Optimization)
 */
import { GaussianProcess, standardise } from './gaussian-process';
import { Random } from './random';
import { shuffledPoint, spreadPoint } from './random-search';
import type { Search, SearchHistory } from './search';
import { encodePoint, type Point } from './search-space';

/** Random candidates; each of the best is then improved by steps that get smaller. */
const CANDIDATES = 600;
const NEIGHBOURS = 40;
const REFINED = 4;

/** The point of trial `next`. */
export function suggestBayesian(search: Search, { finished, active, next }: SearchHistory): Point {
  const { space, seed } = search;
  const values = finished.flatMap(({ value }) => value ?? []);
  const taken = new Set([...finished, ...active].map(({ point }) => encodePoint(point)));
  if (values.length < 2 || next <= initialTrials(search)) {
    return firstFree(taken, [spreadPoint(space, seed, next)], search, next);
  }
  const worst = values.reduce((a, b) => ((a < b) === (search.goal === 'maximize') ? a : b));
  const standard = standardise(finished.map(({ value }) => value ?? worst), search.goal);
  const unordered = space.dimensions.map((entry) => entry.unordered);
  const coordinates = finished.map(({ point }) => space.coordinatesOf(point));
  const fitted = GaussianProcess.fit(coordinates, standard, unordered);
  const model = active.length > 0 ? fitted.expecting(active.map(({ point }) => space.coordinatesOf(point)), standard) : fitted;
  const best = Math.max(...standard);
  const random = new Random(seed, 'bayesian', next);
  const incumbents = standard.map((value, index) => ({ value, at: coordinates[index] })).sort((a, b) => b.value - a.value).slice(0, 3);

  const score = (at: readonly number[]) => {
    const point = space.pointAt(at);
    const { mean, variance } = model.predict(space.coordinatesOf(point));
    return { at, point, improvement: taken.has(encodePoint(point)) ? -Infinity : logExpectedImprovement(mean - best, Math.sqrt(variance)) };
  };
  const scatter = (at: readonly number[], width: number) => at.map((coordinate, index) => {
    if (unordered[index]) {
      return random.next() < 0.2 ? random.next() : coordinate;
    }
    // In many dimensions a step in all of them at once is never an improvement.
    return random.next() < Math.max(0.3, 2 / at.length) ? clamp(coordinate + width * random.normal()) : coordinate;
  });
  let candidates = [
    ...Array.from({ length: CANDIDATES }, () => score(space.dimensions.map(() => random.next()))),
    ...incumbents.flatMap(({ at }) => Array.from({ length: NEIGHBOURS }, (_entry, index) => score(scatter(at, index % 2 === 0 ? 0.1 : 0.02)))),
  ].sort((a, b) => b.improvement - a.improvement).slice(0, REFINED);
  for (let width = 0.08; width > 0.002; width *= 0.6) {
    candidates = candidates.map((candidate) => Array.from({ length: 6 + 2 * unordered.length }, () => score(scatter(candidate.at, width)))
      .reduce((a, b) => (b.improvement > a.improvement ? b : a), candidate));
  }
  candidates.sort((a, b) => b.improvement - a.improvement);
  return firstFree(taken, candidates.map(({ point }) => point), search, next);
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

/**
 * Logarithm of the expected improvement, for a mean that is `gain` above the best and a standard deviation. Far below the best the improvement
 * itself is zero to a computer, and every candidate would look alike.
 */
export function logExpectedImprovement(gain: number, deviation: number): number {
  const z = gain / deviation;
  if (z > -5) {
    return Math.log(deviation) + Math.log(z * normalCdf(z) + normalDensity(z));
  }
  // Asymptotic: density / z^2.
  return Math.log(deviation) - z * z / 2 - Math.log(Math.sqrt(2 * Math.PI)) - 2 * Math.log(-z);
}

function normalDensity(z: number): number {
  return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
}

/** Abramowitz and Stegun 26.2.17, absolute error below 1e-7, made exact enough in the tail by its symmetric form. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = normalDensity(z) * series;
  return z >= 0 ? 1 - tail : tail;
}

function clamp(coordinate: number): number {
  return Math.min(1 - 1e-9, Math.max(0, coordinate));
}
