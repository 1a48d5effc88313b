/**
 * All rules on Spark's kinds: those of the operator's webhooks and definitions, and those of spark-submit and Spark that only show when a pod has
 * started.
 *
 * Rules on a program and what comes with it: those of spark-submit, which reads languages off file names and fetches nothing from the author's
 * machine.
 */
import { checkEventLog, checkHadoopConf, checkSparkConf } from './reserved-settings';
import { EXECUTOR_PREFIX_MAX_LENGTH, HISTORY_PORT, TAKEN_PORTS, isSparkFrom, sparkVersionNumbers } from './settings';
import type {
  ScheduledSparkApplicationSpec, SparkApplicationSpec, SparkConnectSpec, SparkDependenciesSpec, SparkHistoryServerSpec, SparkProgramSpec,
  SparkSessionSpec,
} from './spec';
import { checkSparkPod, checkGpuTasks } from './validation-pods';
import { entryOf } from '../lists';
import { DNS_LABEL_MAX_LENGTH, checkBaseName } from '../names';
import { validateSchedule } from '../schedules';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

/** Digits of the time, in nanoseconds, that the operator appends to the name of a schedule. */
const TIME_DIGITS = 19;

/** Suffix of the Service of an application's UI, and of its driver. */
const UI_SUFFIX = '-ui-svc';

export function validateSparkApplication(name: string, spec: SparkApplicationSpec): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'Services are named after it', violations, { length: DNS_LABEL_MAX_LENGTH - UI_SUFFIX.length, because: `the Service of its UI is named NAME${UI_SUFFIX}` });
  checkApplication(spec, violations);
  return violations.violations;
}

/** Checks a ScheduledSparkApplication. Paths of the application are below its template. */
export function validateScheduledSparkApplication(name: string, spec: ScheduledSparkApplicationSpec): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'Services are named after it', violations, { length: DNS_LABEL_MAX_LENGTH - 1 - TIME_DIGITS, because: `the operator names each run after it, with a timestamp of ${TIME_DIGITS} digits` });
  violations.addAll(validateSchedule(spec, 'spec.schedule'));
  for (const [field, value] of [['successfulRunHistoryLimit', spec.successfulRuns], ['failedRunHistoryLimit', spec.failedRuns]] as const) {
    violations.whole(`spec.${field}`, value, 0);
  }
  if (spec.application.suspend === true) {
    violations.add('spec.template.suspend', true, 'makes every run wait until someone resumes it. Use suspend on the schedule.');
  }
  const application = new ViolationCollector();
  checkApplication(spec.application, application);
  application.violations.forEach(({ path, value, message }) => violations.add(path.replace(/^spec\b/, 'spec.template'), value, message));
  return violations.violations;
}

export function validateSparkConnect(name: string, spec: SparkConnectSpec): Violation[] {
  const violations = new ViolationCollector();
  checkBaseName(name, 'Services are named after it', violations, { length: EXECUTOR_PREFIX_MAX_LENGTH, because: 'executors are named after it, as NAME-exec-NUMBER with ten digits' });
  checkSession(spec, true, violations);
  checkSparkPod(spec.server, 'spec.server', 'server', violations);
  if (!isSparkFrom(spec.sparkVersion, 3, 4)) {
    violations.add('spec.sparkVersion', spec.sparkVersion, 'does not have Spark Connect, which was added in 3.4.0. Use a later version.');
  }
  return violations.violations;
}

export function validateHistoryServer(spec: SparkHistoryServerSpec): Violation[] {
  const violations = new ViolationCollector();
  checkEventLog(spec.eventLog, 'eventLog', violations);
  if (spec.memoryMib < 512) {
    violations.add('memory', `${spec.memoryMib}Mi`, 'is too little for a server that replays event logs. Request 512 MiB or more.');
  }
  for (const name of Object.keys(spec.sparkConf ?? {})) {
    if (!name.startsWith('spark.history.') && !name.startsWith('spark.ui.') && !name.startsWith('spark.acls.')) {
      violations.add(`sparkConf['${name}']`, spec.sparkConf![name], 'is not a setting that a history server reads. Use settings of spark.history, spark.ui and spark.acls.');
    } else if (name === 'spark.history.fs.logDirectory' || name === 'spark.history.ui.port') {
      violations.add(`sparkConf['${name}']`, spec.sparkConf![name], `is set here: the folder from eventLog, the port ${HISTORY_PORT}. Remove it.`);
    }
  }
  return violations.violations;
}

