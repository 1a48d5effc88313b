import type { HyperbandOptions, TuningScale } from './generated/auto-tuning';
import { checkTypes } from '../props/check-props';

/** A range of fractions or whole numbers. */
export interface NumberRange {
  /** Smallest value. */
  readonly min: number;
  /** Largest value. */
  readonly max: number;
  /** Distance between two values. Not on a log scale. @default - 1 for whole numbers, any distance for fractions */
  readonly step?: number;
  /** How the values are spread. @default TuningScale.LINEAR */
  readonly scale?: TuningScale;
}

/** One dimension of a search space. */
export class TuningParameter {
  /** Fractions between two bounds. */
  public static float(range: NumberRange): TuningParameter {
    checkTypes('TuningParameter.float', 'NumberRange', range);
    return new TuningParameter('float', range.min, range.max, range.step, range.scale);
  }

  /** Whole numbers between two bounds, both included. */
  public static int(range: NumberRange): TuningParameter {
    checkTypes('TuningParameter.int', 'NumberRange', range);
    return new TuningParameter('int', range.min, range.max, range.step, range.scale);
  }

  /** Fractions from a list. */
  public static floats(...values: number[]): TuningParameter {
    return new TuningParameter('float', undefined, undefined, undefined, undefined, values);
  }

  /** Whole numbers from a list, such as batch sizes. */
  public static ints(...values: number[]): TuningParameter {
    return new TuningParameter('int', undefined, undefined, undefined, undefined, values);
  }

  /** Unordered words, such as names of optimizers. */
  public static categorical(...values: string[]): TuningParameter {
    return new TuningParameter('categorical', undefined, undefined, undefined, undefined, undefined, values);
  }

  /**
   * @param kind float, int or categorical
   * @param min smallest value
   * @param max largest value
   * @param step distance between two values
   * @param scale how values are spread
   * @param numbers a list of numbers
   * @param words a list of words
   */
  private constructor(
    public readonly kind: string,
    public readonly min?: number,
    public readonly max?: number,
    public readonly step?: number,
    public readonly scale?: TuningScale,
    public readonly numbers?: number[],
    public readonly words?: string[],
  ) {}
}

/** How the next trial is chosen. */
export class TuningAlgorithm {
  /** A model of the objective (a Gaussian process) predicts where the largest improvement is. */
  public static bayesian(): TuningAlgorithm {
    return new TuningAlgorithm('bayesian');
  }

  /** At random; in a small space, each point once. */
  public static random(): TuningAlgorithm {
    return new TuningAlgorithm('random');
  }

  /** Every point; ranges need steps. */
  public static grid(): TuningAlgorithm {
    return new TuningAlgorithm('grid');
  }

  /** Many points with a small budget, then the best of them, fewer each time, with a larger one. */
  public static hyperband(budget: HyperbandOptions): TuningAlgorithm {
    checkTypes('TuningAlgorithm.hyperband', 'HyperbandOptions', budget);
    return new TuningAlgorithm('hyperband', budget);
  }

  /**
   * @param name as the manifest spells it
   * @param budget of hyperband
   */
  private constructor(public readonly name: string, public readonly budget?: HyperbandOptions) {}
}
