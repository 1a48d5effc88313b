/**
 * Settings of Spark that a field of ours or the operator says. Two places for one thing contradict each other sooner or later, and which of them wins
 * differs from setting to setting, so the second place is an error.
 */
import { fieldPath } from '../shapes';
import type { ViolationCollector } from '../violations';
import type { SparkEventLogSpec, Settings } from './spec';

/** What to use instead, by setting. */
const RESERVED: { readonly [setting: string]: string } = {
  'spark.app.name': 'metadata.name',
  'spark.kubernetes.namespace': 'metadata.namespace',
  'spark.kubernetes.container.image': 'image',
  'spark.kubernetes.container.image.pullSecrets': 'imagePullSecrets',
  'spark.kubernetes.driver.container.image': 'driver.image',
  'spark.kubernetes.executor.container.image': 'executor.image',
  'spark.kubernetes.driver.podTemplateFile': 'driver.podSpec',
  'spark.kubernetes.executor.podTemplateFile': 'executor.podSpec',
  'spark.kubernetes.authenticate.driver.serviceAccountName': 'serviceAccount',
  'spark.kubernetes.authenticate.executor.serviceAccountName': 'executor.serviceAccount',
  'spark.kubernetes.scheduler.name': 'batchScheduler, or podSpec.schedulerName',
  'spark.kubernetes.driver.request.cores': 'driver.coreRequest',
  'spark.kubernetes.driver.limit.cores': 'driver.coreLimit',
  'spark.kubernetes.executor.request.cores': 'executor.coreRequest',
  'spark.kubernetes.executor.limit.cores': 'executor.coreLimit',
  'spark.driver.cores': 'driver.cores',
  'spark.driver.memory': 'driver.memory',
  'spark.driver.memoryOverhead': 'driver.memoryOverhead',
  'spark.driver.extraJavaOptions': 'driver.javaOptions',
  'spark.executor.cores': 'executor.cores',
  'spark.executor.memory': 'executor.memory',
  'spark.executor.memoryOverhead': 'executor.memoryOverhead',
  'spark.executor.instances': 'executor.instances',
  'spark.executor.extraJavaOptions': 'executor.javaOptions',
  'spark.executor.resource.gpu.amount': 'executor.accelerator and executor.gpusPerTask',
  'spark.executor.resource.gpu.vendor': 'executor.accelerator and executor.gpusPerTask',
  'spark.executor.resource.gpu.discoveryScript': 'executor.gpuDiscoveryScript',
  'spark.task.resource.gpu.amount': 'executor.gpusPerTask',
  'spark.dynamicAllocation.enabled': 'dynamicAllocation',
  'spark.dynamicAllocation.initialExecutors': 'dynamicAllocation.initialExecutors',
  'spark.dynamicAllocation.minExecutors': 'dynamicAllocation.minExecutors',
  'spark.dynamicAllocation.maxExecutors': 'dynamicAllocation.maxExecutors',
  'spark.dynamicAllocation.shuffleTracking.enabled': 'dynamicAllocation.shuffleTracking',
  'spark.dynamicAllocation.shuffleTracking.timeout': 'dynamicAllocation.shuffleTrackingTimeout',
  'spark.jars': 'dependencies.jars',
  'spark.jars.packages': 'dependencies.packages',
  'spark.jars.excludes': 'dependencies.excludePackages',
  'spark.jars.repositories': 'dependencies.repositories',
  'spark.files': 'dependencies.files',
  'spark.submit.pyFiles': 'dependencies.pyFiles',
  'spark.archives': 'dependencies.archives',
  'spark.eventLog.enabled': 'eventLog',
  'spark.eventLog.dir': 'eventLog',
};

/** What a Spark Connect server has no field for, and takes as settings. */
const SETTINGS_OF_CONNECT: readonly string[] = [
  'spark.jars', 'spark.jars.packages', 'spark.jars.excludes', 'spark.jars.repositories', 'spark.files', 'spark.submit.pyFiles', 'spark.archives',
  'spark.driver.extraJavaOptions', 'spark.executor.extraJavaOptions',
];