function checkApplication(spec: SparkApplicationSpec, violations: ViolationCollector): void {
  checkProgram(spec.program, violations);
  checkDependencies(spec.dependencies ?? {}, violations);
  checkSession(spec, false, violations);
  checkSparkPod(spec.driver, 'spec.driver', 'driver', violations);
  checkRestart(spec, violations);
  checkMonitoring(spec, violations);
  checkIngresses(spec, violations);
  violations.whole('spec.sparkUIOptions.servicePort', spec.ui?.servicePort, 1, 65_535);
}

function checkRestart({ restart }: SparkApplicationSpec, violations: ViolationCollector): void {
  if (restart === undefined) {
    return;
  }
  const { policy, failureRetries, failureRetrySeconds, submissionRetries, submissionRetrySeconds } = restart;
  const given = {
    onFailureRetries: failureRetries,
    onFailureRetryInterval: failureRetrySeconds,
    onSubmissionFailureRetries: submissionRetries,
    onSubmissionFailureRetryInterval: submissionRetrySeconds,
  };
  for (const [field, value] of Object.entries(given)) {
    const least = field.endsWith('Interval') ? 1 : 0;
    if (value === undefined || !violations.whole(`spec.restartPolicy.${field}`, value, least)) {
      continue;
    }
    if (policy === 'Never') {
      violations.add(`spec.restartPolicy.${field}`, value, 'is used only by the policies OnFailure and Always. Choose one of them, or remove it.');
    } else if (policy === 'Always' && field.endsWith('Retries')) {
      violations.add(`spec.restartPolicy.${field}`, value, 'is a limit that the policy Always does not have. Choose OnFailure, or remove it.');
    }
  }
}

function checkMonitoring({ monitoring }: SparkApplicationSpec, violations: ViolationCollector): void {
  if (monitoring?.kind !== 'jmx') {
    return;
  }
  const { jar, port, portName, driver, executors } = monitoring;
  if (!jar.startsWith('/')) {
    violations.add('spec.monitoring.prometheus.jmxExporterJar', jar, 'is the path of the exporter in the image, which begins with \'/\', such as /opt/jmx_prometheus_javaagent.jar.');
  }
  if (violations.whole('spec.monitoring.prometheus.port', port, 1024, 49_151) && TAKEN_PORTS.includes(port)) {
    violations.add('spec.monitoring.prometheus.port', port, `is a port of Spark's own (${TAKEN_PORTS.join(', ')}). Choose another one.`);
  }
  violations.form('spec.monitoring.prometheus.portName', portName, /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must be 1 to 15 lower-case letters, digits and \'-\', with a letter.');
  if (!driver && !executors) {
    violations.add('spec.monitoring', monitoring.kind, 'exports no metrics. Enable driver or executors, or remove it.');
  }
}

function checkIngresses({ driverIngresses = [] }: SparkApplicationSpec, violations: ViolationCollector): void {
  driverIngresses.forEach(({ servicePort, urlFormat }, index) => {
    const path = `spec.driverIngressOptions[${index}]`;
    const earlier = driverIngresses.slice(0, index);
    violations.whole(`${path}.servicePort`, servicePort, 1, 65_535);
    if (urlFormat === '') {
      violations.add(`${path}.ingressURLFormat`, urlFormat, 'is required: the host and path at which the port is exposed, such as {{$appName}}.example.org.');
    }
    if (earlier.some((other) => other.servicePort === servicePort)) {
      violations.add(`${path}.servicePort`, servicePort, 'is already exposed, and the operator accepts a port only once. Remove one of the two.');
    }
    if (urlFormat !== '' && earlier.some((other) => other.urlFormat === urlFormat)) {
      violations.add(`${path}.ingressURLFormat`, urlFormat, 'already leads to another port. Choose another host or path.');
    }
  });
}

