/**
 * Regression with a Gaussian process: what is known of a function after some of its values, as a mean and a variance at every point. Kernel
 * Matern 5/2 with a length scale for each dimension; categories are at distance 0 or 1. Length scales and noise maximise the likelihood of the
 * values under a prior that keeps them from extremes when there are few; the function's own variance is then known in closed form.
 *
 * The operator asks for a model between two other things that it does, so that it must not take long, whatever the number of trials: length scales
 * are found from {@link FITTED_POINTS} of the points at most, the best and the latest, and the model that rests on all of them is made once.
 *
 * Values are standardised first, and those on the bad side that lie far out are pulled in: a training that diverged says "bad here", and its loss of
 * 10^9 must not flatten all the rest.
 * @see https://gaussianprocess.org/gpml/chapters/RW.pdf chapters 2 and 5
 */

// Looked up once: these are called a million times for one suggestion.
const { exp, log, max, min, sqrt } = Math;

/** Points that length scales and noise are found from at most; the time that it takes grows with the third power. */
export const FITTED_POINTS = 48;

/**
 * Multiplications that go into looking for length scales at most, about 20 ms. With more than 18 dimensions and all points, later and smaller steps
 * are left out: so many length scales cannot be determined from so few points anyway.
 */
const FIT_WORK = 5e6;

export interface Prediction {
  readonly mean: number;
  readonly variance: number;
}

/** The same with its slopes, a number for each dimension. */
export interface Slope extends Prediction {
  readonly alongMean: readonly number[];
  readonly alongVariance: readonly number[];
}

/** Logarithms of the length scales, and of the noise's share of the variance. */
interface Settings {
  readonly lengths: readonly number[];
  readonly noise: number;
}

/** Points with their values. Values are those of {@link standardise}; larger is better. */
interface Data {
  readonly points: readonly (readonly number[])[];
  readonly values: readonly number[];
  /** Which dimensions are categories. */
  readonly unordered: readonly boolean[];
}

export class GaussianProcess {
  /**
   * Fits length scales and noise.
   * @param points coordinates from 0 to 1, the oldest first
   * @param values one for each point, standardised
   * @param unordered which dimensions are categories
   */
  public static fit(points: readonly (readonly number[])[], values: readonly number[], unordered: readonly boolean[]): GaussianProcess {
    const data = { points, values, unordered };
    return new GaussianProcess(data, fitSettings(decisivePart(data)));
  }

  private readonly factor: Float64Array;
  private readonly weights: Float64Array;
  private readonly amplitude: number;
  private readonly scales: readonly number[];
  /** Variance of a value by itself, in units of the amplitude. */
  private readonly diagonal: number;

  private constructor(private readonly data: Data, private readonly settings: Settings) {
    const { factor, whitened, amplitude } = conditioned(squaredDistances(data), data.values, settings);
    this.scales = scalesOf(settings);
    this.diagonal = diagonalOf(settings);
    this.factor = factor;
    this.amplitude = amplitude;
    this.weights = solveUpper(factor, whitened);
  }

  /** What is known of the function at a point. */
  public predict(point: readonly number[]): Prediction {
    return this.predictUnless(point, () => false)!;
  }

  /**
   * What is known of the function at a point, unless that would be of no use: `isHopeless` is asked with the mean and with a variance that is not
   * exceeded (what would be left if only the nearest point were known), before the larger part of the work is done.
   */
  public predictUnless(point: readonly number[], isHopeless: (mean: number, variance: number) => boolean): Prediction | undefined {
    const { covariances, mean, nearest } = this.near(point);
    return isHopeless(mean, this.amplitude * (1 - nearest * nearest / this.diagonal))
      ? undefined
      : { mean, variance: this.varianceOf(squares(solveLower(this.factor, covariances))) };
  }

  /** What is known of the function at a point, and how that changes along each dimension; categories are left out. */
  public slope(point: readonly number[]): Slope {
    const { data: { points, unordered }, scales, weights, factor, amplitude } = this;
    const { covariances, mean, slopes } = this.near(point);
    const whitened = solveLower(factor, covariances);
    const solved = solveUpper(factor, whitened);
    const alongMean = new Array<number>(scales.length).fill(0);
    const alongVariance = new Array<number>(scales.length).fill(0);
    for (let index = 0; index < points.length; index++) {
      const other = points[index];
      for (let axis = 0; axis < scales.length; axis++) {
        if (!unordered[axis]) {
          const along = slopes[index] * scales[axis] * (point[axis] - other[axis]);
          alongMean[axis] += weights[index] * along;
          alongVariance[axis] -= 2 * amplitude * solved[index] * along;
        }
      }
    }
    return { mean, variance: this.varianceOf(squares(whitened)), alongMean, alongVariance };
  }

