/** Jobs that train: ours, Trainer's, training-operator's, JobSet, Kubernetes' own, Volcano's, and Katib's searches. */
import { group, isOf, jobPods, podOf, type Found, type KindReader } from './kind-reader';
import { at, fieldsAt, listAt, numberAt, textAt, type Fields } from '../fields';
import { merged, withResources, type Surroundings } from '../surroundings';
import { CliError } from '../../cli-error';
import type { ManifestObject } from '../../../model/objects/manifest-object';
import { constructReplicaPod } from '../../../manifests/pod/replica-pod';
import { range } from '../../../model/cost/ranges';
import { isArray } from '../../../model/training-job/array';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { validateTrainingJob } from '../../../model/training-job/validation/validation';
import { isSearch, searchOf } from '../../../model/tuning/trial-spec';
import { formatViolation } from '../../../model/violations';
import { isRecord } from '../../../model/json-parts';

const NAMESPACE = 'default';

/** Our own: each role's pod as the operator makes it. */
export const readTrainingJob: KindReader = ({ metadata, spec: given }, surroundings) => {
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
  return {
    nature: 'job',
    groups: job.roles.flatMap((role) => {
      const replica = job.replicas.find((candidate) => candidate.role === role.name);
      if (replica === undefined) {
        return [];
      }
      const pod = constructReplicaPod({ job, replica, attempt: 0, namespace: NAMESPACE });
      // Elastic jobs grow and shrink by their workers; what trains beside them stays.
      const others = training - role.replicas;
      const pods = elastic !== undefined && role.helper === undefined && role.ranked && !role.singleton
        ? range(Math.max(0, elastic.minReplicas - others), elastic.maxReplicas - others)
        : range(role.replicas);
      return [group(role.name, pods, pod.spec as unknown as Fields, surroundings)];
    }),
    ...(isArray(spec) && { copies: { count: array!.count, parallel: Math.min(array!.count, array!.parallelism ?? array!.count) } }),
    ...(search !== undefined && { copies: { count: search.maxTrials, parallel: Math.min(search.maxTrials, autoTuning?.parallelTrials ?? 1) } }),
    ...(job.runPolicy.activeDeadlineSeconds !== undefined && { deadlineSeconds: job.runPolicy.activeDeadlineSeconds }),
  };
};

/** Trainer's: the pods are its runtime's, changed by what the job says of its nodes. */
export const readTrainJob: KindReader = ({ metadata, spec }, surroundings) => {
  const runtimeName = textAt(spec, 'runtimeRef', 'name') ?? '';
  const kind = textAt(spec, 'runtimeRef', 'kind') ?? 'ClusterTrainingRuntime';
  const runtime = surroundings.runtime([kind], runtimeName, metadata?.namespace);
  const patches = listAt(spec, 'runtimePatches').map((patch) => fieldsAt(patch, 'trainingRuntimeSpec', 'template', 'spec'));
  const jobSet = patches.reduce<unknown>((base, patch) => merged(base, patch), at(runtime, 'spec', 'template', 'spec') ?? {}) as Fields;
  const jobs = listAt(jobSet, 'replicatedJobs');
  const nodes = numberAt(spec, 'trainer', 'numNodes') ?? numberAt(runtime, 'spec', 'mlPolicy', 'numNodes') ?? 1;
  const resources = at(spec, 'trainer', 'resourcesPerNode');
  const deadlineSeconds = numberAt(spec, 'activeDeadlineSeconds');
  const hasNode = (job: Fields) => textAt(job, 'name') === 'node';
  const isLaunched = jobs.some(hasNode) && !jobs.filter(hasNode).some(isTrainer) && jobs.some(isTrainer);
  const groups = jobs.map((job) => {
    const template = fieldsAt(job, 'template', 'spec');
    const counted = isLaunched ? hasNode(job) : isTrainer(job) || (hasNode(job) && !jobs.some(isTrainer));
    const pod = podOf(template.template);
    const pods = (numberAt(job, 'replicas') ?? 1) * (counted ? nodes : jobPods(template));
    return group(textAt(job, 'name') ?? 'node', pods, counted ? withResources(pod, 'node', resources) : pod, surroundings, numberAt(template, 'activeDeadlineSeconds'));
  });
  return {
    nature: 'job',
    groups: groups.length > 0 ? groups : [group('node', nodes, withResources({}, 'node', resources), surroundings)],
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    notes: runtime === undefined ? [`its runtime, ${kind} ${runtimeName}, is not in these manifests: its selectors and additional pods are not in the price`] : [],
  };
};

function isTrainer(job: Fields): boolean {
  return at(fieldsAt(job, 'template', 'metadata', 'labels'), 'trainer.kubeflow.org/trainjob-ancestor-step') === 'trainer';
}

/** Fields of training-operator v1's kinds, and of the MPI operator's, that hold their replicas. */
const REPLICA_SPECS: { readonly [kind: string]: string } = {
  PyTorchJob: 'pytorchReplicaSpecs', TFJob: 'tfReplicaSpecs', MPIJob: 'mpiReplicaSpecs', XGBoostJob: 'xgbReplicaSpecs', PaddleJob: 'paddleReplicaSpecs',
  JAXJob: 'jaxReplicaSpecs', MXJob: 'mxReplicaSpecs',
};

