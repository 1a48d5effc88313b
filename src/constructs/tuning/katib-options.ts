import { checkTypes } from '../props/check-props';
import type { KatibAlgorithmSpec, KatibCollectorSpec } from '../../model/katib/spec';

/** What becomes of Katib's suggestion service, and of the search with it, when the search has ended. */
export enum KatibResume {
  /** It is removed, and the search is over. */
  NEVER = 'Never',
  /** It stays, and a larger `maxTrials` makes the search go on. */
  LONG_RUNNING = 'LongRunning',
  /** What it knows stays on a volume, from which a larger `maxTrials` makes it go on. */
  FROM_VOLUME = 'FromVolume',
}

/** What Katib has beyond a search of our operator. */
export interface KatibOptions {
  /** Where the values of metrics are found. @default KatibMetrics.stdOut() */
  readonly metrics?: KatibMetrics;

  /** Algorithm of Katib's own. Not together with `algorithm` of the search. @default - `algorithm` of the search */
  readonly algorithm?: KatibAlgorithm;

  /** Metrics that are collected in addition to the objective. @default - none */
  readonly additionalMetrics?: string[];

  /**
   * Values of the objective that a trial has to report before it can be ended early. Takes the place of `earlyStopping.minProgressPercentage`.
   * @default 4
   */
  readonly earlyStoppingStartStep?: number;

  /** Whether the jobs of trials stay when the trials have ended. @default false */
  readonly retainTrials?: boolean;

  /** What becomes of the suggestion service when the search has ended. @default KatibResume.NEVER */
  readonly resume?: KatibResume;
}

/** How lines of text are read. */
export interface KatibTextOptions {
  /**
   * Regular expressions with two groups each: the name of a metric, and its value.
   * @default - `name=value`, `name: value` and `"name": value`, as searches of our operator read them
   */
  readonly formats?: string[];
}

/** A file with metrics. */
export interface KatibFileOptions extends KatibTextOptions {
  /**
   * Absolute path of the file, in a folder of its own: the folder is mounted over.
   * @default '/var/log/katib/metrics.log'
   */
  readonly path?: string;

  /** Whether each line is a JSON object with values as texts: `{"val_accuracy": "0.93"}`. @default false */
  readonly json?: boolean;
}

/**
 * Where Katib finds the values of metrics.
 * @see https://www.kubeflow.org/docs/components/katib/user-guides/metrics-collector/
 */
export class KatibMetrics {
  /** In what the first replica prints. Its program is started through a shell. */
  public static stdOut(options: KatibTextOptions = {}): KatibMetrics {
    checkTypes('KatibMetrics.stdOut', 'KatibTextOptions', options);
    return new KatibMetrics({ kind: 'StdOut', ...(options.formats && { formats: [...options.formats] }) });
  }

  /** In a file that the first replica writes. Its program is started through a shell. */
  public static file(options: KatibFileOptions = {}): KatibMetrics {
    checkTypes('KatibMetrics.file', 'KatibFileOptions', options);
    const { path = '/var/log/katib/metrics.log', json, formats } = options;
    return new KatibMetrics({ kind: 'File', path, ...(json && { json }), ...(formats && { formats: [...formats] }) });
  }

  /**
   * In TensorBoard's files, which the first replica writes. Its program is started through a shell.
   * @param path absolute path of the folder
   */
  public static tensorFlowEvents(path: string = '/var/log/katib/tfevent/'): KatibMetrics {
    return new KatibMetrics({ kind: 'TensorFlowEvent', path });
  }

  /**
   * Asked for over HTTP in Prometheus' form, while the first replica trains.
   * @param port port of the first replica
   * @param path path of the request
   */
  public static prometheus(port: number = 8080, path: string = '/metrics'): KatibMetrics {
    return new KatibMetrics({ kind: 'PrometheusMetric', port, path });
  }

  /** Sent to Katib by the script, with `report_metrics` of Katib's Python package. */
  public static push(): KatibMetrics {
    return new KatibMetrics({ kind: 'Push' });
  }

  private constructor(private readonly spec: KatibCollectorSpec) {}

  /** The collector in the model's terms. @internal */
  public _toSpec(): KatibCollectorSpec {
    return this.spec;
  }
}

/**
 * An algorithm of Katib that `TuningAlgorithm` has not, or settings that it has not.
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

  /** The algorithm in the model's terms. @internal */
  public _toSpec(): KatibAlgorithmSpec {
    return { name: this.name, settings: { ...this.settings } };
  }
}
