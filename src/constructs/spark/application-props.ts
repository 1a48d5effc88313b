import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { SparkRestart, SparkSessionProps } from './session-props';
import type { SparkPodOptions } from './spark-pods';
import type { SparkMonitoringOptions } from '../monitoring/monitoring-options';
import type { SparkProgramSpec } from '../../model/spark/spec';
import type { SparkBatchScheduler } from '../../model/spark/settings';
import { checkTypes } from '../props/check-props';

/** Dependencies of a program in addition to its own file. All are URIs, as in `SparkProgram`. */
export interface SparkDependencies {
  /** Jars on the class path of driver and executors. @default - none */
  readonly jars?: string[];
  /** Files in the working directory of driver and executors. @default - none */
  readonly files?: string[];
  /** Python files and packages (`.py`, `.zip`, `.egg`, `.jar`) on the Python path. @default - none */
  readonly pyFiles?: string[];
  /** Archives to unpack in the working directory, into the folder after `#`. @default - none */
  readonly archives?: string[];
  /** Maven packages, `group:artifact:version`. @default - none */
  readonly packages?: string[];
  /** Transitive dependencies of the packages to exclude, `group:artifact`. @default - none */
  readonly excludePackages?: string[];
  /** Maven repositories in addition to Maven Central. @default - none */
  readonly repositories?: string[];
}

/** The Service of the driver's UI, which exists as long as the driver. */
export interface SparkUi {
  /** Port of the Service. @default 4040 */
  readonly port?: number;
  /** Type of the Service. @default ServiceType.CLUSTER_IP */
  readonly serviceType?: kplus.ServiceType;
  /** Annotations of the Service. @default - none */
  readonly annotations?: { readonly [name: string]: string };
}

/** A port of the driver behind an Ingress. */
export interface SparkDriverIngress {
  /** The port. */
  readonly port: number;
  /** Name of the port. @default - `driver-port-PORT` */
  readonly portName?: string;
  /** Host and path, with the placeholders `{{$appName}}` and `{{$appNamespace}}`: `{{$appName}}.example.org`. */
  readonly urlFormat: string;
}

/** Properties of a `SparkApplication`. */
export interface SparkApplicationProps extends SparkSessionProps {
  /** The program. */
  readonly program: SparkProgram;

  /** Its arguments. @default - none */
  readonly arguments?: string[];

  /** Dependencies in addition to its own file. @default - none; the image contains them */
  readonly dependencies?: SparkDependencies;

  /** The driver. @default - a core and 1 GiB of heap */
  readonly driver?: SparkPodOptions;

  /** When images are pulled. @default - Kubernetes' default */
  readonly imagePullPolicy?: kplus.ImagePullPolicy;

  /**
   * Metrics for Prometheus; `true` for Spark's own metrics pages with all monitoring objects.
   * @default - none
   */
  readonly monitoring?: SparkMonitoring | boolean;

  /**
   * Monitoring with Prometheus and Grafana, based on Spark's own metrics pages; `true` for all defaults.
   * @default - all defaults if `monitoring` is `true`, else none
   */
  readonly monitoringObjects?: SparkMonitoringOptions | boolean;

  /** Scheduler that places driver and executors as a group. @default - pods are placed one by one */
  readonly batchScheduler?: SparkScheduler;

  /** When it is restarted. @default - never */
  readonly restart?: SparkRestart;

  /** How long the application is kept after its end. @default - until it is deleted */
  readonly ttlAfterFinished?: Duration;

  /** Whether it waits until it is resumed. @default false */
  readonly suspend?: boolean;

  /** The Service of the driver's UI. @default - type ClusterIP, port 4040 */
  readonly ui?: SparkUi;

  /** Ports of the driver behind an Ingress. @default - none */
  readonly driverIngresses?: SparkDriverIngress[];
}

/**
 * The program of a Spark application. Files are URIs: `local:///opt/app/main.py` is in the image; `gs://`, `s3a://`, `hdfs://` and `https://` are
 * downloaded.
 */
export class SparkProgram {
  /** A Python script. @param file URI that ends with `.py` */
  public static python(file: string): SparkProgram {
    return new SparkProgram({ type: 'Python', file });
  }

  /**
   * A Java class in a jar.
   * @param jar URI of the jar
   * @param mainClass class with the method `main`
   */
  public static java(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Java', file: jar, mainClass });
  }

  /**
   * A Scala object in a jar.
   * @param jar URI of the jar
   * @param mainClass object with the method `main`
   */
  public static scala(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Scala', file: jar, mainClass });
  }

  /** An R script. @param file URI that ends with `.R` */
  public static r(file: string): SparkProgram {
    return new SparkProgram({ type: 'R', file });
  }

  /** @internal */
  public readonly _spec: SparkProgramSpec;

  private constructor(spec: SparkProgramSpec) {
    this._spec = spec;
  }
}

/** Options of a batch scheduler. */
export interface SparkSchedulingOptions {
  /** Queue of the scheduler. @default - the scheduler's default */
  readonly queue?: string;
  /** PriorityClass of the group of pods. @default - none */
  readonly priorityClassName?: string;
}

/**
 * Scheduler that places driver and executors as a group. It must be enabled in the operator (`controller.batchScheduler.enable` of its chart).
 */
export class SparkScheduler {
  /** Volcano. */
  public static volcano(options: SparkSchedulingOptions = {}): SparkScheduler {
    checkTypes('SparkScheduler.volcano', 'SparkSchedulingOptions', options);
    return new SparkScheduler('volcano', options.queue, options.priorityClassName);
  }

  /** Apache YuniKorn. @param queue its queue, such as `root.training` */
  public static yunikorn(queue?: string): SparkScheduler {
    return new SparkScheduler('yunikorn', queue);
  }

  /** The coscheduling plugin of kube-scheduler. */
  public static coscheduling(): SparkScheduler {
    return new SparkScheduler('kube-scheduler');
  }

  private constructor(
    /** Its name in the operator. */
    public readonly name: string, public readonly queue?: string, public readonly priorityClassName?: string,
  ) {}

  /** @internal */
  public _toSpec(): { readonly name: SparkBatchScheduler; readonly queue?: string; readonly priorityClassName?: string } {
    return { name: this.name as SparkBatchScheduler, queue: this.queue, priorityClassName: this.priorityClassName };
  }
}

/** Options of `SparkMonitoring.jmxExporter`. */
export interface SparkJmxExporterOptions {
  /** Path of the exporter in the image, such as `/opt/jmx_prometheus_javaagent.jar`. */
  readonly jar: string;

  /** Port of the metrics, 1024 to 49151. @default 8090 */
  readonly port?: number;

  /** Name of the port. @default jmx-exporter */
  readonly portName?: string;

  /** Whether the driver exposes metrics. @default true */
  readonly driver?: boolean;

  /** Whether executors expose metrics. @default true */
  readonly executors?: boolean;

  /** Spark's `metrics.properties`. @default - Spark's own sources and those of the JVM, over JMX */
  readonly metricsProperties?: string;

  /**
   * Configuration of the exporter, as YAML.
   * @default - `spark_driver_...` and `spark_executor_...`, with namespace, application and executor as labels
   */
  readonly configuration?: string;
}

/** How an application exposes metrics for Prometheus. */
export class SparkMonitoring {
  /**
   * With Spark's own pages on port 4040 of the driver: `/metrics/prometheus` and, for all executors, `/metrics/executors/prometheus`. The image needs
   * nothing else.
   */
  public static servlet(): SparkMonitoring {
    return new SparkMonitoring();
  }

  /** With Prometheus' JMX exporter in each JVM. */
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