/** Schemes that Spark's images or common connectors read. `local` is a file in the image. */
const SCHEMES: readonly string[] = ['local', 'gs', 's3a', 'hdfs', 'abfs', 'abfss', 'wasbs', 'https', 'http', 'ftp', 'oss'];

/** Names of files by language; spark-submit knows Python and R by them. */
const ENDINGS: { readonly [type in SparkProgramSpec['type']]?: readonly string[] } = { Python: ['.py'], R: ['.R', '.r'] };

const COORDINATES = /^[^:\s/]+:[^:\s]+:[^:\s]+$/;
const EXCLUSION = /^[^:\s]+:[^:\s]+$/;

function checkProgram({ type, file, mainClass }: SparkProgramSpec, violations: ViolationCollector): void {
  const path = 'spec.mainApplicationFile';
  checkUri(file, path, violations);
  const endings = entryOf(ENDINGS, type);
  if (endings !== undefined && !endings.some((ending) => file.endsWith(ending))) {
    violations.add(path, file, `is started as a Java program: spark-submit recognizes a ${type} program by the extension ${endings[0]}. Rename the file.`);
  }
  if (endings === undefined && ['.py', '.R', '.r'].some((ending) => file.endsWith(ending))) {
    violations.add(path, file, `is started as a script, regardless of type (${type}). Use SparkProgram.python or SparkProgram.r.`);
  }
  if (endings === undefined && (mainClass ?? '') === '') {
    violations.add('spec.mainClass', mainClass, `is required for ${type}: spark-submit cannot inspect a jar that is not on its own disk.`);
  }
}

