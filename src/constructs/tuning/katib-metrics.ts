import type { KatibCollectorSpec } from '../../model/katib/spec';
import { checkTypes } from '../props/check-props';

/**
 * How lines of text are read.
 */
export interface KatibTextOptions {
  /**
   * Regular expressions with two groups each: the name of a metric, and its value.
   *
   * @default - `name=value`, `name: value` and `"name": value`, as searches of our operator read them
   */
  readonly formats?: string[];
}

/**
 * A file with metrics.
 */
export interface KatibFileOptions extends KatibTextOptions {
  /**
   * Absolute path of the file, in a folder of its own: the folder is mounted over.
   *
   * @default '/var/log/katib/metrics.log'
   */
  readonly path?: string;

  /**
   * Whether each line is a JSON object with values as texts: `{"val_accuracy": "0.93"}`.
   *
   * @default false
   */
  readonly json?: boolean;
}

/**
 * Where Katib finds the values of metrics.
 *
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

  /**
   * The collector in the model's terms.
   * @internal
   */
  public _toSpec(): KatibCollectorSpec {
    return this.spec;
  }
}
