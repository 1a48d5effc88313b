/** Pod templates of a Spark application. Spark lays its own over them: the image, the command, cpu and memory are its settings. */
import { EXECUTOR_HEAP_MIB, schedulerOf, type SparkEngineSettings } from './capabilities';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import { templateMetadata, type EnginePods, type TemplateMetadata } from '../indexed/engine-pods';
import { launchedAddresses, planTemplate, trainingOf, type PlannedTemplate } from '../launched/plan';
import { DRIVER_MOUNT, driverVolume } from '../launched/driver-files';
import { launchedPodSpec } from '../launched/launched-container';
import type { Container, PodSpec } from '../../kubernetes';
import { mergePodTemplates } from '../../pod/pod-template';
import { withSecurity } from '../../pod/restricted-pod';
import { furtherResources } from '../../spark/pod-template';
import { JOB_LABEL } from '../../../model/labels';
import { meshLabels, MESH_OFF } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';
import { tryParseQuantity } from '../../../model/quantities';
import { SPARK_CONTAINERS } from '../../../model/spark/settings';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';

export interface SparkPodTemplate {
  readonly metadata: TemplateMetadata;
  readonly spec: PodSpec;
}

/** ConfigMap with the driver and its plan. */
export function driverConfigMapName(jobName: string): string {
  return `${jobName}-spark`;
}

/** Service account of the driver, with its Role and binding, where none is named. */
export function driverAccountName(jobName: string): string {
  return `${jobName}-spark`;
}

export function executorTemplate({ pods, template }: SparkPlan): SparkPodTemplate {
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

/**
 * Template of the driver: it pulls its image and is secured like the replicas, and asks for none of their devices, volumes and nodes. It has the
 * job's label, by which its firewall knows it, what the replicas say of sidecars, and no other, by which replicas are kept together.
 */
export function driverTemplate({ pods: { job, ownership }, settings: { driver = {} } }: SparkPlan): SparkPodTemplate {
  const { spec: user, ...metadata } = mergePodTemplates(job.roles[0].templates);
  const { scheduling, security, runPolicy } = job.spec;
  const training = user.containers?.find(({ name }) => name === TRAINING_CONTAINER);
  const container: Container = { name: SPARK_CONTAINERS.driver, volumeMounts: [DRIVER_MOUNT], securityContext: training?.securityContext };
  return {
    metadata: { labels: { ...ownership.labels, ...MESH_OFF, ...meshLabels(metadata), [JOB_LABEL]: job.name } },
    spec: withSecurity({
      containers: [container],
      // It creates executors by the API.
      automountServiceAccountToken: true,
      volumes: [driverVolume(driverConfigMapName(job.name))],
      imagePullSecrets: user.imagePullSecrets,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, ...user.securityContext },
      nodeSelector: driver.nodeSelector,
      ...(scheduling?.tolerations && { tolerations: [...scheduling.tolerations] }),
      priorityClassName: scheduling?.priorityClassName,
      schedulerName: schedulerOf(scheduling),
      activeDeadlineSeconds: runPolicy?.activeDeadlineSeconds,
    }, security),
  };
}

/** A job as a Spark application: an executor for each replica, all from one template. */
export interface SparkPlan {
  readonly pods: EnginePods;
  readonly template: PlannedTemplate;
  readonly settings: SparkEngineSettings;
}

export function planSparkJob(engineJob: EngineJob, settings: SparkEngineSettings): SparkPlan {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), oneTemplate: true, gangBeside: false };
  return { pods, settings, template: planTemplate(pods, job.roles) };
}

/** Memory of a replica's container in MiB; undefined where the job asks for none. */
export function executorMib({ template: { spec } }: SparkPlan): number | undefined {
  const { limits, requests } = trainingOf(spec).resources ?? {};
  return mib(limits?.memory ?? requests?.memory);
}

/** A quantity in whole MiB. */
export function mib(quantity: string | undefined): number | undefined {
  const bytes = quantity === undefined ? undefined : tryParseQuantity(quantity);
  return bytes === undefined ? undefined : Math.floor(bytes / 2 ** 20);
}

/** Memory as Spark splits it: the JVM's heap, and the rest of the container, in which the job's program lives. */
export function splitMemory(total: number, heap = EXECUTOR_HEAP_MIB): { readonly memory: string; readonly memoryOverhead: string } {
  return { memory: `${heap}m`, memoryOverhead: `${total - heap}m` };
}
