import { checkTypes } from '../../props/check-props';
/**
 * Which way the objective is better.
 */
export enum TuningGoal {
  /** The larger, the better: accuracy. */
  MAXIMIZE = 'maximize',

  /** The smaller, the better: loss. */
  MINIMIZE = 'minimize',
}

/**
 * How the values of a range are spread.
 */
export enum TuningScale {
  /** Evenly. */
  LINEAR = 'linear',

  /** Evenly in their logarithms, as learning rates should be: as many values between 0.001 and 0.01 as between 0.01 and 0.1. */
  LOG = 'log',
}

/**
 * A range of fractions.
 */
export interface FloatRange {
  /** Smallest value. */
  readonly min: number;

  /** Largest value. */
  readonly max: number;

  /**
   * Distance between two values. Not on a log scale.
   *
   * @default - any value
   */
  readonly step?: number;

  /**
   * How the values are spread.
   *
   * @default TuningScale.LINEAR
   */
  readonly scale?: TuningScale;
}

/**
 * A range of whole numbers.
 */
export interface IntRange {
  /** Smallest value. */
  readonly min: number;

  /** Largest value. */
  readonly max: number;

  /**
   * Distance between two values. Not on a log scale.
   *
   * @default 1
   */
  readonly step?: number;

  /**
   * How the values are spread.
   *
   * @default TuningScale.LINEAR
   */
  readonly scale?: TuningScale;
}

/**
 * One dimension of a search space.
 */
export class TuningParameter {
  /** Fractions between two bounds. */
  public static float(range: FloatRange): TuningParameter {
    checkTypes('TuningParameter.float', 'FloatRange', range);
    return new TuningParameter('float', range.min, range.max, range.step, range.scale);
  }

  /** Whole numbers between two bounds, both included. */
  public static int(range: IntRange): TuningParameter {
    checkTypes('TuningParameter.int', 'IntRange', range);
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

  /** Words without an order, such as names of optimizers. */
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

/**
 * What hyperband divides among its trials.
 */
export interface HyperbandOptions {
  /** Budget of a full training: epochs, steps, whatever the script makes of the number that it finds in `TRAINYARD_BUDGET`. */
  readonly max: number;

  /**
   * Least budget of a trial.
   *
   * @default 1
   */
  readonly min?: number;

  /**
   * One of so many trials goes on, with so many times the budget.
   *
   * @default 3
   */
  readonly reductionFactor?: number;

  /**
   * Hyperparameter that is set to the budget, such as `EPOCHS`.
   *
   * @default - the budget is in `TRAINYARD_BUDGET` alone
   */
  readonly parameter?: string;
}

/**
 * How the next trial is chosen.
 */
export class TuningAlgorithm {
  /** A model of the objective (a Gaussian process) says where the largest improvement is to be expected. */
  public static bayesian(): TuningAlgorithm {
    return new TuningAlgorithm('bayesian');
  }

  /** By chance; of a space with few points each one once. */
  public static random(): TuningAlgorithm {
    return new TuningAlgorithm('random');
  }

  /** Every point; ranges need steps. */
  public static grid(): TuningAlgorithm {
    return new TuningAlgorithm('grid');
  }

  /** Many points with a small budget, and ever fewer, the best of them, with a larger one. */
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

/**
 * The median rule: a trial ends early when its best value so far is worse than the median of what earlier trials had on average at the same point
 * of their training. Needs scripts that report their progress and the objective.
 */
export interface EarlyStopping {
  /**
   * Trials that have to have ended before.
   *
   * @default 3
   */
  readonly minTrials?: number;

  /**
   * Progress in percent below which no trial is ended, 10 to 100.
   *
   * @default 20
   */
  readonly minProgressPercentage?: number;
}

/**
 * A hyperparameter search: the job is tried with one set of values after another, each in a job of its own.
 */
export interface AutoTuning {
  /** Metric that is optimised, under the name under which the script reports or prints it. */
  readonly objective: string;

  /**
   * The search space by name of the hyperparameter. Scripts find a value under this name and in capitals (`learningRate`, `LEARNING_RATE`).
   */
  readonly parameters: { readonly [name: string]: TuningParameter };

  /**
   * How the next trial is chosen.
   *
   * @default TuningAlgorithm.bayesian()
   */
  readonly algorithm?: TuningAlgorithm;

  /**
   * Trials at most, 1 to 100,000.
   *
   * @default 20
   */
  readonly maxTrials?: number;

  /**
   * Trials at a time, 1 to 64.
   *
   * @default 1
   */
  readonly parallelTrials?: number;

  /**
   * Which way the objective is better.
   *
   * @default TuningGoal.MAXIMIZE
   */
  readonly goal?: TuningGoal;

  /**
   * Value of the objective at which the search ends.
   *
   * @default - all trials are made
   */
  readonly target?: number;

  /**
   * Start of the random numbers: the same seed and results give the same trials.
   *
   * @default - derived from the job's uid
   */
  readonly seed?: number;

  /**
   * One failed trial more ends the search as failed.
   *
   * @default - a quarter of `maxTrials`, at least 3
   */
  readonly maxFailedTrials?: number;

  /**
   * Jobs of ended trials that are kept beside that of the best one: the latest.
   *
   * @default 20
   */
  readonly keepTrials?: number;

  /**
   * When trials are ended early. Not with hyperband.
   *
   * @default - all run to their end
   */
  readonly earlyStopping?: EarlyStopping;
}
