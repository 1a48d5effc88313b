/** Pod templates of a Spark application. Spark overrides the image, the command, cpu and memory with its own settings. */
import { EXECUTOR_HEAP_MIB, schedulerOf, type SparkEngineSettings } from './capabilities';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import { templateMetadata, type EnginePods } from '../indexed/engine-pods';
import { driverPodTemplate } from '../launched/driver-pod';
import { launchedAddresses, planTemplate, trainingOf, type PlannedTemplate } from '../launched/plan';
import { DRIVER_MOUNT, driverVolume } from '../launched/driver-files';
import { launchedPodSpec } from '../launched/launched-container';
import type { PodTemplate } from '../../pod/pod-template';
import { furtherResources } from '../../spark/pod-template';
import { tryParseQuantity } from '../../../model/quantities';
import { SPARK_CONTAINERS } from '../../../model/spark/settings';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';

/** ConfigMap with the driver and its plan. */
export function driverConfigMapName(jobName: string): string {
  return `${jobName}-spark`;
}

/** Service account of the driver, and its Role and RoleBinding, if none is named. */
export function driverAccountName(jobName: string): string {
  return `${jobName}-spark`;
}

export function executorTemplate({ pods, template }: SparkPlan): PodTemplate {
  const { restartPolicy: _restarts, ...spec } = launchedPodSpec(template, (container) => {
    const { image: _image, resources, ...rest } = container;
    return { ...rest, name: SPARK_CONTAINERS.executor, ...furtherResources(resources) };
  });
  const schedulerName = spec.schedulerName ?? schedulerOf(pods.job.spec.scheduling);
  return {
    metadata: templateMetadata(pods, template.groups.flatMap(({ replicas }) => replicas)),
    spec: { ...spec, ...(schedulerName !== undefined && { schedulerName }) },
  };
}

export function driverTemplate({ pods, settings: { driver = {} } }: SparkPlan): PodTemplate {
  const { name, spec: { scheduling, runPolicy } } = pods.job;
  return driverPodTemplate(pods, () => ({ name: SPARK_CONTAINERS.driver, volumeMounts: [DRIVER_MOUNT] }), {
    // It creates executors through the API.
    automountServiceAccountToken: true,
    volumes: [driverVolume(driverConfigMapName(name))],
    nodeSelector: driver.nodeSelector,
    schedulerName: schedulerOf(scheduling),
    activeDeadlineSeconds: runPolicy?.activeDeadlineSeconds,
  });
}

/** A job as a Spark application: an executor for each replica, all from one template. */
export interface SparkPlan {
  readonly pods: EnginePods;
  readonly template: PlannedTemplate;
  readonly settings: SparkEngineSettings;
}

export function planSparkJob(engineJob: EngineJob, settings: SparkEngineSettings): SparkPlan {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), oneTemplate: true, createsPodGroup: false };
  return { pods, settings, template: planTemplate(pods, job.roles) };
}

/** Memory of a replica's container in MiB; undefined if the job requests none. */
export function executorMib({ template: { spec } }: SparkPlan): number | undefined {
  const { limits, requests } = trainingOf(spec).resources ?? {};
  return mib(limits?.memory ?? requests?.memory);
}

/** A quantity in whole MiB. */
export function mib(quantity: string | undefined): number | undefined {
  const bytes = quantity === undefined ? undefined : tryParseQuantity(quantity);
  return bytes === undefined ? undefined : Math.floor(bytes / 2 ** 20);
}

/** Memory as Spark splits it: the JVM's heap, and the rest of the container, for the job's program. */
export function splitMemory(total: number, heap = EXECUTOR_HEAP_MIB): { readonly memory: string; readonly memoryOverhead: string } {
  return { memory: `${heap}m`, memoryOverhead: `${total - heap}m` };
}