  /** How far a step may go along each dimension before the function is another: the length scales. */
  public get lengths(): number[] {
    return this.settings.lengths.map(exp);
  }

  private near(point: readonly number[]) {
    const { data: { points, unordered }, scales, weights } = this;
    const covariances = new Float64Array(points.length);
    const slopes = new Float64Array(points.length);
    let mean = 0;
    let nearest = 0;
    for (let index = 0; index < covariances.length; index++) {
      const other = points[index];
      let square = 0;
      for (let axis = 0; axis < scales.length; axis++) {
        const difference = unordered[axis] ? Number(point[axis] !== other[axis]) : point[axis] - other[axis];
        square += scales[axis] * difference * difference;
      }
      const distance = sqrt(square);
      const decay = exp(-distance);
      const covariance = (1 + distance + square / 3) * decay;
      covariances[index] = covariance;
      slopes[index] = -(1 + distance) / 3 * decay;
      mean += covariance * weights[index];
      nearest = max(nearest, covariance);
    }
    return { covariances, slopes, mean, nearest };
  }

  private varianceOf(explained: number): number {
    return this.amplitude * max(1e-12, 1 - explained);
  }

  /** The same model after some more points, whose values are taken to be what it expects there: what is under way is not tried again. */
  public expecting(points: readonly (readonly number[])[]): GaussianProcess {
    const { data, settings } = this;
    const values = [...data.values, ...points.map((point) => this.predict(point).mean)];
    return new GaussianProcess({ ...data, points: [...data.points, ...points], values }, settings);
  }
}

/** The points that say most about length scales: half of them the best, half of them the latest. */
function decisivePart(data: Data): Data {
  const { points, values } = data;
  if (points.length <= FITTED_POINTS) {
    return data;
  }
  const all = values.map((_value, index) => index);
  const latest = new Set(all.slice(-FITTED_POINTS / 2));
  const best = all.filter((index) => !latest.has(index)).sort((a, b) => values[b] - values[a] || a - b).slice(0, FITTED_POINTS / 2);
  const chosen = [...best, ...latest].sort((a, b) => a - b);
  return { ...data, points: chosen.map((index) => points[index]), values: chosen.map((index) => values[index]) };
}

/** Length scales and noise of the largest posterior: a coarse look around, then steps that get smaller, dimension by dimension. */
function fitSettings(data: Data): Settings {
  const dimensions = data.unordered.length;
  // In many dimensions points are far apart: longer scales see the same structure.
  const prior = log(0.35 * sqrt(dimensions) + 0.15);
  const distances = squaredDistances(data);
  let settings: Settings = { lengths: new Array<number>(dimensions).fill(prior), noise: log(1e-3) };
  let best = logPosterior(distances, data.values, settings, prior);
  const rows = data.points.length;
  let left = FIT_WORK / (rows * rows * (rows / 6 + dimensions / 2));
  const tryOut = (candidate: Settings) => {
    if (--left < 0) {
      return true;
    }
    const found = logPosterior(distances, data.values, candidate, prior);
    const isBetter = found > best + 1e-9;
    [settings, best] = isBetter ? [candidate, found] : [settings, best];
    return isBetter;
  };
  for (const shift of [-1.2, -0.6, 0.6, 1.2]) {
    for (const noise of [1e-5, 1e-3, 3e-2]) {
      tryOut({ lengths: new Array<number>(dimensions).fill(prior + shift), noise: log(noise) });
    }
  }
  for (let step = 0.8; step > 0.15; step /= 2) {
    for (let axis = 0; axis < dimensions; axis++) {
      const { lengths, noise } = settings;
      const moved = (by: number) => ({ noise, lengths: lengths.map((length, at) => (at === axis ? length + by : length)) });
      if (!tryOut(moved(step))) {
        tryOut(moved(-step));
      }
    }
    for (const by of [2 * step, -2 * step]) {
      tryOut({ ...settings, noise: min(log(0.5), max(log(1e-6), settings.noise + by)) });
    }
  }
  return settings;
}

/** Squared differences of all pairs of points in each dimension: computed once, however many length scales are tried. */
function squaredDistances({ points, unordered }: Data): Float64Array[] {
  return unordered.map((isUnordered, axis) => {
    const entries = triangle(points.length);
    let at = 0;
    for (let row = 0; row < points.length; row++) {
      for (let column = 0; column <= row; column++) {
        const difference = isUnordered ? Number(points[row][axis] !== points[column][axis]) : points[row][axis] - points[column][axis];
        entries[at++] = difference * difference;
      }
    }
    return entries;
  });
}

