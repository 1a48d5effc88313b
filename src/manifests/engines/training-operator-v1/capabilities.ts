/** What training-operator v1.9 supports, and within which limits. */
import { isMpiJob } from './kinds';
import { each, no, partly, type EngineCapabilities } from '../capabilities';
import { BASIC_FIELDS, MULTI_KUEUE_FIELD, NO_ARRAYS, NO_NODE_LOSS, ROLE_FIELDS, backoffFields, noHooks } from '../indexed/capabilities';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { MULTI_KUEUE_CONTROLLER } from '../../../model/kueue-names';

const NO_PAUSE = no('does not pause between restarts itself: the kubelet waits 10 seconds, and twice as long each time up to 5 minutes');
const NO_EXIT_CODES = no('distinguishes exit codes only with the restart policy ExitCode, which retries those from 128');
const NO_AVOIDANCE = no('does not keep pods away from nodes');
const NO_PROGRESS = no('does not see whether a job makes progress');

const RESTART_POLICY = partly('not ExitCode for MPI, Horovod and DeepSpeed', (value, { framework }) => (
  value === 'ExitCode' && isMpiJob(framework) ? 'never restarts the launcher of an MPIJob, so ExitCode has no effect' : undefined));

/** Kueue supports the kinds of training-operator v1, but only the MPIJobs of the MPI operator (`kubeflow.org/v2beta1`). */
const NO_MPI_QUEUES = 'creates MPIJobs of kubeflow.org/v1, which Kueue does not queue: they would start immediately, outside all quotas';

const QUEUED = partly('not for MPI, Horovod and DeepSpeed', (_value, { framework }) => (isMpiJob(framework) ? NO_MPI_QUEUES : undefined));

