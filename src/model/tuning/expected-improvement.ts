/**
 * How much better than the best value so far a point is expected to be, by a model: large where the model expects much, and where it knows little.
 * @see https://doi.org/10.1023/A:1008306431147 (Jones, Schonlau, Welch: Efficient Global Optimization)
 */
import type { GaussianProcess } from './gaussian-process';

const { abs, exp, log, max, min, sqrt, PI } = Math;

/** Steps of a climb at most; most end sooner. */
const CLIMB_STEPS = 16;

/** First and last length of a step, in length scales of the model. */
const STEP = { first: 0.3, last: 0.003 };

/** The expected improvement over the best value, for one model. Logarithms: far from the good places the improvement itself is zero to a computer. */
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
