// Generated from the tables of src/model/training-job: run `npm run props` after a change there.
import type { TuningAlgorithm, TuningParameter } from '../search-space';

/** Whether lower or higher values of the objective are better. */
export enum TuningGoal {
  /** Higher values: accuracy. */
  MAXIMIZE = 'maximize',
  /** Lower values: loss. */
  MINIMIZE = 'minimize',
}

/**
 * Stops trials that are worse than most at the same point of their training (median rule): those whose best value so far is worse than the median of
 * what earlier trials had on average. Needs scripts that report their progress and the objective.
 */
export interface EarlyStopping {
  /** Number of trials that must have ended first. At least 1. @default 3 */
  readonly minTrials?: number;
  /** Progress below which no trial is stopped. From 10 to 100. @default 20 */
  readonly minProgressPercentage?: number;
}

/** Hyperparameter search: the job is tried with one set of values after another, each in a job of its own. */
export interface AutoTuning {
  /** Metric that is optimised, under the name under which the script reports or prints it. */
  readonly objective: string;

  /**
   * The search space by name of the hyperparameter. Scripts find a value under this name and in capitals (`learningRate`, `LEARNING_RATE`).
   */
  readonly parameters: { readonly [name: string]: TuningParameter };

  /** How the next trial is chosen. @default - bayesian */
  readonly algorithm?: TuningAlgorithm;

  /** Maximum number of trials. From 1 to 100,000. @default 20 */
  readonly maxTrials?: number;

  /** Trials at a time. From 1 to 64. @default 1 */
  readonly parallelTrials?: number;

  /** Whether lower or higher values are better. @default TuningGoal.MAXIMIZE */
  readonly goal?: TuningGoal;

  /** Value of the objective at which the search ends. @default - all trials run */
  readonly target?: number;

  /** Random seed: the same seed and results give the same trials. @default - derived from the job's uid */
  readonly seed?: number;

  /** If more trials fail, the search fails. @default - a quarter of maxTrials, at least 3 */
  readonly maxFailedTrials?: number;

  /** Jobs of ended trials that are kept in addition to the best one: the latest. From 0 to 1,000. @default 20 */
  readonly keepTrials?: number;

  /**
   * Stops trials that are worse than most at the same point of their training (median rule): those whose best value so far is worse than the median
   * of what earlier trials had on average. Needs scripts that report their progress and the objective.
   * @default - all run to completion
   */
  readonly earlyStopping?: EarlyStopping;
}

/** Training budget that hyperband gives its trials. */
export interface HyperbandOptions {
  /** Hyperparameter that is set to the budget, such as `EPOCHS`, in addition to `TRAINYARD_BUDGET`. @default - none */
  readonly parameter?: string;
  /** Smallest budget of a trial. At least 1. @default 1 */
  readonly min?: number;
  /** Budget of a full training: epochs, steps, or any unit that the script uses. At least 1. */
  readonly max: number;
  /** One in this many trials continues, with this many times the budget. From 2 to 10. @default 3 */
  readonly reductionFactor?: number;
}

/** How the values of a range are distributed. */
export enum TuningScale {
  /** Evenly. */
  LINEAR = 'linear',
  /** Evenly in their logarithms, as learning rates should be: as many values between 0.001 and 0.01 as between 0.01 and 0.1. */
  LOG = 'log',
}
