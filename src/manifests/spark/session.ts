/** What SparkApplication and SparkConnect have in common: settings, dynamic allocation, memory. */
import {
  DEFAULT_HEAP_MIB, GPU_DISCOVERY_SCRIPT, defaultOverheadMib,
} from '../../model/spark/settings';
import type { Fields, Settings, SparkEventLogSpec, SparkExecutorSpec, SparkPodSpec, SparkSessionSpec } from '../../model/spark/spec';

/** Seconds in the operator's dynamic allocation are milliseconds of the tracker. */
const MILLISECONDS = 1000;

/** Settings: the author's, and those from our fields. The rules have made sure that none is in both. */
export function sparkSettings({ sparkConf, executor, eventLog }: SparkSessionSpec, more: Settings = {}): Settings | undefined {
  const settings = { ...more, ...eventLogSettings(eventLog), ...gpuSettings(executor), ...sparkConf };
  return Object.keys(settings).length > 0 ? settings : undefined;
}

function eventLogSettings(eventLog: SparkEventLogSpec | undefined): Settings {
  return eventLog === undefined ? {} : {
    'spark.eventLog.enabled': 'true',
    'spark.eventLog.dir': folderUri(eventLog),
    ...(eventLog.compress && { 'spark.eventLog.compress': 'true' }),
    ...(eventLog.rollingMib !== undefined && { 'spark.eventLog.rolling.enabled': 'true', 'spark.eventLog.rolling.maxFileSize': `${eventLog.rollingMib}m` }),
  };
}

/** URI of the folder of event logs; for a path, a volume is mounted there. */
export function folderUri({ folder, volume }: SparkEventLogSpec): string {
  return volume === undefined ? folder : `file://${folder}`;
}

/** Volumes of a pod, and where its container mounts them. */
export interface SparkMounts {
  readonly volumes: readonly Fields[];
  readonly volumeMounts: readonly Fields[];
}

/** Volume and mount of the folder, where it is on a volume. */
export function eventLogMounts(eventLog: SparkEventLogSpec | undefined): SparkMounts {
  const { volume, mount } = eventLog ?? {};
  return volume === undefined || mount === undefined ? { volumes: [], volumeMounts: [] } : { volumes: [volume], volumeMounts: [mount] };
}

/** Spark asks Kubernetes for as many GPUs as the template does, and gives each to a task. */
function gpuSettings({ gpusPerTask, gpuDiscoveryScript, devices }: SparkExecutorSpec): Settings {
  return gpusPerTask === undefined ? {} : {
    'spark.executor.resource.gpu.amount': String(devices?.gpu),
    'spark.executor.resource.gpu.vendor': (devices?.gpuResourceName ?? 'nvidia.com/gpu').split('/')[0],
    'spark.executor.resource.gpu.discoveryScript': gpuDiscoveryScript ?? GPU_DISCOVERY_SCRIPT,
    'spark.task.resource.gpu.amount': String(gpusPerTask),
  };
}

/** `dynamicAllocation`. Its timeout is in milliseconds. */
export function constructAllocation({ dynamicAllocation }: SparkSessionSpec): Fields | undefined {
  return dynamicAllocation && {
    enabled: true,
    initialExecutors: dynamicAllocation.initialExecutors,
    minExecutors: dynamicAllocation.minExecutors,
    maxExecutors: dynamicAllocation.maxExecutors,
    shuffleTrackingEnabled: dynamicAllocation.shuffleTracking,
    shuffleTrackingTimeout: dynamicAllocation.shuffleTrackingTimeoutSeconds && dynamicAllocation.shuffleTrackingTimeoutSeconds * MILLISECONDS,
  };
}

/** MiB as Spark writes memory. */
export function sparkMemory(mib: number | undefined): string | undefined {
  return mib === undefined ? undefined : `${mib}m`;
}

/** Memory of a container, MiB. */
export function containerMib({ memoryMib = DEFAULT_HEAP_MIB, memoryOverheadMib }: SparkPodSpec, outsideJvm: boolean): number {
  return memoryMib + (memoryOverheadMib ?? defaultOverheadMib(memoryMib, outsideJvm));
}
