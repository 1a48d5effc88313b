/** The objects of a job on the Spark operator: the SparkApplication, and a ConfigMap with its driver. */
import { BATCH_SCHEDULERS, CHART_ACCOUNT, DRIVER_DEFAULTS, type SparkEngineSettings } from './capabilities';
import {
  driverAccountName, driverConfigMapName, driverTemplate, executorMib, executorTemplate, mib, planSparkJob, splitMemory, type SparkPlan,
} from './pods';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { constructCompanions, jobLabels, queueLabels } from '../indexed/companions';
import { DRIVER_PATH, constructDriverConfigMap, driverProgram, planText } from '../launched/driver-files';
import { launchedEnvironments, trainingOf } from '../launched/plan';
import { jobObjectMeta } from '../../job/job-metadata';
import type { Manifest } from '../../kubernetes';
import { plainObject } from '../../plain-object';
import { constructRestart } from '../../spark/application';
import { constructDriverIdentity } from '../../spark/driver-access';
import { SPARK_API_VERSION, SPARK_VERSION } from '../../../model/spark/settings';
import type { SchedulingSpec } from '../../../model/training-job/scheduling';
import { programText } from '../../../programs/program-text';

/** A limit that is never reached, because the driver decides about failures and not Spark. */
const NEVER_GIVES_UP = '1000000';

/** Most executors that Spark requests from Kubernetes at a time. */
const BATCH_MAX = 100;

export function renderSparkJob(engineJob: EngineJob, settings: SparkEngineSettings): EngineObjects {
  const plan = planSparkJob(engineJob, settings);
  const { pods: { job, ownership }, template } = plan;
  const { name, namespace, spec } = engineJob;
  const training = trainingOf(template.spec);
  return {
    job: plainObject<Manifest & { readonly spec: object }>({
      apiVersion: SPARK_API_VERSION,
      kind: 'SparkApplication',
      metadata: { name, namespace, labels: { ...jobLabels(name), ...queueLabels(engineJob) } },
      spec: {
        type: 'Python',
        pythonVersion: '3',
        mode: 'cluster',
        sparkVersion: settings.sparkVersion ?? SPARK_VERSION,
        image: job.roles[0].image,
        imagePullPolicy: training.imagePullPolicy,
        mainApplicationFile: `local://${DRIVER_PATH}/driver.py`,
        sparkConf: sparkConf(job.replicas.length),
        restartPolicy: restartPolicy(settings),
        timeToLiveSeconds: spec.runPolicy?.ttlSecondsAfterFinished,
        suspend: spec.scheduling?.queueName === undefined ? spec.suspend : undefined,
        ...gang(spec.scheduling),
        driver: driver(plan),
        executor: executor(plan),
      },
    }),
    companions: [
      ...driverIdentity(plan),
      constructDriverConfigMap(job, ownership, driverConfigMapName(name), { driver: sparkDriver(), plan: planText(job, [template]) }),
      ...constructCompanions(plan.pods),
    ],
  };
}

function driver(plan: SparkPlan): object {
  const { cpu, memory } = plan.settings.driver ?? {};
  const total = mib(memory ?? DRIVER_DEFAULTS.memory)!;
  return {
    cores: 1,
    coreRequest: cpu ?? DRIVER_DEFAULTS.cpu,
    coreLimit: cpu ?? DRIVER_DEFAULTS.cpu,
    ...splitMemory(total, Math.floor(total / 2)),
    serviceAccount: driverAccount(plan),
    template: driverTemplate(plan),
  };
}

/** The named account, or the job's own. */
function driverAccount({ pods: { job, ownership }, settings }: SparkPlan): string {
  return settings.driver?.serviceAccountName ?? (ownership.namespace === undefined ? CHART_ACCOUNT : driverAccountName(job.name));
}

/**
 * The job's own account, if none is named. Executors do not use it, so training scripts do not have its permissions. A RoleBinding contains the
 * account's namespace, so there is none without a namespace.
 */
function driverIdentity({ pods: { job, ownership }, settings }: SparkPlan): Manifest[] {
  return settings.driver?.serviceAccountName !== undefined || ownership.namespace === undefined
    ? [] : constructDriverIdentity(jobObjectMeta(job.name, driverAccountName(job.name), ownership));
}

function executor(plan: SparkPlan): object {
  const { pods: { job }, template } = plan;
  const { limits, requests } = trainingOf(template.spec).resources ?? {};
  return {
    // Without it, Spark uses the driver's account for executors, even if the template names one.
    serviceAccount: template.spec.serviceAccountName ?? template.spec.serviceAccount ?? 'default',
    instances: job.replicas.length,
    // One core for Spark, and one task on it. The task's program can use the whole container.
    cores: 1,
    coreRequest: requests?.cpu ?? limits?.cpu,
    coreLimit: limits?.cpu,
    ...splitMemory(executorMib(plan)!),
    template: executorTemplate(plan),
  };
}

/** One task for each executor. Only the driver decides what happens after one is lost. */
function sparkConf(replicas: number): { readonly [setting: string]: string } {
  return {
    'spark.task.cpus': '1',
    'spark.task.maxFailures': NEVER_GIVES_UP,
    'spark.executor.maxNumFailures': NEVER_GIVES_UP,
    'spark.excludeOnFailure.enabled': 'false',
    'spark.speculation': 'false',
    'spark.dynamicAllocation.enabled': 'false',
    'spark.locality.wait': '0s',
    'spark.kubernetes.allocation.batch.size': String(Math.min(replicas, BATCH_MAX)),
  };
}

/** Restarts of the driver. The plan has those of replicas. */
function restartPolicy({ applicationRetries = 0 }: SparkEngineSettings): object | undefined {
  return constructRestart(applicationRetries === 0 ? { policy: 'Never' } : { policy: 'OnFailure', failureRetries: applicationRetries, failureRetrySeconds: 10 });
}

function gang(scheduling: SchedulingSpec | undefined): object {
  const { gang: wanted, priorityClassName } = scheduling ?? {};
  return wanted === undefined ? {} : {
    batchScheduler: BATCH_SCHEDULERS[wanted.scheduler],
    ...((wanted.queue !== undefined || priorityClassName !== undefined) && { batchSchedulerOptions: { queue: wanted.queue, priorityClassName } }),
  };
}

/** Environments of the programs; `<ROLE-INDEX>` is a placeholder for an address. */
export function sparkEnvironments(engineJob: EngineJob, settings: SparkEngineSettings): EngineEnvironment[] {
  return launchedEnvironments([planSparkJob(engineJob, settings).template], () => `${engineJob.name}-*-exec-*`);
}

/**
 * The application of a SparkApplication (`driver.py`). It runs one long task on each executor: the agent of one replica, which starts the user's
 * command on request of the driver, with the environment of the framework's contract. The user's script does not need Spark.
 *
 * Agents use their own connections to the driver, with a key that the task contains. If an executor is lost, Spark runs its task again on the
 * replacement, so the replica gets a new agent. Barrier mode would end all tasks with the first one, and each attempt would be a stage.
 */
export function sparkDriver(): string {
  return driverProgram(programText('spark/driver.py'));
}
