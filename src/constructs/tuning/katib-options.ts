import type { KatibAlgorithm } from './katib-algorithm';
import type { KatibMetrics } from './katib-metrics';

/**
 * What becomes of Katib's suggestion service, and of the search with it, when the search has ended.
 */
export enum KatibResume {
  /** It is removed, and the search is over. */
  NEVER = 'Never',

  /** It stays, and a larger `maxTrials` makes the search go on. */
  LONG_RUNNING = 'LongRunning',

  /** What it knows stays on a volume, from which a larger `maxTrials` makes it go on. */
  FROM_VOLUME = 'FromVolume',
}

/**
 * What Katib has beyond a search of our operator.
 */
export interface KatibOptions {
  /**
   * Where the values of metrics are found.
   *
   * @default KatibMetrics.stdOut()
   */
  readonly metrics?: KatibMetrics;

  /**
   * Algorithm of Katib's own. Not together with `algorithm` of the search.
   *
   * @default - `algorithm` of the search
   */
  readonly algorithm?: KatibAlgorithm;

  /**
   * Metrics that are collected beside the objective.
   *
   * @default - none
   */
  readonly additionalMetrics?: string[];

  /**
   * Values of the objective that a trial has to report before it can be ended early. Takes the place of `earlyStopping.minProgressPercentage`.
   *
   * @default 4
   */
  readonly earlyStoppingStartStep?: number;

  /**
   * Whether the jobs of trials stay when the trials have ended.
   *
   * @default false
   */
  readonly retainTrials?: boolean;

  /**
   * What becomes of the suggestion service when the search has ended.
   *
   * @default KatibResume.NEVER
   */
  readonly resume?: KatibResume;
}
