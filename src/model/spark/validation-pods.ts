/** Rules on drivers, executors and servers: what Spark refuses when a pod has started already, and what its templates would lose. */
import { MIN_HEAP_MIB, SPARK_CONTAINERS, isSparkFrom } from './settings';
import type { SparkExecutorSpec, SparkPodSpec } from './spec';
import { tryParseQuantity } from '../quantities';
import { fieldPath } from '../shapes';
import type { ViolationCollector } from '../violations';

/** Variables that Spark's own entry point reads or that Spark sets; another value breaks the pod. */
const SPARK_VARIABLES: readonly string[] = [
  'SPARK_DRIVER_BIND_ADDRESS', 'SPARK_DRIVER_URL', 'SPARK_EXECUTOR_ID', 'SPARK_EXECUTOR_CORES', 'SPARK_EXECUTOR_MEMORY', 'SPARK_EXECUTOR_POD_IP',
  'SPARK_EXECUTOR_POD_NAME', 'SPARK_APPLICATION_ID', 'SPARK_CONF_DIR', 'SPARK_LOCAL_DIRS', 'SPARK_RESOURCE_PROFILE_ID', 'SPARK_USER',
];

/** Fields of a pod that have a field of ours, or that Spark writes over. */
const POD_FIELDS: { readonly [field: string]: string } = {
  restartPolicy: 'is managed by Spark: it decides itself when to recreate a pod',
  serviceAccountName: 'has its own field, serviceAccount, which also configures Spark',
};

export function checkSparkPod(pod: SparkPodSpec, path: string, role: 'driver' | 'executor' | 'server', violations: ViolationCollector): void {
  const { cores, coreRequest, coreLimit, memoryMib, memoryOverheadMib, env = [], podSpec = {} } = pod;
  violations.whole(`${path}.cores`, cores, 1, Infinity, ': the tasks that run at the same time. Use coreRequest for parts of a core.');
  const [request, limit] = ([['coreRequest', coreRequest], ['coreLimit', coreLimit]] as const).map(([field, value]) => {
    const parsed = value === undefined ? undefined : tryParseQuantity(value);
    if (value !== undefined && !((parsed ?? 0) > 0)) {
      violations.add(`${path}.${field}`, value, 'must be a quantity of cores above 0, such as 500m or 2.');
    }
    return parsed;
  });
  const requested = request ?? cores ?? 1;
  if (limit !== undefined && limit > 0 && requested > limit) {
    violations.add(`${path}.coreLimit`, coreLimit, `is less than what the pod requests (${coreRequest ?? cores ?? 1}), which Kubernetes refuses. Raise it, or lower coreRequest.`);
  }
  if (memoryMib !== undefined && memoryMib < MIN_HEAP_MIB) {
    violations.add(`${path}.memory`, `${memoryMib}m`, `is the JVM's heap, which must have ${MIN_HEAP_MIB} MiB or Spark does not start. Request more.`);
  }
  if (memoryOverheadMib !== undefined && memoryOverheadMib < 1) {
    violations.add(`${path}.memoryOverhead`, `${memoryOverheadMib}m`, 'is off-heap memory and must be greater than 0 for a JVM. Request more, or omit it.');
  }
  for (const { name } of env) {
    if (SPARK_VARIABLES.includes(name)) {
      violations.add(fieldPath(`${path}.env`, name), name, 'belongs to Spark, which sets it in its containers. Rename it.');
    }
  }
  for (const option of (pod.javaOptions ?? '').split(/\s+/)) {
    if (/^-Xm[sx]/.test(option) || option.startsWith('-Dspark.')) {
      violations.add(`${path}.javaOptions`, option, `is rejected by Spark. Use ${option.startsWith('-D') ? 'sparkConf' : 'memory'}.`);
    }
  }
  for (const [field, why] of Object.entries(POD_FIELDS)) {
    if (podSpec[field] !== undefined) {
      violations.add(`${path}.template.spec.${field}`, podSpec[field], `${why}. Remove it.`);
    }
  }
  checkTemplate(pod, path, role, violations);
}

/** A container as an author writes it into a pod. */
interface WrittenContainer {
  readonly name?: string;
  readonly image?: string;
  readonly command?: unknown;
}

function checkTemplate(
  { podSpec = {}, volumes = [], volumeMounts = [] }: SparkPodSpec, path: string, role: 'driver' | 'executor' | 'server', violations: ViolationCollector,
): void {
  const main = SPARK_CONTAINERS[role === 'executor' ? 'executor' : 'driver'];
  const containers = (podSpec.containers ?? []) as readonly WrittenContainer[];
  for (const { name, image, command } of containers) {
    const field = image !== undefined ? 'image' : 'command';
    if (name === main && (image ?? command) !== undefined) {
      violations.add(`${path}.template.spec.containers[${main}].${field}`, image ?? command, `is overwritten by Spark. ${image !== undefined ? 'Use image' : 'Remove it'}.`);
    }
  }
  const names = new Set<unknown>();
  for (const { name } of volumes) {
    if (names.has(name)) {
      violations.add(`${path}.volumeMounts`, name, 'is the name of two different volumes. Mount the same Volume object twice, or rename one of them.');
    }
    names.add(name);
  }
  const paths = new Set<unknown>();
  for (const { mountPath } of volumeMounts) {
    if (paths.has(mountPath)) {
      violations.add(`${path}.volumeMounts`, mountPath, 'has two volumes. Choose another path for one of them.');
    }
    paths.add(mountPath);
  }
}

export function checkGpuTasks(executor: SparkExecutorSpec, sparkVersion: string, violations: ViolationCollector): void {
  const { gpusPerTask, gpuDiscoveryScript, devices = {}, cores = 1 } = executor;
  const gpus = devices.gpu ?? 0;
  if (gpusPerTask === undefined) {
    if (gpuDiscoveryScript !== undefined) {
      violations.add('spec.executor.gpuDiscoveryScript', gpuDiscoveryScript, 'is used by Spark only if it counts GPUs. Set gpusPerTask, or remove it.');
    }
    return;
  }
  const path = 'spec.executor.gpusPerTask';
  // Spark 3 takes shares of up to a half, Spark 4 any (SPARK-45527).
  const mostShare = isSparkFrom(sparkVersion, 4, 0) ? 1 : 0.5;
  if (gpus === 0) {
    violations.add(path, gpusPerTask, 'needs GPUs to count. Set an accelerator for the executors, or remove it.');
  } else if (!(gpusPerTask > 0) || (gpusPerTask > mostShare && !Number.isInteger(gpusPerTask))) {
    violations.add(path, gpusPerTask, `must be a whole number, or a share of up to ${mostShare} in Spark ${sparkVersion}.`);
  } else if (gpusPerTask > gpus) {
    violations.add(path, gpusPerTask, `is more than an executor has (${gpus}), so no task would ever start. Use ${gpus} or less.`);
  } else {
    const byGpu = gpusPerTask < 1 ? gpus * Math.floor(1 / gpusPerTask) : Math.floor(gpus / gpusPerTask);
    if (byGpu < cores) {
      violations.add(path, gpusPerTask, `gives work to ${byGpu} of the executor's ${cores} cores, and Spark does not start with cores that can have no task. Use ${byGpu} cores, or a smaller share.`);
    }
  }
}
