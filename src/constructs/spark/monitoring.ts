import { checkTypes } from '../props/check-props';
/** Options of `SparkMonitoring.jmxExporter`. */
export interface SparkJmxExporterOptions {
  /** Path of the exporter in the image, such as `/opt/jmx_prometheus_javaagent.jar`. */
  readonly jar: string;

  /** Port of the metrics, 1024 to 49151. @default 8090 */
  readonly port?: number;

  /** Name of the port. @default jmx-exporter */
  readonly portName?: string;

  /** Whether the driver shows metrics. @default true */
  readonly driver?: boolean;

  /** Whether executors show metrics. @default true */
  readonly executors?: boolean;

  /** What Spark measures: its `metrics.properties`. @default - Spark's own sources and those of the JVM, by JMX */
  readonly metricsProperties?: string;

  /**
   * What the exporter calls them, as YAML.
   * @default - `spark_driver_...` and `spark_executor_...`, with namespace, application and executor as labels
   */
  readonly configuration?: string;
}

/** How Prometheus gets the metrics of an application. */
export class SparkMonitoring {
  /**
   * Spark's own pages, on port 4040 of the driver: `/metrics/prometheus` and, with those of all executors, `/metrics/executors/prometheus`. Nothing
   * has to be in the image.
   */
  public static servlet(): SparkMonitoring {
    return new SparkMonitoring();
  }

  /** The JMX exporter of Prometheus in each JVM. */
  public static jmxExporter(options: SparkJmxExporterOptions): SparkMonitoring {
    checkTypes('SparkMonitoring.jmxExporter', 'SparkJmxExporterOptions', options);
    return new SparkMonitoring(options);
  }

  /** Options of the exporter; undefined for Spark's own pages. @internal */
  public readonly _jmx?: SparkJmxExporterOptions;

  private constructor(jmx?: SparkJmxExporterOptions) {
    this._jmx = jmx;
  }
}
