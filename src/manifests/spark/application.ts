/** SparkApplication and ScheduledSparkApplication of the Spark operator. */
import { monitoringFields, monitoringMounts, servletAnnotations, servletSettings } from './monitoring';
import { constructSparkTemplate } from './pod-template';
import { constructAllocation, containerMib, eventLogMounts, sparkMemory, sparkSettings } from './session';
import { plainObject, nonEmpty } from '../plain-object';
import { constructResources } from '../pod/resources';
import { SPARK_CONTAINERS } from '../../model/spark/settings';
import type { Fields, ScheduledSparkApplicationSpec, Settings, SparkApplicationSpec, SparkPodSpec, SparkRestartSpec } from '../../model/spark/spec';
import { tryParseQuantity } from '../../model/quantities';

/** Folder for packages of Maven: the home folder of Spark's images does not exist. */
const IVY_SETTINGS: Settings = { 'spark.jars.ivy': '/tmp/.ivy2' };

/** `spec` of a SparkApplication. */
export function constructSparkApplicationSpec(spec: SparkApplicationSpec): Fields {
  const { program, dependencies, monitoring, batchScheduler, driver, executor } = spec;
  const isServlet = monitoring?.kind === 'servlet';
  const log = eventLogMounts(spec.eventLog);
  const shownDriver = isServlet ? { ...driver, annotations: { ...servletAnnotations(), ...driver.annotations } } : driver;
  const mounts = monitoringMounts(monitoring);
  const schedulerName = batchScheduler?.name;
  return plainObject({
    type: program.type,
    mode: 'cluster',
    sparkVersion: spec.sparkVersion,
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy,
    imagePullSecrets: nonEmpty(spec.imagePullSecrets),
    mainApplicationFile: program.file,
    mainClass: program.mainClass,
    arguments: nonEmpty(spec.arguments),
    sparkConf: sparkSettings(spec, { ...(dependencies?.packages?.length && IVY_SETTINGS), ...(isServlet && servletSettings()) }),
    hadoopConf: spec.hadoopConf,
    deps: dependencies && Object.fromEntries(Object.entries(dependencies).filter(([, entries]) => entries !== undefined && entries.length > 0)),
    driver: {
      ...constructPod(driver),
      serviceAccount: spec.serviceAccountName,
      template: constructSparkTemplate(shownDriver, SPARK_CONTAINERS.driver, {
        schedulerName,
        volumes: [...log.volumes, ...mounts.volumes],
        volumeMounts: [...log.volumeMounts, ...mounts.volumeMounts],
        token: true,
        ends: true,
      }),
    },
    executor: {
      ...constructPod(executor),
      instances: executor.instances ?? (spec.dynamicAllocation === undefined ? 1 : undefined),
      serviceAccount: executor.serviceAccountName,
      template: constructSparkTemplate(executor, SPARK_CONTAINERS.executor, {
        schedulerName, ...mounts, token: executor.serviceAccountName !== undefined, ends: true,
      }),
    },
    dynamicAllocation: constructAllocation(spec),
    monitoring: monitoringFields(monitoring),
    batchScheduler: schedulerName,
    batchSchedulerOptions: batchOptions(spec),
    restartPolicy: constructRestart(spec.restart),
    timeToLiveSeconds: spec.ttlSeconds,
    suspend: spec.suspend,
    sparkUIOptions: spec.ui && { servicePort: spec.ui.servicePort, serviceType: spec.ui.serviceType, serviceAnnotations: spec.ui.annotations },
    driverIngressOptions: nonEmpty(spec.driverIngresses)?.map(({ servicePort, servicePortName, urlFormat }) => (
      { servicePort, servicePortName, ingressURLFormat: urlFormat })),
  });
}

/** `spec` of a ScheduledSparkApplication. */
export function constructScheduledSparkApplicationSpec(spec: ScheduledSparkApplicationSpec): Fields {
  return plainObject({
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    concurrencyPolicy: spec.concurrency ?? 'Allow',
    successfulRunHistoryLimit: spec.successfulRuns,
    failedRunHistoryLimit: spec.failedRuns,
    suspend: spec.suspend,
    template: constructSparkApplicationSpec(spec.application),
  });
}

function constructPod(pod: SparkPodSpec): Fields {
  return {
    image: pod.image,
    cores: pod.cores ?? 1,
    coreRequest: pod.coreRequest,
    coreLimit: pod.coreLimit,
    memory: sparkMemory(pod.memoryMib),
    memoryOverhead: sparkMemory(pod.memoryOverheadMib),
    javaOptions: pod.javaOptions,
  };
}

/** `restartPolicy`; undefined leaves it to the operator, which restarts nothing. */
export function constructRestart(restart: SparkRestartSpec | undefined): Fields | undefined {
  return restart && {
    type: restart.policy,
    onFailureRetries: restart.failureRetries,
    onFailureRetryInterval: restart.failureRetrySeconds,
    onSubmissionFailureRetries: restart.submissionRetries,
    onSubmissionFailureRetryInterval: restart.submissionRetrySeconds,
  };
}

/**
 * Options of the batch scheduler. For Volcano's gang the operator counts cores and memory but no devices, so a gang with devices is counted here.
 */
function batchOptions(spec: SparkApplicationSpec): Fields | undefined {
  const { batchScheduler, driver, executor } = spec;
  if (batchScheduler === undefined) {
    return undefined;
  }
  const { name, queue, priorityClassName } = batchScheduler;
  const hasDevices = [driver, executor].some(({ devices }) => constructResources(devices ?? {})?.limits !== undefined);
  const options = { queue, priorityClassName, resources: name === 'volcano' && hasDevices ? gangResources(spec) : undefined };
  return Object.values(options).some((value) => value !== undefined) ? options : undefined;
}

/** What the driver and the first executors request together. */
function gangResources({ program, driver, executor, dynamicAllocation }: SparkApplicationSpec): Settings {
  const outsideJvm = program.type === 'Python' || program.type === 'R';
  const { initialExecutors = 0, minExecutors = 0 } = dynamicAllocation ?? {};
  const executors = dynamicAllocation === undefined ? executor.instances ?? 1 : Math.max(initialExecutors, minExecutors);
  const total: { [resource: string]: number } = {};
  for (const [pod, count] of [[driver, 1], [executor, executors]] as const) {
    const cores = pod.coreRequest === undefined ? pod.cores ?? 1 : tryParseQuantity(pod.coreRequest) ?? 0;
    const devices = constructResources(pod.devices ?? {})?.limits ?? {};
    const counted = Object.fromEntries(Object.entries(devices).map(([device, amount]) => [device, Number(amount)]));
    const asked = { cpu: cores * 1000, memory: containerMib(pod, outsideJvm), ...counted };
    Object.entries(asked).forEach(([resource, amount]) => {
      total[resource] = (total[resource] ?? 0) + amount * count;
    });
  }
  const { cpu, memory, ...devices } = total;
  return { cpu: `${Math.round(cpu)}m`, memory: `${memory}Mi`, ...Object.fromEntries(Object.entries(devices).map(([device, amount]) => [device, String(amount)])) };
}