export function v1Capabilities(options: TrainingOperatorV1Options = {}): EngineCapabilities {
  return {
    frameworks: {
      ...each(true, 'pytorch', 'tensorflow', 'jax', 'xgboost', 'lightgbm', 'mpi', 'horovod', 'deepspeed', 'paddle'),
      mxnet: no('has no MXJob since release 1.9'),
      plain: no('has a kind for each of its frameworks, and none for plain containers'),
    },
    fields: {
      ...BASIC_FIELDS,
      ...ROLE_FIELDS,
      ...each(
        true,
        'runPolicy.activeDeadlineSeconds', 'runPolicy.cleanPodPolicy', 'scheduling.gang.queue',
        'scheduling.gang.minAvailable', 'elastic.minReplicas', 'elastic.maxReplicas', 'elastic.maxRestarts', 'debug',
      ),
      ...each(RESTART_POLICY, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
      'runPolicy.backoffLimit': partly('not with ExitCode', (_value, spec) => (
        restartPolicies(spec).includes('ExitCode') ? 'does not count restarts of pods with the restart policy ExitCode, and retries them forever' : undefined)),
      ...backoffFields(NO_PAUSE),
      ...each(NO_EXIT_CODES, 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry', 'runPolicy.exitCodes.fail'),
      'runPolicy.restartInPlace': partly('always with OnFailure and Always, never with ExitCode', (value, spec) => (
        value === false && restartPolicies(spec).some((policy) => policy === 'OnFailure' || policy === 'Always')
          ? 'leaves OnFailure and Always to the kubelet, which starts the container again in its pod' : undefined)),
      'runPolicy.startTimeoutSeconds': no('lets a pod wait for its image without limit'),
      'runPolicy.preRunningDeadlineSeconds': no('lets a job wait for its pods without limit'),
      ...NO_NODE_LOSS,
      ...each(NO_AVOIDANCE, 'runPolicy.nodeAvoidance.afterFailures', 'runPolicy.nodeAvoidance.forSeconds'),
      'runPolicy.disruptionLimit': no('does not distinguish disruptions from failures'),
      'runPolicy.successPolicy': partly('that of the kind; AllWorkers for TensorFlow without a chief', successPolicy),
      ...each(NO_PROGRESS, 'runPolicy.stall.timeoutSeconds', 'runPolicy.stall.action'),
      ...each(QUEUED, 'scheduling.queueName', 'scheduling.queuePriorityClassName'),
      'scheduling.queueMode': partly('Workload', (value) => (
        value === 'PodGroup' ? 'is queued by Kueue by its own kinds, not as plain pods' : undefined)),
      'scheduling.gang.scheduler': partly('that of the operator\'s flag --gang-scheduler-name', (value) => gangScheduler(value as string, options)),
      'scheduling.gang.scheduleTimeoutSeconds': partly('Coscheduling', (_value, { scheduling }) => (
        scheduling?.gang?.scheduler === 'Volcano' ? 'sets no time limit on gangs of Volcano' : undefined)),
      'autoTuning': no('runs one job and has no hyperparameter search; use Katib'),
      'array': NO_ARRAYS,
      'helpers': no('supports only the replica types of its frameworks'),
      'preflight': no('has no checks before training that blame the node instead of the job'),
      ...noHooks('creates only the replica types of its frameworks, and starts none of them when another one has ended'),
      'security.restricted': partly('not where the operator adds an init container: PyTorch with a master and workers, MPI', restricted),
      'security.networkPolicy.egress': partly('not Limited for MPI', (value, { framework }) => (
        value === 'Limited' && isMpiJob(framework) ? 'has the launcher reach its workers through the API server, whose address a policy cannot know' : undefined)),
      'idle': no('does not monitor the utilization of devices'),
      'suspend': partly('not in a queue', suspend),
      'managedBy': partly(`${MULTI_KUEUE_CONTROLLER}, not for MPI, Horovod and DeepSpeed`, managedBy),
    },
  };
}

function restartPolicies({ roles = [], runPolicy }: TrainingJobSpec): readonly (string | undefined)[] {
  return [runPolicy?.restartPolicy, ...roles.map(({ restartPolicy }) => restartPolicy)];
}

/** The controllers have the success policy that is the model's default. */
function successPolicy(value: unknown, spec: TrainingJobSpec): string | undefined {
  const { runPolicy: { successPolicy: _given, ...runPolicy } = {}, ...rest } = spec;
  const { successPolicy: own, roles: [first] } = resolveTrainingJob('job', { ...rest, runPolicy });
  if (value === own || (value === 'AllWorkers' && spec.framework === 'tensorflow' && first.name === 'worker')) {
    return undefined;
  }
  return `has one success policy for such a job, ${own}`;
}

function gangScheduler(value: string, options: TrainingOperatorV1Options): string | undefined {
  if (value !== 'Volcano' && value !== 'Coscheduling') {
    return `creates gangs only for Volcano and Coscheduling, not for ${value}`;
  }
  const installed = options.gangScheduler === undefined ? undefined : options.gangScheduler === VOLCANO_FLAG ? 'Volcano' : 'Coscheduling';
  if (installed === undefined) {
    return 'creates gangs only if it was started with --gang-scheduler-name; if yours was, set gangScheduler in the engine\'s options';
  }
  return installed === value ? undefined : `was started with --gang-scheduler-name=${options.gangScheduler}, so it creates gangs for ${installed}`;
}

function restricted(value: unknown, { framework, replicas, roles, elastic }: TrainingJobSpec): string | undefined {
  if (value !== true) {
    return undefined;
  }
  if (isMpiJob(framework)) {
    return 'adds the init container kubectl-delivery to the launcher, which does not comply with the restrictions';
  }
  const hasMaster = elastic === undefined && (roles === undefined ? (replicas ?? 1) > 1 : roles.some(({ name }) => name === 'master') && roles.length > 1);
  return framework === 'pytorch' && hasMaster ? 'adds the init container init-pytorch to workers if there is a master, which does not comply with the restrictions' : undefined;
}

function suspend(value: unknown, { scheduling }: TrainingJobSpec): string | undefined {
  return value === true && scheduling?.queueName !== undefined ? 'leaves a queued job to Kueue, which would resume it when it is admitted' : undefined;
}

function managedBy(value: unknown, spec: TrainingJobSpec): string | undefined {
  return value === MULTI_KUEUE_CONTROLLER && isMpiJob(spec.framework) ? NO_MPI_QUEUES : MULTI_KUEUE_FIELD.unless(value, spec);
}

/** How training-operator v1 is installed. */
export interface TrainingOperatorV1Options {
  /**
   * Value of the operator's flag `--gang-scheduler-name`: `volcano`, or the name of a scheduler with the Coscheduling plugin of scheduler-plugins.
   * With the flag every job of the operator is a gang, and without it none.
   * @default - the flag is not set
   */
  readonly gangScheduler?: string;
}

/** The flag's value for Volcano; any other value is the name of a scheduler. */
const VOLCANO_FLAG = 'volcano';
