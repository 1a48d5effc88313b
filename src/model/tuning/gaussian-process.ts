/**
 * Regression with a Gaussian process: what is known of a function after some of its values, as a mean and a variance at every point. Kernel
 * Matern 5/2 with a length scale for each dimension; categories are at distance 0 or 1. Length scales and noise maximise the likelihood of the
 * values under a prior that keeps them from extremes when there are few; the function's own variance is then known in closed form.
 *
 * Values are standardised first, and those on the bad side that lie far out are pulled in: a training that diverged says "bad here", and its loss of
 * 10^9 must not flatten all the rest.
 * @see https://gaussianprocess.org/gpml/chapters/RW.pdf chapters 2 and 5
 */

/** Mean and variance. */
export interface Prediction {
  readonly mean: number;
  readonly variance: number;
}

/** Logarithms of the length scales, and of the noise's share of the variance. */
interface Settings {
  readonly lengths: readonly number[];
  readonly noise: number;
}

/** A model that was fitted. Values are those of {@link standardise}; larger is better. */
export class GaussianProcess {
  /**
   * Fits length scales and noise.
   * @param points coordinates from 0 to 1
   * @param values one for each point, standardised
   * @param unordered which dimensions are categories
   */
  public static fit(points: readonly (readonly number[])[], values: readonly number[], unordered: readonly boolean[]): GaussianProcess {
    const dimensions = unordered.length;
    // In many dimensions points are far apart: longer scales see the same structure.
    const prior = Math.log(0.35 * Math.sqrt(dimensions) + 0.15);
    const evaluate = (settings: Settings) => new GaussianProcess(points, values, unordered, settings, prior);
    let best = evaluate({ lengths: new Array(dimensions).fill(prior), noise: Math.log(1e-3) });
    // Each evaluation is a decomposition of an n x n matrix; the search for settings gets a share of a second, whatever n.
    let evaluations = Math.max(40, Math.min(140, Math.floor(3e7 / (points.length ** 3 / 3 + 2000))));
    const tryOut = (settings: Settings) => {
      evaluations--;
      const candidate = evaluate(settings);
      const better = candidate.score > best.score + 1e-9;
      best = better ? candidate : best;
      return better;
    };
    for (const shift of [-1.2, -0.6, 0.6, 1.2]) {
      for (const noise of [1e-5, 1e-3, 3e-2]) {
        tryOut({ lengths: new Array(dimensions).fill(prior + shift), noise: Math.log(noise) });
      }
    }
    for (let step = 0.8; step > 0.15 && evaluations > 0; step /= 2) {
      for (let index = 0; index < dimensions && evaluations > 0; index++) {
        const { settings } = best;
        const moved = (by: number) => ({ ...settings, lengths: settings.lengths.map((length, at) => (at === index ? length + by : length)) });
        if (!tryOut(moved(step))) {
          tryOut(moved(-step));
        }
      }
      for (const by of [2 * step, -2 * step]) {
        tryOut({ ...best.settings, noise: Math.min(Math.log(0.5), Math.max(Math.log(1e-6), best.settings.noise + by)) });
      }
    }
    return best;
  }

  private readonly factor: Float64Array[];
  private readonly weights: Float64Array;
  private readonly amplitude: number;
  private readonly score: number;
  private readonly scales: readonly number[];

  private constructor(
    private readonly points: readonly (readonly number[])[],
    values: readonly number[],
    private readonly unordered: readonly boolean[],
    private readonly settings: Settings,
    private readonly prior: number,
  ) {
    this.scales = settings.lengths.map((length) => Math.exp(-length));
    const noise = Math.exp(settings.noise);
    const covariance = points.map((point, row) => {
      const entries = new Float64Array(row + 1);
      for (let column = 0; column < row; column++) {
        entries[column] = this.kernel(point, points[column]);
      }
      entries[row] = 1 + noise + 1e-9;
      return entries;
    });
    this.factor = choleskyOf(covariance);
    const whitened = solveLower(this.factor, values);
    // With an inverse-gamma prior of weight 2, so that two equal values do not mean that the function is flat.
    this.amplitude = (squares(whitened) + 2) / (points.length + 2);
    this.weights = solveUpper(this.factor, whitened);
    this.score = this.logPosterior(points.length);
  }

