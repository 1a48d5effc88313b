import type { ResourceProps } from 'cdk8s-plus-28';
import type { AutoTuning } from '../training-job/generated/auto-tuning';
import type { TrainingJobProps } from '../training-job/training-job-props';
import type { SearchEngine } from './search-engine';

/**
 * Properties of a `HyperparameterSearch`.
 */
export interface HyperparameterSearchProps extends ResourceProps, AutoTuning {
  /** The job that is tried. Its name and namespace are the search's, and the search is here and not in its `autoTuning`. */
  readonly job: TrainingJobProps;

  /**
   * What makes the trials.
   *
   * @default SearchEngine.operator()
   */
  readonly searchEngine?: SearchEngine;
}