/** Kinds of training-operator v1. */
export const V1_KINDS: readonly string[] = Object.keys(REPLICA_SPECS);

/** training-operator v1 and the MPI operator. */
export const readV1Job: KindReader = ({ kind = '', spec }, surroundings) => {
  const deadlineSeconds = numberAt(spec, 'runPolicy', 'activeDeadlineSeconds');
  const elastic = fieldsAt(spec, 'elasticPolicy');
  const roles = Object.entries(fieldsAt(spec, REPLICA_SPECS[kind])).filter((entry): entry is [string, Fields] => isRecord(entry[1]));
  const [min, max] = [numberAt(elastic, 'minReplicas'), numberAt(elastic, 'maxReplicas')];
  return {
    nature: 'job',
    groups: roles.map(([role, replica]) => {
      const count = numberAt(replica, 'replicas') ?? 1;
      const pods = role === 'Worker' && (min !== undefined || max !== undefined) ? range(min ?? count, max ?? count) : range(count);
      return group(role.toLowerCase(), pods, podOf(replica.template), surroundings);
    }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
  };
};

/** JobSet: each of its Jobs has a deadline of its own. */
export const readJobSet: KindReader = ({ spec }, surroundings) => ({
  nature: 'job',
  groups: listAt(spec, 'replicatedJobs').map((job) => {
    const template = fieldsAt(job, 'template', 'spec');
    return group(textAt(job, 'name') ?? '', (numberAt(job, 'replicas') ?? 1) * jobPods(template), podOf(template.template), surroundings, numberAt(template, 'activeDeadlineSeconds'));
  }),
});

/** Kubernetes' Job, and Volcano's of the same name. */
export const readJob: KindReader = (object, surroundings) => {
  const spec = fieldsAt(object, 'spec');
  return isOf(object, 'batch.volcano.sh') ? volcanoJob(spec, surroundings) : plainJob(spec, surroundings);
};

function plainJob(spec: Fields, surroundings: Surroundings): Found {
  const deadlineSeconds = numberAt(spec, 'activeDeadlineSeconds');
  const [pods, completions] = [jobPods(spec), numberAt(spec, 'completions') ?? 0];
  return {
    nature: 'job',
    groups: [group('pod', pods, podOf(spec.template), surroundings)],
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    notes: completions > pods ? [`${completions} pods, ${pods} at a time: the hours are for the whole job`] : [],
  };
}

function volcanoJob(spec: Fields, surroundings: Surroundings): Found {
  return {
    nature: 'job',
    groups: listAt(spec, 'tasks').map((task) => {
      const count = numberAt(task, 'replicas') ?? 1;
      return group(textAt(task, 'name') ?? 'task', range(Math.min(count, numberAt(task, 'minAvailable') ?? count), count), podOf(task.template), surroundings);
    }),
  };
}

/** Every run of a CronJob is a Job. */
export const readCronJob: KindReader = ({ spec }, surroundings) => {
  const found = plainJob(fieldsAt(spec, 'jobTemplate', 'spec'), surroundings);
  return { ...found, notes: [...found.notes ?? [], `for one run; its schedule is ${textAt(spec, 'schedule') ?? 'not set'}`] };
};

/** Groups of a leader and its workers. */
export const readLeaderWorkerSet: KindReader = ({ spec }, surroundings) => {
  const replicas = numberAt(spec, 'replicas') ?? 1;
  const size = numberAt(spec, 'leaderWorkerTemplate', 'size') ?? 1;
  const worker = podOf(at(spec, 'leaderWorkerTemplate', 'workerTemplate'));
  const leader = at(spec, 'leaderWorkerTemplate', 'leaderTemplate');
  return {
    nature: 'service',
    groups: [
      group('leader', replicas, leader === undefined ? worker : podOf(leader), surroundings),
      ...(size > 1 ? [group('worker', replicas * (size - 1), worker, surroundings)] : []),
    ],
  };
};

/** Katib: trials are jobs of another kind. */
export function readExperiment(readObject: (object: ManifestObject, surroundings: Surroundings) => Found | undefined): KindReader {
  return ({ spec }, surroundings) => {
    const trial = fieldsAt(spec, 'trialTemplate', 'trialSpec') as ManifestObject;
    const count = numberAt(spec, 'maxTrialCount');
    // Values of parameters stand in it as ${trialParameters.NAME}: none of them is a number that a price depends on.
    const found = readObject(trial, surroundings);
    return found && {
      ...found,
      copies: { count: count ?? 1, parallel: Math.min(count ?? Infinity, numberAt(spec, 'parallelTrialCount') ?? 3) },
      notes: [...found.notes ?? [], ...(count === undefined ? ['the number of trials is not set (maxTrialCount): the price is for one'] : [])],
    };
  };
}