  /** What is known of the function at a point. */
  public predict(point: readonly number[]): Prediction {
    // Plain loops: thousands of candidates are asked about for each trial.
    const covariances = new Float64Array(this.points.length);
    let mean = 0;
    for (let index = 0; index < covariances.length; index++) {
      covariances[index] = this.kernel(point, this.points[index]);
      mean += covariances[index] * this.weights[index];
    }
    return { mean, variance: this.amplitude * Math.max(1e-12, 1 - squares(solveLower(this.factor, covariances))) };
  }

  /** The same model after some more points, whose values are taken to be what it expects there: what is under way is not tried again. */
  public expecting(points: readonly (readonly number[])[], values: readonly number[]): GaussianProcess {
    const expected = points.map((point) => this.predict(point).mean);
    return new GaussianProcess([...this.points, ...points], [...values, ...expected], this.unordered, this.settings, this.prior);
  }

  private kernel(a: readonly number[], b: readonly number[]): number {
    let sum = 0;
    for (let index = 0; index < a.length; index++) {
      const difference = (this.unordered[index] ? Number(a[index] !== b[index]) : a[index] - b[index]) * this.scales[index];
      sum += difference * difference;
    }
    const distance = Math.sqrt(5 * sum);
    return (1 + distance + distance * distance / 3) * Math.exp(-distance);
  }

  private logPosterior(count: number): number {
    let likelihood = -(count + 2) / 2 * Math.log(this.amplitude);
    this.factor.forEach((row, index) => { likelihood -= Math.log(row[index]); });
    const lengths = this.settings.lengths.reduce((total, length) => total + ((length - this.prior) / 0.8) ** 2, 0);
    const noise = ((this.settings.noise - Math.log(1e-4)) / 3) ** 2;
    return likelihood - (lengths + noise) / 2;
  }
}

/** Values as a model wants them: larger is better, mean 0, variance 1, nothing far out on the bad side. */
export function standardise(values: readonly number[], goal: 'maximize' | 'minimize'): number[] {
  const signed = values.map((value) => (goal === 'maximize' ? value : -value));
  const sorted = [...signed].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  const floor = at(0.5) - 2.5 * Math.max(at(0.9) - at(0.5), at(0.5) - at(0.25), 1e-12);
  const pulled = signed.map((value) => Math.max(value, floor));
  const mean = pulled.reduce((total, value) => total + value, 0) / pulled.length;
  const deviation = Math.sqrt(pulled.reduce((total, value) => total + (value - mean) ** 2, 0) / pulled.length);
  return pulled.map((value) => (deviation > 0 ? (value - mean) / deviation : 0));
}

/** Lower triangle whose product with its transpose is the matrix, row by row. */
function choleskyOf(matrix: readonly Float64Array[]): Float64Array[] {
  for (let row = 0; row < matrix.length; row++) {
    const current = matrix[row];
    for (let column = 0; column <= row; column++) {
      const other = matrix[column];
      let sum = current[column];
      for (let index = 0; index < column; index++) {
        sum -= current[index] * other[index];
      }
      // Rounding can make a matrix of points that almost coincide indefinite.
      current[column] = column === row ? Math.sqrt(Math.max(sum, 1e-10)) : sum / other[column];
    }
  }
  return matrix as Float64Array[];
}

function squares(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    sum += values[index] * values[index];
  }
  return sum;
}

function solveLower(factor: readonly Float64Array[], values: ArrayLike<number>): Float64Array {
  const solution = new Float64Array(factor.length);
  for (let row = 0; row < factor.length; row++) {
    const entries = factor[row];
    let sum = values[row];
    for (let column = 0; column < row; column++) {
      sum -= entries[column] * solution[column];
    }
    solution[row] = sum / entries[row];
  }
  return solution;
}

function solveUpper(factor: readonly Float64Array[], values: ArrayLike<number>): Float64Array {
  const solution = new Float64Array(factor.length);
  for (let row = factor.length - 1; row >= 0; row--) {
    let sum = values[row];
    for (let below = row + 1; below < factor.length; below++) {
      sum -= factor[below][row] * solution[below];
    }
    solution[row] = sum / factor[row][row];
  }
  return solution;
}