/** Settings that only the operator can know. */
const OPERATORS: readonly string[] = [
  'spark.master', 'spark.submit.deployMode', 'spark.kubernetes.driver.pod.name', 'spark.kubernetes.submission.waitAppCompletion',
  'spark.kubernetes.driver.podTemplateContainerName', 'spark.kubernetes.executor.podTemplateContainerName',
];

/** What to use instead, by the beginning of settings. */
const RESERVED_PREFIXES: { readonly [prefix: string]: string } = {
  'spark.kubernetes.driverEnv.': 'driver.env',
  'spark.executorEnv.': 'executor.env',
  'spark.kubernetes.driver.volumes.': 'driver.volumeMounts',
  'spark.kubernetes.executor.volumes.': 'executor.volumeMounts',
  'spark.kubernetes.node.selector.': 'nodeSelector of driver and executor',
  'spark.kubernetes.driver.node.selector.': 'driver.nodeSelector',
  'spark.kubernetes.executor.node.selector.': 'executor.nodeSelector',
  'spark.hadoop.': 'hadoopConf, without the prefix',
};

/** Names of settings whose values are secrets, of Spark and of Hadoop's file systems. */
const SECRETS = /(password|secret\.key|session\.token|account\.key\.|private\.key|oauth2?\.client\.secret|authenticate\.secret)(?!\.file)/i;

function checkSecret(name: string, value: string, path: string, violations: ViolationCollector): void {
  if (SECRETS.test(name)) {
    violations.add(path, `... (${value.length} characters)`, 'is a secret, and would appear in the manifest and in the driver\'s ConfigMap. Use workload identity, or the variables that the file '
      + 'system reads, set from credentials of the driver and executors.');
  }
}

/** Whether a field of the object says what a setting does. */
export function hasField(name: string): boolean {
  return Object.hasOwn(RESERVED, name) || Object.keys(RESERVED_PREFIXES).some((beginning) => name.startsWith(beginning));
}

export function checkSparkConf(conf: Settings = {}, isConnect: boolean, violations: ViolationCollector): void {
  for (const [name, value] of Object.entries(conf)) {
    const path = fieldPath('spec.sparkConf', name);
    checkSecret(name, value, path, violations);
    const prefix = Object.keys(RESERVED_PREFIXES).find((beginning) => name.startsWith(beginning));
    const instead = isConnect && SETTINGS_OF_CONNECT.includes(name) ? undefined : RESERVED[name] ?? (prefix && RESERVED_PREFIXES[prefix]);
    if (!name.startsWith('spark.')) {
      violations.add(path, value, 'is not a Spark setting: Spark ignores names that do not start with "spark.". Correct the name.');
    } else if (OPERATORS.includes(name)) {
      violations.add(path, value, 'is set by the Spark operator. Remove it.');
    } else if (instead !== undefined) {
      violations.add(path, value, `has its own field. Use ${isConnect ? instead.replace(/^driver\./, 'server.') : instead}.`);
    }
  }
}

export function checkHadoopConf(conf: Settings = {}, violations: ViolationCollector): void {
  for (const [name, value] of Object.entries(conf)) {
    checkSecret(name, value, fieldPath('spec.hadoopConf', name), violations);
    if (name.startsWith('spark.')) {
      violations.add(fieldPath('spec.hadoopConf', name), value, 'is already prefixed with spark.hadoop.; write the name without it.');
    }
  }
}

/** Checks the folder of event logs: Spark does not create it. */
export function checkEventLog(eventLog: SparkEventLogSpec | undefined, path: string, violations: ViolationCollector): void {
  if (eventLog === undefined) {
    return;
  }
  const { folder, volume, rollingMib } = eventLog;
  if (volume === undefined && !/^[a-z][a-z0-9+.-]*:\/\/[^/]/.test(folder)) {
    violations.add(path, folder, 'is deleted with the driver\'s pod, and no history server could read it. Use a bucket such as gs://logs/spark, or SparkEventLog.onVolume.');
  } else if (folder.startsWith('s3://')) {
    violations.add(path, folder, 'has no file system in Spark\'s images: Hadoop\'s is called s3a. Did you mean \'s3a://\'?');
  }
  if (rollingMib !== undefined && rollingMib < 10) {
    violations.add(`${path}.rolling`, rollingMib, 'must be 10 MiB or more, which is Spark\'s minimum.');
  }
}
