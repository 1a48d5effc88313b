/** Jobs whose pods are not in the object: our own, Trainer's, and Katib's searches. */
import { group, jobPods, podOf, type KindReader, type WorkloadReader } from './kind-reader';
import { at, fieldsAt, listAt, numberAt, textAt } from '../fields';
import { merged, withResources } from '../surroundings';
import { CliError } from '../../cli-error';
import { constructHookPod } from '../../../manifests/pod/hook-pod';
import { constructReplicaPod } from '../../../manifests/pod/replica-pod';
import { range } from '../../../model/cost/ranges';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import type { PodGroup } from '../../../model/cost/workloads';
import type { JsonRecord } from '../../../model/json-parts';
import { isArray } from '../../../model/training-job/array';
import { HOOK_NAMES, hookSuffix, hookTimeoutSeconds } from '../../../model/training-job/hooks';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateTrainingJob } from '../../../model/training-job/validation/validation';
import { isSearch, searchOf } from '../../../model/tuning/trial-spec';
import { formatViolation } from '../../../model/violations';

const NAMESPACE = 'default';

/** Our own jobs, with the pods that the operator creates. */
export const readTrainingJob: WorkloadReader = ({ metadata, spec: given }, surroundings) => {
  const spec = given as unknown as TrainingJobSpec;
  const name = metadata?.name ?? 'job';
  const [violation] = validateTrainingJob(name, spec);
  if (violation !== undefined) {
    throw new CliError(`MLTrainingJob ${name}: ${formatViolation(violation)} Run trainyard validate for all errors.`);
  }
  const { array, autoTuning, ...single } = spec;
  const job = resolveTrainingJob(name, single);
  const elastic = spec.elastic;
  const primary = primaryOf(job);
  const training = primary.trainers;
  const search = isSearch(spec) ? searchOf(spec, '') : undefined;
  const hooks = HOOK_NAMES.filter((hook) => spec.hooks?.[hook] !== undefined).map((hook): PodGroup => {
    const pod = constructHookPod({ job, hook, tries: 0, status: {}, namespace: NAMESPACE });
    // They do not run at the same time as the replicas.
    const alone = { ...surroundings, onPods: undefined };
    return { ...group(hookSuffix(hook), 1, pod.spec as unknown as JsonRecord, alone, hookTimeoutSeconds(spec.hooks![hook]!)), isApart: true };
  });
  const roles = job.roles.flatMap((role) => {
    const replica = job.replicas.find((candidate) => candidate.role === role.name);
    if (replica === undefined) {
      return [];
    }
    const pod = constructReplicaPod({ job, replica, attempt: 0, namespace: NAMESPACE });
    // Elastic jobs scale their workers, and no other roles.
    const others = training - role.replicas;
    const pods = elastic !== undefined && role.helper === undefined && role.ranked && !role.singleton
      ? range(Math.max(0, elastic.minReplicas - others), elastic.maxReplicas - others)
      : range(role.replicas);
    return [group(role.name, pods, pod.spec as unknown as JsonRecord, surroundings)];
  });
  return {
    groups: [...roles, ...hooks],
    ...(isArray(spec) && { copies: { count: array!.count, parallel: Math.min(array!.count, array!.parallelism ?? array!.count) } }),
    ...(search !== undefined && { copies: { count: search.maxTrials, parallel: Math.min(search.maxTrials, autoTuning?.parallelTrials ?? 1) } }),
    ...(job.runPolicy.activeDeadlineSeconds !== undefined && { deadlineSeconds: job.runPolicy.activeDeadlineSeconds }),
  };
};

/** Trainer's jobs: the pods of the runtime, with the nodes and resources of the job. */
export const readTrainJob: WorkloadReader = ({ metadata, spec }, surroundings) => {
  const runtimeName = textAt(spec, 'runtimeRef', 'name') ?? '';
  const kind = textAt(spec, 'runtimeRef', 'kind') ?? 'ClusterTrainingRuntime';
  const runtime = surroundings.runtime([kind], runtimeName, metadata?.namespace);
  const patches = listAt(spec, 'runtimePatches').map((patch) => fieldsAt(patch, 'trainingRuntimeSpec', 'template', 'spec'));
  const jobSet = patches.reduce<unknown>((base, patch) => merged(base, patch), at(runtime, 'spec', 'template', 'spec') ?? {}) as JsonRecord;
  const jobs = listAt(jobSet, 'replicatedJobs');
  const nodes = numberAt(spec, 'trainer', 'numNodes') ?? numberAt(runtime, 'spec', 'mlPolicy', 'numNodes') ?? 1;
  const resources = at(spec, 'trainer', 'resourcesPerNode');
  const deadlineSeconds = numberAt(spec, 'activeDeadlineSeconds');
  const hasNode = (job: JsonRecord) => textAt(job, 'name') === 'node';
  const isLaunched = jobs.some(hasNode) && !jobs.filter(hasNode).some(isTrainer) && jobs.some(isTrainer);
  const groups = jobs.map((job) => {
    const template = fieldsAt(job, 'template', 'spec');
    const counted = isLaunched ? hasNode(job) : isTrainer(job) || (hasNode(job) && !jobs.some(isTrainer));
    const pod = podOf(template.template);
    const pods = (numberAt(job, 'replicas') ?? 1) * (counted ? nodes : jobPods(template));
    return group(textAt(job, 'name') ?? 'node', pods, counted ? withResources(pod, 'node', resources) : pod, surroundings, numberAt(template, 'activeDeadlineSeconds'));
  });
  return {
    groups: groups.length > 0 ? groups : [group('node', nodes, withResources({}, 'node', resources), surroundings)],
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    notes: runtime === undefined ? [`its runtime, ${kind} ${runtimeName}, is not in these manifests: its selectors and additional pods are not in the price`] : [],
  };
};

function isTrainer(job: JsonRecord): boolean {
  return at(fieldsAt(job, 'template', 'metadata', 'labels'), 'trainer.kubeflow.org/trainjob-ancestor-step') === 'trainer';
}

/** Katib's experiments, whose trials are jobs of another kind. */
export function readExperiment(readObject: KindReader): WorkloadReader {
  return ({ spec }, surroundings) => {
    const trial = fieldsAt(spec, 'trialTemplate', 'trialSpec') as ManifestObject;
    const count = numberAt(spec, 'maxTrialCount');
    // Parameters are ${trialParameters.NAME} in it. No number that the price depends on is one.
    const found = readObject(trial, surroundings);
    const { groups = [], deadlineSeconds, ...rest } = found ?? {};
    return found && {
      ...rest,
      // The deadline of the job is that of one trial.
      groups: deadlineSeconds === undefined ? groups
        : groups.map((each) => ({ ...each, deadlineSeconds: Math.min(deadlineSeconds, each.deadlineSeconds ?? deadlineSeconds) })),
      copies: { count: count ?? 1, parallel: Math.min(count ?? Infinity, numberAt(spec, 'parallelTrialCount') ?? 3) },
      notes: [...found.notes ?? [], ...(count === undefined ? ['the number of trials is not set (maxTrialCount): the price is for one'] : [])],
    };
  };
}

/** A driver, or a server of Spark Connect, with executors. */
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
function sparkPod(part: JsonRecord): JsonRecord {
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
