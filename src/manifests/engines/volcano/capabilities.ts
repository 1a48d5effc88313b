/** What a Volcano Job can do: a gang by nature, with events that are answered by actions, and one count for all restarts. */
import { no, partly, type EngineCapabilities } from '../capabilities';
import { COMMON_FIELDS, HELPERS_THAT_COUNT, isGang } from '../indexed/capabilities';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { successProblem } from './success';

const AT_ONCE = no('restarts immediately, without a pause');

const NO_KUEUE = no('is not queued by Kueue; its own queues are in scheduling.gang.queue');

const RESTART_POLICY = partly('Never, OnFailure', (value) => {
  switch (value) {
    case 'Always': return 'never restarts successful replicas';
    case 'ExitCode': return 'handles single exit codes but no ranges; use OnFailure with runPolicy.exitCodes instead';
    default: return undefined;
  }
});

/** The answers. */
export const VOLCANO_CAPABILITIES: EngineCapabilities = {
  frameworks: {
    pytorch: true, tensorflow: true, mxnet: true, jax: true, xgboost: true, lightgbm: true, mpi: true, horovod: true, deepspeed: true, paddle: true,
    plain: true,
  },
  fields: {
    ...COMMON_FIELDS,
    'roles[].image': true,
    'roles[].command': true,
    'roles[].args': true,
    'roles[].resources': true,
    'roles[].template': true,
    'roles[].restartPolicy': RESTART_POLICY,
    'runPolicy.restartPolicy': RESTART_POLICY,
    'runPolicy.exitCodes.recover': no('counts every restart'),
    'runPolicy.exitCodes.retry': true,
    'runPolicy.backoff.initialSeconds': AT_ONCE,
    'runPolicy.backoff.maxSeconds': AT_ONCE,
    'runPolicy.backoff.resetAfterSeconds': AT_ONCE,
    'runPolicy.disruptionLimit': partly('where failures are not retried', (_value, spec) => disruptionProblem(spec)),
    'runPolicy.activeDeadlineSeconds': no('has no deadline'),
    'runPolicy.successPolicy': partly('if tasks or counts can express it', (_value, spec) => successProblem(resolveTrainingJob('job', spec))),
    'scheduling.queueName': NO_KUEUE,
    'scheduling.queuePriorityClassName': NO_KUEUE,
    'scheduling.queueMode': NO_KUEUE,
    'scheduling.gang.scheduler': partly('Volcano', (value) => (value === 'Volcano' ? undefined : 'creates its gangs itself')),
    'scheduling.gang.queue': true,
    'scheduling.gang.minAvailable': true,
    'scheduling.gang.scheduleTimeoutSeconds': no('places its gangs as a whole or not at all, so a timeout does not apply'),
    'suspend': partly('false only', (value) => (value === true ? 'is suspended by a command (vcctl job suspend), not by a field' : undefined)),
    'helpers': HELPERS_THAT_COUNT,
    'managedBy': no('is managed only by Volcano'),
  },
};

/** Volcano has one count for all restarts of the whole job, and none for pods that it replaces because they were deleted. */
function disruptionProblem(spec: TrainingJobSpec): string | undefined {
  if (!isGang(spec)) {
    return 'replaces pods lost to disruptions without counting them';
  }
  const { roles, runPolicy } = resolveTrainingJob('job', spec);
  const isRetried = roles.some(({ restartPolicy }) => restartPolicy !== 'Never') || (runPolicy.exitCodes?.retry ?? []).length > 0;
  return isRetried ? 'counts failures and disruptions together, up to runPolicy.backoffLimit' : undefined;
}
