/** Ray's clusters and Spark's applications: a head or driver, and workers whose number may change. */
import { group, podOf, type Found, type KindReader } from './kind-reader';
import { at, fieldsAt, listAt, numberAt, textAt, type Fields } from '../fields';
import type { Surroundings } from '../surroundings';
import { range } from '../../../model/cost/ranges';
import type { PodGroup } from '../../../model/cost/workloads';

/** A cluster that stays. */
export const readRayCluster: KindReader = ({ spec }, surroundings) => ({ nature: 'service', groups: rayGroups(fieldsAt({ spec }, 'spec'), surroundings) });

/** A cluster that serves. */
export const readRayService: KindReader = ({ spec }, surroundings) => ({ nature: 'service', groups: rayGroups(fieldsAt(spec, 'rayClusterConfig'), surroundings) });

/** A cluster for one job. */
export const readRayJob: KindReader = ({ spec }, surroundings) => rayJob(fieldsAt({ spec }, 'spec'), surroundings);

/** A job each time. */
export const readRayCronJob: KindReader = ({ spec }, surroundings) => {
  const found = rayJob(fieldsAt(spec, 'jobTemplate'), surroundings);
  return found && { ...found, notes: [...found.notes ?? [], `for one run; its schedule is ${textAt(spec, 'schedule') ?? 'not set'}`] };
};

function rayJob(spec: Fields, surroundings: Surroundings): Found | undefined {
  // A job with a selector runs on a cluster that is there.
  if (spec.clusterSelector !== undefined) {
    return undefined;
  }
  const deadlineSeconds = numberAt(spec, 'activeDeadlineSeconds');
  const submitter = at(spec, 'submitterPodTemplate');
  return {
    nature: 'job',
    groups: [...rayGroups(fieldsAt(spec, 'rayClusterSpec'), surroundings), ...(submitter === undefined ? [] : [group('submitter', 1, podOf(submitter), surroundings)])],
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
}

function rayGroups(cluster: Fields, surroundings: Surroundings): PodGroup[] {
  const scales = cluster.enableInTreeAutoscaling === true;
  return [
    group('head', 1, podOf(at(cluster, 'headGroupSpec', 'template')), surroundings),
    ...listAt(cluster, 'workerGroupSpecs').filter(({ suspend }) => suspend !== true).map((workers) => {
      const replicas = numberAt(workers, 'replicas') ?? numberAt(workers, 'minReplicas') ?? 0;
      const hosts = numberAt(workers, 'numOfHosts') ?? 1;
      const pods = scales ? range(numberAt(workers, 'minReplicas') ?? 0, numberAt(workers, 'maxReplicas') ?? replicas) : range(replicas);
      return group(textAt(workers, 'groupName') ?? 'workers', range(pods.min * hosts, pods.max * hosts), podOf(workers.template), surroundings);
    }),
  ];
}

/** An application. */
export const readSparkApplication: KindReader = ({ spec }, surroundings) => ({ nature: 'job', groups: sparkGroups(fieldsAt({ spec }, 'spec'), surroundings) });

/** An application each time. */
export const readScheduledSpark: KindReader = ({ spec }, surroundings) => ({
  nature: 'job', groups: sparkGroups(fieldsAt(spec, 'template'), surroundings), notes: [`for one run; its schedule is ${textAt(spec, 'schedule') ?? 'not set'}`],
});

/** A server whose executors come and go. */
export const readSparkConnect: KindReader = ({ spec }, surroundings) => {
  const given = fieldsAt({ spec }, 'spec');
  return { nature: 'service', groups: sparkGroups({ ...given, driver: given.server }, surroundings) };
};

function sparkGroups(spec: Fields, surroundings: Surroundings): PodGroup[] {
  const conf = fieldsAt(spec, 'sparkConf');
  const dynamic = fieldsAt(spec, 'dynamicAllocation');
  const setting = (name: string) => numberAt(conf, `spark.dynamicAllocation.${name}`);
  const scales = dynamic.enabled === true || String(conf['spark.dynamicAllocation.enabled']) === 'true';
  const instances = numberAt(spec, 'executor', 'instances') ?? numberAt(conf, 'spark.executor.instances') ?? 2;
  const executors = scales
    ? range(numberAt(dynamic, 'minExecutors') ?? setting('minExecutors') ?? 0, numberAt(dynamic, 'maxExecutors') ?? setting('maxExecutors') ?? instances)
    : range(instances);
  return [
    group('driver', 1, sparkPod(fieldsAt(spec, 'driver')), surroundings),
    group('executor', executors, sparkPod(fieldsAt(spec, 'executor')), surroundings),
  ];
}

/**
 * Spark makes the container's requests of its own fields: the heap, and a tenth of it or 384 MiB beside it. GPUs are the operator's field, or stand
 * in the template.
 * @see https://spark.apache.org/docs/latest/running-on-kubernetes.html
 */
function sparkPod(part: Fields): Fields {
  const template = podOf(part.template);
  const [first, ...others] = listAt(template, 'containers');
  const mebibytes = mebibytesOf(textAt(part, 'memory') ?? '1g');
  const overhead = part.memoryOverhead === undefined ? Math.max(384, 0.1 * mebibytes) : mebibytesOf(String(part.memoryOverhead));
  const gpu = fieldsAt(part, 'gpu');
  const resources = {
    requests: { cpu: textAt(part, 'coreRequest') ?? String(numberAt(part, 'cores') ?? 1), memory: `${Math.ceil(mebibytes + overhead)}Mi` },
    limits: { ...fieldsAt(first, 'resources', 'limits'), ...(typeof gpu.name === 'string' && { [gpu.name]: gpu.quantity }) },
  };
  return {
    ...template,
    nodeSelector: { ...fieldsAt(template, 'nodeSelector'), ...fieldsAt(part, 'nodeSelector') },
    affinity: part.affinity ?? template.affinity,
    containers: [{ ...first, resources }, ...others],
  };
}

/** JVM's sizes: `4g`, `512m`; a number alone is bytes here, and MiB for Spark's overhead, which nobody writes so. */
function mebibytesOf(size: string): number {
  const [, digits = '1024', unit = 'm'] = /^(\d+)\s*([kmgt])?b?i?$/i.exec(size) ?? [];
  return Number(digits) * ({ k: 1 / 1024, m: 1, g: 1024, t: 1024 ** 2 }[unit.toLowerCase()] ?? 1);
}