/** The values as the model sees them with these settings. */
function conditioned(distances: readonly Float64Array[], values: readonly number[], settings: Settings) {
  const scales = scalesOf(settings);
  const factor = triangle(values.length);
  for (let axis = 0; axis < distances.length; axis++) {
    const entries = distances[axis];
    const scale = scales[axis];
    for (let at = 0; at < factor.length; at++) {
      factor[at] += scale * entries[at];
    }
  }
  const diagonal = diagonalOf(settings);
  for (let row = 0, at = 0; row < values.length; row++) {
    for (let column = 0; column < row; column++, at++) {
      factor[at] = kernel(factor[at]);
    }
    factor[at++] = diagonal;
  }
  factorise(factor, values.length);
  const whitened = solveLower(factor, values);
  // With an inverse-gamma prior of weight 2, so that two equal values do not mean that the function is flat.
  return { factor, whitened, amplitude: (squares(whitened) + 2) / (values.length + 2) };
}

function logPosterior(distances: readonly Float64Array[], values: readonly number[], settings: Settings, prior: number): number {
  const { factor, amplitude } = conditioned(distances, values, settings);
  let likelihood = -(values.length + 2) / 2 * log(amplitude);
  for (let row = 0, at = 0; row < values.length; row++, at += row + 1) {
    likelihood -= log(factor[at]);
  }
  const lengths = settings.lengths.reduce((total, length) => total + ((length - prior) / 0.8) ** 2, 0);
  const noise = ((settings.noise - log(1e-4)) / 3) ** 2;
  return likelihood - (lengths + noise) / 2;
}

/** What squared differences are multiplied by: 5, for the kernel, over the square of the length. */
function scalesOf({ lengths }: Settings): number[] {
  return lengths.map((length) => 5 * exp(-2 * length));
}

function diagonalOf({ noise }: Settings): number {
  return 1 + exp(noise) + 1e-9;
}

/** Matern 5/2 of a squared distance that is scaled already. */
function kernel(square: number): number {
  const distance = sqrt(square);
  return (1 + distance + square / 3) * exp(-distance);
}

/** Values as a model wants them: larger is better, mean 0, variance 1, nothing far out on the bad side. */
export function standardise(values: readonly number[], goal: 'maximize' | 'minimize'): number[] {
  const signed = values.map((value) => (goal === 'maximize' ? value : -value));
  const sorted = [...signed].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  const floor = at(0.5) - 2.5 * max(at(0.9) - at(0.5), at(0.5) - at(0.25), 1e-12);
  const pulled = signed.map((value) => max(value, floor));
  const mean = pulled.reduce((total, value) => total + value, 0) / pulled.length;
  const deviation = sqrt(pulled.reduce((total, value) => total + (value - mean) ** 2, 0) / pulled.length);
  return pulled.map((value) => (deviation > 0 ? (value - mean) / deviation : 0));
}

// Symmetric and lower triangular matrices, packed row by row: entry (row, column) is at row * (row + 1) / 2 + column. One array without holes, and
// loops that run along it, are what makes a model of a hundred trials cheap.

/** Room for the lower triangle of a matrix with so many rows, all 0. */
function triangle(rows: number): Float64Array {
  return new Float64Array(rows * (rows + 1) / 2);
}

/** Replaces a symmetric matrix by the lower triangle whose product with its transpose it is (Cholesky). */
function factorise(matrix: Float64Array, rows: number): void {
  for (let row = 0, start = 0; row < rows; start += ++row) {
    for (let column = 0, other = 0; column <= row; other += ++column) {
      let sum = matrix[start + column];
      for (let index = 0; index < column; index++) {
        sum -= matrix[start + index] * matrix[other + index];
      }
      // Rounding can make a matrix of points that almost coincide indefinite.
      matrix[start + column] = column === row ? sqrt(max(sum, 1e-10)) : sum / matrix[other + column];
    }
  }
}

/** What the triangle has to be multiplied by to give the values. */
function solveLower(factor: Float64Array, values: ArrayLike<number>): Float64Array {
  const solution = new Float64Array(values.length);
  for (let row = 0, at = 0; row < values.length; row++) {
    let sum = values[row];
    for (let column = 0; column < row; column++) {
      sum -= factor[at++] * solution[column];
    }
    solution[row] = sum / factor[at++];
  }
  return solution;
}

/** The same for the transpose of the triangle. */
function solveUpper(factor: Float64Array, values: ArrayLike<number>): Float64Array {
  const solution = Float64Array.from(values);
  for (let row = values.length - 1, start = factor.length - values.length; row >= 0; start -= row--) {
    const value = solution[row] / factor[start + row];
    solution[row] = value;
    for (let column = 0; column < row; column++) {
      solution[column] -= factor[start + column] * value;
    }
  }
  return solution;
}

function squares(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    sum += values[index] * values[index];
  }
  return sum;
}