function checkDependencies(dependencies: SparkDependenciesSpec, violations: ViolationCollector): void {
  for (const field of ['jars', 'files', 'pyFiles', 'archives'] as const) {
    (dependencies[field] ?? []).forEach((uri, index) => checkUri(uri, `spec.deps.${field}[${index}]`, violations));
  }
  (dependencies.pyFiles ?? []).forEach((uri, index) => {
    violations.form(`spec.deps.pyFiles[${index}]`, uri, /\.(py|zip|egg|jar)$/, 'must end with .py, .zip, .egg or .jar: executors import only these. Use files for data.');
  });
  (dependencies.packages ?? []).forEach((entry, index) => {
    violations.form(`spec.deps.packages[${index}]`, entry, COORDINATES, 'must be Maven coordinates, group:artifact:version.');
  });
  (dependencies.excludePackages ?? []).forEach((entry, index) => {
    violations.form(`spec.deps.excludePackages[${index}]`, entry, EXCLUSION, 'must be group:artifact, without a version.');
    if ((dependencies.packages ?? []).length === 0) {
      violations.add(`spec.deps.excludePackages[${index}]`, entry, 'excludes something from packages, but there are none. Remove it.');
    }
  });
  (dependencies.repositories ?? []).forEach((entry, index) => {
    violations.form(`spec.deps.repositories[${index}]`, entry, /^(https?|file|s3):\/\//, 'must be the URL of a Maven repository, such as https://repo.example.org/maven.');
  });
}

function checkUri(uri: string, path: string, violations: ViolationCollector): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(uri)?.[1];
  const [before] = uri.split('#');
  if (scheme === 's3' || scheme === 's3n') {
    violations.add(path, uri, 'has no file system in Spark\'s images: Hadoop\'s is called s3a. Did you mean \'s3a://\'?');
  } else if (scheme === 'file' || scheme === undefined) {
    const inImage = before.startsWith('/') ? ` For a file in the image, write 'local://${before}'.` : '';
    violations.add(path, uri, `is looked up on the disk of the operator, where it does not exist.${inImage || ` Use a URI such as local:///opt/app/${before.replace(/^file:\/+/, '')} or gs://bucket/${before.replace(/^file:\/+/, '')}.`}`);
  } else if (scheme === 'local' && !uri.startsWith('local:///')) {
    violations.add(path, uri, 'has a host instead of a path. Write three slashes: local:///opt/app.');
  } else if (!SCHEMES.includes(scheme)) {
    const guess = didYouMean(scheme, SCHEMES);
    if (guess !== '') {
      violations.add(path, uri, `has a scheme that Spark does not support.${guess}`);
    }
  }
}

/** Oldest Spark that knows pod templates. */
const OLDEST: readonly [number, number] = [3, 0];

/** What is wrong with a version of Spark; undefined when nothing is. The webhook of the operator asks for the same where there are pod templates. */
export function sparkVersionProblem(version: string): string | undefined {
  return sparkVersionNumbers(version) !== undefined && isSparkFrom(version, ...OLDEST) ? undefined
    : `must be a version of Spark from ${OLDEST[0]}.${OLDEST[1]}.0 on, such as 4.0.1: older versions do not support pod templates.`;
}

function checkSession(spec: SparkSessionSpec, isConnect: boolean, violations: ViolationCollector): void {
  const problem = sparkVersionProblem(spec.sparkVersion);
  if (problem !== undefined) {
    violations.add('spec.sparkVersion', spec.sparkVersion, problem);
  }
  if (spec.image === '') {
    violations.add('spec.image', spec.image, 'must not be empty: driver and executors start from it.');
  }
  checkSparkPod(spec.executor, 'spec.executor', 'executor', violations);
  checkGpuTasks(spec.executor, spec.sparkVersion, violations);
  checkAllocation(spec, violations);
  checkSparkConf(spec.sparkConf, isConnect, violations);
  checkHadoopConf(spec.hadoopConf, violations);
  checkEventLog(spec.eventLog, 'spec.eventLog', violations);
}

function checkAllocation({ dynamicAllocation, executor, sparkConf = {} }: SparkSessionSpec, violations: ViolationCollector): void {
  const { instances } = executor;
  violations.whole('spec.executor.instances', instances, 1, Infinity, '. To scale with the workload, use dynamicAllocation.');
  if (dynamicAllocation === undefined) {
    return;
  }
  const { minExecutors = 0, maxExecutors, initialExecutors, shuffleTracking = true } = dynamicAllocation;
  for (const [field, least] of [['minExecutors', 0], ['initialExecutors', 0], ['maxExecutors', 1]] as const) {
    if (!violations.whole(`spec.dynamicAllocation.${field}`, dynamicAllocation[field], least)) {
      return;
    }
  }
  if (maxExecutors !== undefined && minExecutors > maxExecutors) {
    violations.add('spec.dynamicAllocation.minExecutors', minExecutors, `is more than maxExecutors (${maxExecutors}), and Spark does not start. Change one of the two.`);
  }
  if (initialExecutors !== undefined && (initialExecutors < minExecutors || initialExecutors > (maxExecutors ?? Infinity))) {
    violations.add('spec.dynamicAllocation.initialExecutors', initialExecutors, `is not between minExecutors (${minExecutors}) and maxExecutors (${maxExecutors ?? 'no limit'}). Change it.`);
  }
  if (instances !== undefined) {
    violations.add('spec.executor.instances', instances, 'is the number of executors, which dynamicAllocation changes. Use dynamicAllocation.initialExecutors.');
  }
  const keepsShuffles = sparkConf['spark.shuffle.service.enabled'] === 'true' || sparkConf['spark.decommission.enabled'] === 'true'
    || sparkConf['spark.shuffle.sort.io.plugin.class'] !== undefined;
  if (!shuffleTracking && !keepsShuffles) {
    violations.add('spec.dynamicAllocation.shuffleTrackingEnabled', false, 'leaves Spark without a way to keep shuffle data when an executor is removed, and it does not start. '
      + 'Remove it, or turn on spark.decommission.enabled.');
  }
}
