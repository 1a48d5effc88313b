/** What training-operator v1.9 can do with a job, and within which limits. */
import { isMpiJob } from './kinds';
import { VOLCANO_FLAG, type TrainingOperatorV1Options } from './options';
import { no, partly, type EngineCapabilities } from '../capabilities';
import { NO_ARRAYS } from '../indexed/capabilities';
import { OPERATOR_NAME } from '../../../model/labels';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** Of whom Kueue's dispatcher makes a job's manager, beside the operator itself. */
const MULTIKUEUE = 'kueue.x-k8s.io/multikueue';

const NO_PAUSE = no('does not pause between restarts itself: the kubelet waits 10 seconds, and twice as long each time up to 5 minutes');
const NO_EXIT_CODES = no('distinguishes exit codes only with the restart policy ExitCode, which retries those from 128');
const NO_NODE_LOSS = no('leaves pods on lost nodes to Kubernetes');
const NO_AVOIDANCE = no('does not keep pods away from nodes');
const NO_PROGRESS = no('does not see whether a job makes progress');

const RESTART_POLICY = partly('not ExitCode for MPI, Horovod and DeepSpeed', (value, { framework }) => (
  value === 'ExitCode' && isMpiJob(framework) ? 'never restarts the launcher of an MPIJob, so ExitCode has no effect' : undefined));

/** Kueue's integrations: the kinds of training-operator v1 by name, and of MPIJobs those of the MPI operator (`kubeflow.org/v2beta1`). */
const NO_MPI_QUEUES = 'creates MPIJobs of kubeflow.org/v1, which Kueue does not queue: they would start immediately, outside all quotas';

const QUEUED = partly('not for MPI, Horovod and DeepSpeed', (_value, { framework }) => (isMpiJob(framework) ? NO_MPI_QUEUES : undefined));

