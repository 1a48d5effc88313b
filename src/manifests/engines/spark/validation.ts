/** Rules of the Spark operator that are not in its capabilities: names, variables, and memory, which Spark always limits. */
import { executorMib, mib, planSparkJob, type SparkPlan } from './pods';
import { EXECUTOR_HEAP_MIB, EXECUTOR_MIN_MIB, type SparkEngineSettings } from './capabilities';
import { hookViolations } from '../launched/launched-container';
import { launchedViolations, sizeViolations } from '../launched/capabilities';
import { EXECUTOR_PREFIX_MAX_LENGTH } from '../../../model/spark/settings';
import { sparkVersionProblem } from '../../../model/spark/validation';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { ViolationCollector, type Violation } from '../../../model/violations';

/** Longest name: Spark's limit for the prefix of executor names. */
export const NAME_MAX_LENGTH = EXECUTOR_PREFIX_MAX_LENGTH;

/** Smallest memory of the driver in MiB. */
const DRIVER_MIN_MIB = 1024;

export function sparkViolations(name: string, spec: TrainingJobSpec, settings: SparkEngineSettings): Violation[] {
  const plan = planSparkJob({ name, spec }, settings);
  return [
    ...(name.length <= NAME_MAX_LENGTH ? [] : [{
      path: 'metadata.name',
      value: name,
      message: `has ${name.length} characters, and Spark's executor names have at most ${NAME_MAX_LENGTH}. Use at most ${NAME_MAX_LENGTH} characters.`,
    }]),
    ...launchedViolations(plan.pods.job, plan.template, 'Spark', 'Spark\'s executors'),
    ...hookViolations(plan.template, 'Spark'),
    ...memoryViolations(plan),
    ...variableViolations(plan),
    ...sizeViolations(plan.pods.job, [plan.template]),
    ...settingsViolations(settings),
  ];
}

function memoryViolations(plan: SparkPlan): Violation[] {
  const total = executorMib(plan);
  const { spec } = plan.pods.job;
  if (total !== undefined && total >= EXECUTOR_MIN_MIB) {
    return [];
  }
  return [{
    path: 'spec.resources.memory',
    value: spec.resources?.memory,
    message: `${total === undefined ? 'is required on Spark, which limits the memory of every executor' : 'is too little for a Spark executor'}: `
      + `${EXECUTOR_HEAP_MIB}Mi of it are for the JVM. Request ${EXECUTOR_MIN_MIB}Mi or more.`,
  }];
}

function variableViolations({ pods: { job }, template: { groups } }: SparkPlan): Violation[] {
  const names = new Set(groups.flatMap(({ environmentAt }) => environmentAt(0).map(({ name }) => name)));
  return [...names].filter((name) => name.startsWith('SPARK_')).map((name) => ({
    path: `spec.env['${name}']`,
    value: job.spec.env?.find((entry) => entry.name === name)?.value,
    message: 'belongs to Spark, which sets such variables for its executors. Rename it.',
  }));
}

function settingsViolations({ sparkVersion, applicationRetries, driver }: SparkEngineSettings): Violation[] {
  const violations = new ViolationCollector();
  const versionProblem = sparkVersion === undefined ? undefined : sparkVersionProblem(sparkVersion);
  if (versionProblem !== undefined) {
    violations.add('engine.sparkVersion', sparkVersion, versionProblem);
  }
  violations.whole('engine.applicationRetries', applicationRetries, 0);
  if (driver?.memory !== undefined && !((mib(driver.memory) ?? 0) >= DRIVER_MIN_MIB)) {
    violations.add('engine.driver.memory', driver.memory, `must be a quantity of at least ${DRIVER_MIN_MIB}Mi: half of it is the JVM's heap.`);
  }
  return violations.violations;
}
