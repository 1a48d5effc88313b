/** Spark's applications, which say in fields of their own what their pods take. */
import { group, podOf, type WorkloadReader } from './kind-reader';
import { fieldsAt, listAt, numberAt, textAt, type Fields } from '../fields';
import { range } from '../../../model/cost/ranges';

/** An application, with a driver, or a server that stays, and executors that may come and go. */
export const readSpark: WorkloadReader = (object, surroundings) => {
  const spec = fieldsAt(object, 'spec');
  const conf = fieldsAt(spec, 'sparkConf');
  const dynamic = fieldsAt(spec, 'dynamicAllocation');
  const setting = (name: string) => numberAt(conf, `spark.dynamicAllocation.${name}`);
  const scales = dynamic.enabled === true || String(conf['spark.dynamicAllocation.enabled']) === 'true';
  const instances = numberAt(spec, 'executor', 'instances') ?? numberAt(conf, 'spark.executor.instances') ?? 2;
  const executors = scales
    ? range(numberAt(dynamic, 'minExecutors') ?? setting('minExecutors') ?? 0, numberAt(dynamic, 'maxExecutors') ?? setting('maxExecutors') ?? instances)
    : range(instances);
  return {
    groups: [
      group('driver', 1, sparkPod(fieldsAt(spec, spec.server === undefined ? 'driver' : 'server')), surroundings),
      group('executor', executors, sparkPod(fieldsAt(spec, 'executor')), surroundings),
    ],
  };
};

/**
 * Spark computes the container's requests from its own fields: the heap, plus a tenth of it, at least 384 MiB. GPUs are in a field of the operator,
 * or in the template.
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

/** Sizes as the JVM writes them, such as `4g` and `512m`. A number without a unit is in MiB, Spark's default. */
function mebibytesOf(size: string): number {
  const [, digits = '1024', unit = 'm'] = /^(\d+)\s*([kmgt])?b?i?$/i.exec(size) ?? [];
  return Number(digits) * ({ k: 1 / 1024, m: 1, g: 1024, t: 1024 ** 2 }[unit.toLowerCase()] ?? 1);
}