export function v1Capabilities(options: TrainingOperatorV1Options = {}): EngineCapabilities {
  return {
    frameworks: {
      pytorch: true,
      tensorflow: true,
      mxnet: no('has no MXJob since release 1.9'),
      jax: true,
      xgboost: true,
      lightgbm: true,
      mpi: true,
      horovod: true,
      deepspeed: true,
      paddle: true,
      plain: no('has a kind for each of its frameworks, and none for plain containers'),
    },
    fields: {
      'framework': true,
      'image': true,
      'replicas': true,
      'roles[].name': true,
      'roles[].replicas': true,
      'roles[].image': true,
      'roles[].command': true,
      'roles[].args': true,
      'roles[].env': true,
      'roles[].resources': true,
      'roles[].template': true,
      'roles[].restartPolicy': RESTART_POLICY,
      'command': true,
      'args': true,
      'code': true,
      'workingDir': true,
      'env': true,
      'resources': true,
      'hyperparameters': true,
      'checkpointPath': true,
      'checkpoint.resumeFrom': true,
      'checkpoint.gracePeriodSeconds': true,
      'checkpoint.claimName': true,
      'checkpoint.subPath': true,
      'checkpoint.keepLast': true,
      'nprocPerNode': true,
      'port': true,
      'template': true,
      'runPolicy.restartPolicy': RESTART_POLICY,
      'runPolicy.backoffLimit': partly('not with ExitCode', (_value, spec) => (
        restartPolicies(spec).includes('ExitCode') ? 'does not count restarts of pods with the restart policy ExitCode, and retries them forever' : undefined)),
      'runPolicy.backoff.initialSeconds': NO_PAUSE,
      'runPolicy.backoff.maxSeconds': NO_PAUSE,
      'runPolicy.backoff.resetAfterSeconds': NO_PAUSE,
      'runPolicy.exitCodes.recover': NO_EXIT_CODES,
      'runPolicy.exitCodes.retry': NO_EXIT_CODES,
      'runPolicy.exitCodes.fail': NO_EXIT_CODES,
      'runPolicy.restartInPlace': partly('always with OnFailure and Always, never with ExitCode', (value, spec) => (
        value === false && restartPolicies(spec).some((policy) => policy === 'OnFailure' || policy === 'Always')
          ? 'leaves OnFailure and Always to the kubelet, which starts the container again in its pod' : undefined)),
      'runPolicy.startTimeoutSeconds': no('lets a pod wait for its image without limit'),
      'runPolicy.preRunningDeadlineSeconds': no('lets a job wait for its pods without limit'),
      'runPolicy.nodeLoss.graceSeconds': NO_NODE_LOSS,
      'runPolicy.nodeLoss.leaseGraceSeconds': NO_NODE_LOSS,
      'runPolicy.nodeLoss.stuckPods': NO_NODE_LOSS,
      'runPolicy.nodeLoss.forceDeleteAfterSeconds': NO_NODE_LOSS,
      'runPolicy.nodeAvoidance.afterFailures': NO_AVOIDANCE,
      'runPolicy.nodeAvoidance.forSeconds': NO_AVOIDANCE,
      'runPolicy.disruptionLimit': no('does not distinguish disruptions from failures'),
      'runPolicy.activeDeadlineSeconds': true,
      'runPolicy.ttlSecondsAfterFinished': true,
      'runPolicy.cleanPodPolicy': true,
      'runPolicy.successPolicy': partly('that of the kind; AllWorkers for TensorFlow without a chief', successPolicy),
      'runPolicy.stall.timeoutSeconds': NO_PROGRESS,
      'runPolicy.stall.action': NO_PROGRESS,
      'scheduling.queueName': QUEUED,
      'scheduling.queuePriorityClassName': QUEUED,
      'scheduling.queueMode': partly('Workload', (value) => (
        value === 'PodGroup' ? 'is queued by Kueue by its own kinds, not as plain pods' : undefined)),
      'scheduling.priorityClassName': true,
      'scheduling.schedulerName': true,
      'scheduling.gang.scheduler': partly('that of the operator\'s flag --gang-scheduler-name', (value) => gangScheduler(value as string, options)),
      'scheduling.gang.queue': true,
      'scheduling.gang.minAvailable': true,
      'scheduling.gang.scheduleTimeoutSeconds': partly('Coscheduling', (_value, { scheduling }) => (
        scheduling?.gang?.scheduler === 'Volcano' ? 'sets no time limit on gangs of Volcano' : undefined)),
      'scheduling.topology.key': true,
      'scheduling.topology.mode': true,
      'scheduling.spread.key': true,
      'scheduling.spread.maxSkew': true,
      'scheduling.spread.mode': true,
      'scheduling.nodeSelector': true,
      'scheduling.tolerations': true,
      'elastic.minReplicas': true,
      'elastic.maxReplicas': true,
      'elastic.maxRestarts': true,
      'autoTuning': no('runs one job and has no hyperparameter search; use Katib'),
      'array': NO_ARRAYS,
      'helpers': no('supports only the replica types of its frameworks'),
      'preflight': no('has no checks before training that blame the node instead of the job'),
      'debug': true,
      'security.restricted': partly('not where the operator adds an init container: PyTorch with a master and workers, MPI', restricted),
      'security.runAsUser': true,
      'security.fsGroup': true,
      'security.networkPolicy.enabled': true,
      'security.networkPolicy.fromNamespaces': true,
      'security.networkPolicy.egress': partly('not Limited for MPI', (value, { framework }) => (
        value === 'Limited' && isMpiJob(framework) ? 'has the launcher reach its workers through the API server, whose address a policy cannot know' : undefined)),
      'security.networkPolicy.toCidrs': true,
      'init': true,
      'idle': no('does not monitor the utilization of devices'),
      'suspend': partly('not in a queue', suspend),
      'managedBy': partly(`${MULTIKUEUE}, not for MPI, Horovod and DeepSpeed`, managedBy),
    },
  };
}

function restartPolicies({ roles = [], runPolicy }: TrainingJobSpec): readonly (string | undefined)[] {
  return [runPolicy?.restartPolicy, ...roles.map(({ restartPolicy }) => restartPolicy)];
}

/** What the controllers do; it is also what the model does where the job does not say. */
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

function managedBy(value: unknown, { framework }: TrainingJobSpec): string | undefined {
  if (value === MULTIKUEUE && isMpiJob(framework)) {
    return NO_MPI_QUEUES;
  }
  return value === MULTIKUEUE || value === OPERATOR_NAME ? undefined : `is managed by itself or by ${MULTIKUEUE}`;
}

