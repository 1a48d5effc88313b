import { checkTypes } from '../props/check-props';
import type { KatibAlgorithmSpec, KatibCollectorSpec } from '../../model/katib/spec';

/** What happens to Katib's suggestion service when the search has ended, and whether the search can be resumed. */
export enum KatibResume {
  /** It is deleted, and the search cannot be resumed. */
  NEVER = 'Never',
  /** It is kept, and a larger `maxTrials` resumes the search. */
  LONG_RUNNING = 'LongRunning',
  /** Its state is kept on a volume, and a larger `maxTrials` resumes the search. */
  FROM_VOLUME = 'FromVolume',
}

/** Options of Katib that Trainyard's operator does not have. */
export interface KatibOptions {
  /** Where Katib reads the values of metrics. @default KatibMetrics.stdOut() */
  readonly metrics?: KatibMetrics;

  /** Katib's own algorithm. Not together with `algorithm` of the search. @default - `algorithm` of the search */
  readonly algorithm?: KatibAlgorithm;

  /** Metrics to collect in addition to the objective. @default - none */
  readonly additionalMetrics?: string[];

  /**
   * Number of values of the objective that a trial must report before it can be stopped early. Replaces `earlyStopping.minProgressPercentage`.
   * @default 4
   */
  readonly earlyStoppingStartStep?: number;

  /** Whether the jobs of trials are kept when the trials have ended. @default false */
  readonly retainTrials?: boolean;

  /** What happens to the suggestion service when the search has ended. @default KatibResume.NEVER */
  readonly resume?: KatibResume;
}

/** How metrics are parsed in text. */
export interface KatibTextOptions {
  /**
   * Regular expressions with two groups each: the name of a metric, and its value.
   * @default - `name=value`, `name: value` and `"name": value`, as with Trainyard's operator
   */
  readonly formats?: string[];
}

/** A file with metrics. */
export interface KatibFileOptions extends KatibTextOptions {
  /**
   * Absolute path of the file, in a folder of its own, because a volume is mounted there.
   * @default '/var/log/katib/metrics.log'
   */
  readonly path?: string;

  /** Whether each line is a JSON object with values as strings: `{"val_accuracy": "0.93"}`. @default false */
  readonly json?: boolean;
}

/**
 * Where Katib reads the values of metrics.
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/metrics-collector/
 */
export class KatibMetrics {
  /** From the output of the first replica. Its program is started through a shell. */
  public static stdOut(options: KatibTextOptions = {}): KatibMetrics {
    checkTypes('KatibMetrics.stdOut', 'KatibTextOptions', options);
    return new KatibMetrics({ kind: 'StdOut', ...(options.formats && { formats: [...options.formats] }) });
  }

  /** From a file that the first replica writes. Its program is started through a shell. */
  public static file(options: KatibFileOptions = {}): KatibMetrics {
    checkTypes('KatibMetrics.file', 'KatibFileOptions', options);
    const { path = '/var/log/katib/metrics.log', json, formats } = options;
    return new KatibMetrics({ kind: 'File', path, ...(json && { json }), ...(formats && { formats: [...formats] }) });
  }

  /**
   * From TensorBoard files that the first replica writes. Its program is started through a shell.
   * @param path absolute path of the folder
   */
  public static tensorFlowEvents(path: string = '/var/log/katib/tfevent/'): KatibMetrics {
    return new KatibMetrics({ kind: 'TensorFlowEvent', path });
  }

  /**
   * From a Prometheus endpoint of the first replica, while it trains.
   * @param port port of the first replica
   * @param path path of the request
   */
  public static prometheus(port: number = 8080, path: string = '/metrics'): KatibMetrics {
    return new KatibMetrics({ kind: 'PrometheusMetric', port, path });
  }

  /** From the script itself, with `report_metrics` of Katib's Python package. */
  public static push(): KatibMetrics {
    return new KatibMetrics({ kind: 'Push' });
  }

  private constructor(private readonly spec: KatibCollectorSpec) {}

  /** @internal */
  public _toSpec(): KatibCollectorSpec {
    return this.spec;
  }
}

/**
 * A Katib algorithm, or settings, that `TuningAlgorithm` does not have.
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/hp-tuning/configure-algorithm/
 */
export class KatibAlgorithm {
  /**
   * Tree-structured Parzen estimator of Hyperopt. Trials that Katib starts together get the same values, except the first ones; with a step, the ends
   * of a range must be multiples of it.
   */
  public static tpe(): KatibAlgorithm {
    return new KatibAlgorithm('tpe');
  }

  /** Tree-structured Parzen estimator of Optuna, for parameters that depend on each other. Supports all scales and steps. */
  public static multivariateTpe(): KatibAlgorithm {
    return new KatibAlgorithm('multivariate-tpe');
  }

  /** Covariance matrix adaptation (CMA-ES), for two or more ranges with a linear scale, of a whole number of steps each. */
  public static cmaEs(): KatibAlgorithm {
    return new KatibAlgorithm('cmaes');
  }

  /** Points of a Sobol sequence, which cover the space evenly. For ranges with a linear scale, of a whole number of steps each. */
  public static sobol(): KatibAlgorithm {
    return new KatibAlgorithm('sobol');
  }

  /**
   * An algorithm with its own settings.
   * @param name name in Katib's configuration, such as `bayesianoptimization`
   * @param settings such as `{ acq_func: 'EI' }`, without the seed. Unknown settings and invalid values are errors at synth
   */
  public static named(name: string, settings: { readonly [name: string]: string } = {}): KatibAlgorithm {
    return new KatibAlgorithm(name, settings);
  }

  /** Name in Katib's configuration. */
  public readonly name: string;

  private constructor(name: string, private readonly settings: { readonly [name: string]: string } = {}) {
    this.name = name;
  }

  /** @internal */
  public _toSpec(): KatibAlgorithmSpec {
    return { name: this.name, settings: { ...this.settings } };
  }
}
