import type { KatibSettings } from '../../model/katib/spec';
import { KatibMetrics, type KatibOptions } from './katib-options';
import { checkTypes } from '../props/check-props';

/** What runs a search. */
export class SearchEngine {
  /** The operator that ships with Trainyard: the search is an `MLTrainingJob` with `autoTuning`. */
  public static operator(): SearchEngine {
    return new SearchEngine('operator');
  }

  /**
   * Katib 0.19 (`kubeflow.org/v1beta1`): the search is an `Experiment`, and its trials are jobs on the engine of the job.
   */
  public static katib(options: KatibOptions = {}): SearchEngine {
    checkTypes('SearchEngine.katib', 'KatibOptions', options);
    const { metrics = KatibMetrics.stdOut(), algorithm, additionalMetrics, earlyStoppingStartStep, retainTrials, resume } = options;
    return new SearchEngine('katib', {
      collector: metrics._toSpec(),
      ...(algorithm && { algorithm: algorithm._toSpec() }),
      ...(additionalMetrics && { additionalMetrics: [...additionalMetrics] }),
      ...(earlyStoppingStartStep !== undefined && { startStep: earlyStoppingStartStep }),
      ...(retainTrials !== undefined && { retainTrials }),
      ...(resume && { resumePolicy: resume }),
    });
  }

  /** `operator` or `katib`. */
  public readonly name: string;

  /** @internal */
  public readonly _katib?: KatibSettings;

  private constructor(name: string, katib?: KatibSettings) {
    this.name = name;
    this._katib = katib;
  }
}
