/**
 * What the Spark operator and Spark itself call things, and the numbers that both have: shared by the constructs of Spark and by the engine that
 * runs training jobs on it.
 */

/** `apiVersion` of SparkApplication and ScheduledSparkApplication. */
export const SPARK_API_VERSION = 'sparkoperator.k8s.io/v1beta2';

/** `apiVersion` of SparkConnect. */
export const SPARK_CONNECT_API_VERSION = 'sparkoperator.k8s.io/v1alpha1';

/** Version of Spark that is reported if none is named. */
export const SPARK_VERSION = '4.0.1';

/** Containers that Spark looks for in pod templates; others are next to them. */
export const SPARK_CONTAINERS = { driver: 'spark-kubernetes-driver', executor: 'spark-kubernetes-executor' } as const;

/** Longest prefix of executors' names: `PREFIX-exec-2147483647` has to be a DNS label. */
export const EXECUTOR_PREFIX_MAX_LENGTH = 63 - '-exec-2147483647'.length;

/** Batch schedulers that the operator can hand an application to. */
export const SPARK_BATCH_SCHEDULERS = ['volcano', 'yunikorn', 'kube-scheduler'] as const;

/** One of {@link SPARK_BATCH_SCHEDULERS}. */
export type SparkBatchScheduler = (typeof SPARK_BATCH_SCHEDULERS)[number];

/** Least heap of a driver or executor, MiB: one and a half times what Spark reserves for itself. */
export const MIN_HEAP_MIB = 450;

/** Heap if none is set, MiB. */
export const DEFAULT_HEAP_MIB = 1024;

/** Least memory in addition to the heap that Spark adds, MiB. */
const MIN_OVERHEAD_MIB = 384;

export const UI_PORT = 4040;

export const HISTORY_PORT = 18080;

export const CONNECT_PORT = 15002;

/** Ports of a driver or executor that are taken. */
export const TAKEN_PORTS: readonly number[] = [UI_PORT, 7078, 7079, CONNECT_PORT];

/** Where Spark finds GPUs, in its own images. */
export const GPU_DISCOVERY_SCRIPT = '/opt/spark/examples/src/main/scripts/getGpusResources.sh';

/** Memory in addition to the heap that Spark adds if none is set: a tenth, or more for programs that are no JVM's. */
export function defaultOverheadMib(heapMib: number, outsideJvm: boolean): number {
  return Math.max(MIN_OVERHEAD_MIB, Math.ceil(heapMib * (outsideJvm ? 0.4 : 0.1)));
}

/** Numbers of a version such as `4.0.1` or `3.5.7-gpu`; undefined when it is none. */
export function sparkVersionNumbers(version: string): readonly [number, number, number] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:[-.+].*)?$/.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Whether a version is one of Spark, of a release or a later one. */
export function isSparkFrom(version: string, major: number, minor: number): boolean {
  const numbers = sparkVersionNumbers(version);
  return numbers !== undefined && (numbers[0] > major || (numbers[0] === major && numbers[1] >= minor));
}
