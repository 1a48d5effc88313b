import type { KatibAlgorithmSpec } from '../../model/katib/spec';

/**
 * An algorithm of Katib that `TuningAlgorithm` has not, or settings that it has not.
 *
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/hp-tuning/configure-algorithm/
 */
export class KatibAlgorithm {
  /** Tree-structured Parzen estimator: takes every scale and step. */
  public static tpe(): KatibAlgorithm {
    return new KatibAlgorithm('tpe');
  }

  /** The same for parameters that depend on each other. */
  public static multivariateTpe(): KatibAlgorithm {
    return new KatibAlgorithm('multivariate-tpe');
  }

  /** Covariance matrix adaptation; for two ranges or more, spread evenly. */
  public static cmaEs(): KatibAlgorithm {
    return new KatibAlgorithm('cmaes');
  }

  /** Points of a Sobol sequence: by chance, but spread well. Ranges are spread evenly. */
  public static sobol(): KatibAlgorithm {
    return new KatibAlgorithm('sobol');
  }

  /**
   * An algorithm with settings of its own.
   * @param name as Katib's configuration lists it, such as `bayesianoptimization`
   * @param settings such as `{ acq_func: 'EI' }`; the seed is not one of them
   */
  public static named(name: string, settings: { readonly [name: string]: string } = {}): KatibAlgorithm {
    return new KatibAlgorithm(name, settings);
  }

  /** As Katib's configuration lists it. */
  public readonly name: string;

  private constructor(name: string, private readonly settings: { readonly [name: string]: string } = {}) {
    this.name = name;
  }

  /**
   * The algorithm in the model's terms.
   * @internal
   */
  public _toSpec(): KatibAlgorithmSpec {
    return { name: this.name, settings: { ...this.settings } };
  }
}
