/**
 * Spark applications, their schedules and Spark Connect servers as their authors describe them, in our terms. Constructs produce them, the rules
 * next to this file judge them, and `manifests/spark` makes objects of the Spark operator of them.
 * @see https://www.kubeflow.org/docs/components/spark-operator/reference/api-docs/
 */
import type { SparkBatchScheduler } from './settings';
import type { PodSettings } from '../pod-settings';
import type { ScheduleSpec } from '../schedules';
import type { EnvVarSpec, ResourcesSpec } from '../training-job/spec';

/** JSON that passes through to Kubernetes. */
export type Fields = { readonly [field: string]: unknown };

export type Settings = { readonly [name: string]: string };

export interface SparkProgramSpec {
  readonly type: 'Python' | 'Java' | 'Scala' | 'R';
  readonly file: string;
  /** Of Java and Scala. */
  readonly mainClass?: string;
}

/** What comes to the program. */
export interface SparkDependenciesSpec {
  readonly jars?: readonly string[];
  readonly files?: readonly string[];
  readonly pyFiles?: readonly string[];
  readonly archives?: readonly string[];
  readonly packages?: readonly string[];
  readonly excludePackages?: readonly string[];
  readonly repositories?: readonly string[];
}

/** Driver, executor or server. Cores and memory are Spark's; the rest is the pod template's. */
export interface SparkPodSpec
  extends Omit<PodSettings, 'command' | 'args' | 'resources' | 'serviceAccountName' | 'imagePullSecrets' | 'schedulerName'> {
  readonly cores?: number;
  readonly coreRequest?: string;
  readonly coreLimit?: string;
  readonly memoryMib?: number;
  readonly memoryOverheadMib?: number;
  readonly javaOptions?: string;
  /** Devices, and the shared memory that goes with them. */
  readonly devices?: ResourcesSpec;
}

export interface SparkExecutorSpec extends SparkPodSpec {
  readonly instances?: number;
  /** GPUs that Spark counts for each of its tasks. @default - Spark does not count them */
  readonly gpusPerTask?: number;
  readonly gpuDiscoveryScript?: string;
  readonly serviceAccountName?: string;
}

/** A number of executors that follows the work. */
export interface DynamicAllocationSpec {
  readonly initialExecutors?: number;
  readonly minExecutors?: number;
  readonly maxExecutors?: number;
  readonly shuffleTracking?: boolean;
  readonly shuffleTrackingTimeoutSeconds?: number;
}

export interface SparkEventLogSpec {
  /** URI, or the path at which `volume` is mounted. */
  readonly folder: string;
  readonly volume?: Fields;
  readonly mount?: Fields;
  readonly compress?: boolean;
  /** Size of a file at which the next one begins, MiB. @default - one file */
  readonly rollingMib?: number;
}

/** Metrics for Prometheus: by Spark's own pages on the driver, or by the JMX exporter in each JVM. */
export type SparkMonitoringSpec = { readonly kind: 'servlet' } | {
  readonly kind: 'jmx';
  readonly jar: string;
  readonly port: number;
  readonly portName?: string;
  readonly driver: boolean;
  readonly executors: boolean;
  /** ConfigMap with the files of the exporter and of Spark's metrics. */
  readonly configMapName: string;
};

/** Where a driver's port is shown. */
export interface SparkDriverIngressSpec {
  readonly servicePort: number;
  readonly servicePortName: string;
  readonly urlFormat: string;
}

/** When an application is started again. */
export interface SparkRestartSpec {
  readonly policy: 'Never' | 'OnFailure' | 'Always';
  readonly failureRetries?: number;
  readonly failureRetrySeconds?: number;
  readonly submissionRetries?: number;
  readonly submissionRetrySeconds?: number;
}

export interface SparkSessionSpec {
  readonly sparkVersion: string;
  readonly image: string;
  readonly sparkConf?: Settings;
  readonly hadoopConf?: Settings;
  readonly dynamicAllocation?: DynamicAllocationSpec;
  readonly executor: SparkExecutorSpec;
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly eventLog?: SparkEventLogSpec;
}

/** `SparkApplication` in our terms. */
export interface SparkApplicationSpec extends SparkSessionSpec {
  readonly program: SparkProgramSpec;
  readonly arguments?: readonly string[];
  readonly imagePullPolicy?: string;
  readonly dependencies?: SparkDependenciesSpec;
  readonly driver: SparkPodSpec;
  readonly monitoring?: SparkMonitoringSpec;
  readonly batchScheduler?: { readonly name: SparkBatchScheduler; readonly queue?: string; readonly priorityClassName?: string };
  readonly restart?: SparkRestartSpec;
  readonly ttlSeconds?: number;
  readonly suspend?: boolean;
  readonly ui?: { readonly servicePort?: number; readonly serviceType?: string; readonly annotations?: Settings };
  readonly driverIngresses?: readonly SparkDriverIngressSpec[];
}

/** `ScheduledSparkApplication` in our terms. */
export interface ScheduledSparkApplicationSpec extends ScheduleSpec {
  readonly application: SparkApplicationSpec;
  readonly concurrency?: 'Allow' | 'Forbid' | 'Replace';
  readonly successfulRuns?: number;
  readonly failedRuns?: number;
  readonly suspend?: boolean;
}

/** `SparkConnect` in our terms. */
export interface SparkConnectSpec extends SparkSessionSpec {
  readonly server: SparkPodSpec;
  readonly serviceType?: string;
  readonly serviceAnnotations?: Settings;
  /** Whether it shows Spark's own pages for Prometheus. */
  readonly showsMetrics?: boolean;
}

/** Server that shows event logs. */
export interface SparkHistoryServerSpec {
  readonly image: string;
  readonly eventLog: SparkEventLogSpec;
  readonly memoryMib: number;
  readonly cpu: string;
  readonly hadoopConf?: Settings;
  readonly sparkConf?: Settings;
  readonly env?: readonly EnvVarSpec[];
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly string[];
  readonly serviceType?: string;
  readonly keepSeconds?: number;
  readonly nodeSelector?: Settings;
  readonly tolerations?: readonly Fields[];
}
