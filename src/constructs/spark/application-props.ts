import type { Duration } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import type { SparkRestart, SparkSessionProps } from './session-props';
import type { SparkPodOptions } from './spark-pods';
import type { SparkMonitoringOptions } from '../monitoring/monitoring-options';
import type { SparkProgramSpec } from '../../model/spark/spec';
import type { SparkBatchScheduler } from '../../model/spark/settings';
import { checkTypes } from '../props/check-props';

/** What comes to a program in addition to its own file. All are URIs, as in `SparkProgram`. */
export interface SparkDependencies {
  /** Jars on the class path of driver and executors. @default - none */
  readonly jars?: string[];
  /** Files in the working directory of driver and executors. @default - none */
  readonly files?: string[];
  /** Python files and packages (`.py`, `.zip`, `.egg`, `.jar`) on the path of Python. @default - none */
  readonly pyFiles?: string[];
  /** Archives that are unpacked in the working directory, into the folder behind `#`. @default - none */
  readonly archives?: string[];
  /** Packages of Maven, `group:artifact:version`. @default - none */
  readonly packages?: string[];
  /** What to leave out of the packages' own dependencies, `group:artifact`. @default - nothing */
  readonly excludePackages?: string[];
  /** Further repositories of Maven. @default - Maven Central */
  readonly repositories?: string[];
}

/** The Service in front of the driver's UI, which is there as long as the driver is. */
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
  /** Host and path, with `{{$appName}}` and `{{$appNamespace}}` for the application's: `{{$appName}}.example.org`. */
  readonly urlFormat: string;
}

/** Properties of a `SparkApplication`. */
export interface SparkApplicationProps extends SparkSessionProps {
  /** The program. */
  readonly program: SparkProgram;

  /** Its arguments. @default - none */
  readonly arguments?: string[];

  /** What comes to it in addition to its own file. @default - nothing; the image has all of it */
  readonly dependencies?: SparkDependencies;

  /** The driver. @default - a core and 1 GiB of heap */
  readonly driver?: SparkPodOptions;

  /** When images are pulled. @default - as Kubernetes does */
  readonly imagePullPolicy?: kplus.ImagePullPolicy;

  /**
   * Metrics for Prometheus; `true` for Spark's own pages and all that Prometheus and Grafana need to watch them.
   * @default - none
   */
  readonly monitoring?: SparkMonitoring | boolean;

  /**
   * What is installed for Prometheus and Grafana, over Spark's own pages; `true` for all of it.
   * @default - all of it where `monitoring` is `true`, else nothing
   */
  readonly monitoringObjects?: SparkMonitoringOptions | boolean;

  /** Scheduler that places driver and executors as a group. @default - pods are placed one by one */
  readonly batchScheduler?: SparkScheduler;

  /** When it is started again. @default - never */
  readonly restart?: SparkRestart;

  /** How long the application is kept after its end. @default - until it is deleted */
  readonly ttlAfterFinished?: Duration;

  /** Whether it waits until it is resumed. @default false */
  readonly suspend?: boolean;

  /** The Service in front of the driver's UI. @default - a Service of the cluster */
  readonly ui?: SparkUi;

  /** Ports of the driver behind an Ingress. @default - none */
  readonly driverIngresses?: SparkDriverIngress[];
}

/**
 * The program of a Spark application. Files are URIs: `local:///opt/app/main.py` is one in the image, `gs://`, `s3a://`, `hdfs://` and `https://`
 * are fetched.
 */
export class SparkProgram {
  /** A script of Python. @param file URI that ends with `.py` */
  public static python(file: string): SparkProgram {
    return new SparkProgram({ type: 'Python', file });
  }

  /**
   * A class of a jar, written in Java.
   * @param jar URI of the jar
   * @param mainClass class with the method `main`
   */
  public static java(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Java', file: jar, mainClass });
  }

  /**
   * A class of a jar, written in Scala.
   * @param jar URI of the jar
   * @param mainClass object with the method `main`
   */
  public static scala(jar: string, mainClass: string): SparkProgram {
    return new SparkProgram({ type: 'Scala', file: jar, mainClass });
  }

  /** A script of R. @param file URI that ends with `.R` */
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
 * Scheduler that places driver and executors as a group. The operator has to have it switched on (`controller.batchScheduler.enable` of its chart).
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
    /** How the operator calls it. */
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
