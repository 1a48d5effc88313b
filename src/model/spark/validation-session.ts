/** Rules that all kinds of Spark have in common: version, names, dynamic allocation. */
import { checkEventLog, checkHadoopConf, checkSparkConf } from './reserved-settings';
import { isSparkFrom, sparkVersionNumbers } from './settings';
import type { SparkSessionSpec } from './spec';
import { checkGpuTasks, checkSparkPod } from './validation-pods';
import { DNS_1035_LABEL_PATTERN } from '../names';
import type { ViolationCollector } from '../violations';
import { expressionOf } from '../text/expressions';

const NAME = expressionOf(DNS_1035_LABEL_PATTERN);

/** Oldest Spark that knows pod templates. */
const OLDEST: readonly [number, number] = [3, 0];

/** What is wrong with a version of Spark; undefined when nothing is. The webhook of the operator asks for the same where there are pod templates. */
export function sparkVersionProblem(version: string): string | undefined {
  return sparkVersionNumbers(version) !== undefined && isSparkFrom(version, ...OLDEST) ? undefined
    : `must be a version of Spark from ${OLDEST[0]}.${OLDEST[1]}.0 on, such as 4.0.1: older versions do not support pod templates.`;
}

/**
 * Checks a name and what is called after it.
 * @param maxLength longest name
 * @param because what is longer: `names of executors would not be DNS labels`
 */
export function checkSparkName(name: string, maxLength: number, because: string, violations: ViolationCollector): void {
  if (!NAME.test(name)) {
    violations.add('metadata.name', name, 'is the prefix of a Service name: lower-case letters, digits and \'-\', starting with a letter and ending with a letter or digit.');
  }
  if (name.length > maxLength) {
    violations.add('metadata.name', name, `has ${name.length} characters, and ${because}. Use at most ${maxLength} characters.`);
  }
}

export function checkSession(spec: SparkSessionSpec, isConnect: boolean, violations: ViolationCollector): void {
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
  if (instances !== undefined && !(Number.isInteger(instances) && instances >= 1)) {
    violations.add('spec.executor.instances', instances, 'must be a whole number, 1 or more. To scale with the workload, use dynamicAllocation.');
  }
  if (dynamicAllocation === undefined) {
    return;
  }
  const { minExecutors = 0, maxExecutors, initialExecutors, shuffleTracking = true } = dynamicAllocation;
  for (const [field, least] of [['minExecutors', 0], ['initialExecutors', 0], ['maxExecutors', 1]] as const) {
    const value = dynamicAllocation[field];
    if (value !== undefined && !(Number.isInteger(value) && value >= least)) {
      violations.add(`spec.dynamicAllocation.${field}`, value, `must be a whole number, ${least} or more.`);
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
