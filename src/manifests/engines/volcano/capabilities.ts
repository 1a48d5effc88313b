/** What a Volcano Job can do: a gang by nature, with events that are answered by actions, and one count for all restarts. */
import { volcanoHostVariables, volcanoPodName } from './hosts';
import { successProblem } from './outcome';
import { each, no, partly, type EngineCapabilities } from '../capabilities';
import { COMMON_FIELDS, HELPERS_THAT_COUNT, isGang, noHooks } from '../indexed/capabilities';
import { podSetViolations } from '../indexed/pod-set-violations';
import type { VolcanoEngineSettings, VolcanoPlan } from '../volcano';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../model/training-job/spec';
import { VARIABLE_MAX_BYTES } from '../../../model/training-job/validation/variables';
import type { Violation } from '../../../model/violations';

const AT_ONCE = no('restarts immediately, without a pause');

const NO_KUEUE = no('is not queued by Kueue; its own queues are in scheduling.gang.queue');

const RESTART_POLICY = partly('Never, OnFailure', (value) => {
  switch (value) {
    case 'Always': return 'never restarts successful replicas';
    case 'ExitCode': return 'handles single exit codes but no ranges; use OnFailure with runPolicy.exitCodes instead';
    default: return undefined;
  }
});

export const VOLCANO_CAPABILITIES: EngineCapabilities = {
  frameworks: {
    pytorch: true, tensorflow: true, mxnet: true, jax: true, xgboost: true, lightgbm: true, mpi: true, horovod: true, deepspeed: true, paddle: true,
    plain: true,
  },
  fields: {
    ...COMMON_FIELDS,
    ...noHooks('starts a task when another one runs (dependsOn), but cannot wait until it has ended'),
    ...each(
      true,
      'roles[].image', 'roles[].command', 'roles[].args', 'roles[].resources', 'roles[].template',
      'runPolicy.exitCodes.retry', 'scheduling.gang.queue', 'scheduling.gang.minAvailable',
    ),
    ...each(RESTART_POLICY, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
    'runPolicy.exitCodes.recover': no('counts every restart'),
    ...each(AT_ONCE, 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds', 'runPolicy.backoff.resetAfterSeconds'),
    'runPolicy.disruptionLimit': partly('where failures are not retried', (_value, spec) => disruptionProblem(spec)),
    'runPolicy.activeDeadlineSeconds': no('has no deadline'),
    'runPolicy.successPolicy': partly('if tasks or counts can express it', (_value, spec) => successProblem(resolveTrainingJob('job', spec))),
    ...each(NO_KUEUE, 'scheduling.queueName', 'scheduling.queuePriorityClassName', 'scheduling.queueMode'),
    'scheduling.gang.scheduler': partly('Volcano', (value) => (value === 'Volcano' ? undefined : 'creates its gangs itself')),
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

/** Checks a job that is planned. */
export function volcanoViolations(plan: VolcanoPlan, settings: VolcanoEngineSettings): Violation[] {
  const { pods: { job }, tasks } = plan;
  return [
    ...nameViolations(plan),
    ...successViolations(plan),
    ...hostListViolations(plan),
    ...tierViolations(settings),
    ...tasks.flatMap(({ replicas, set }) => podSetViolations(job, replicas, set.problems, { title: 'Volcano', instead: 'JobSet or the Trainyard operator' })),
  ];
}

function nameViolations({ pods: { job }, tasks }: VolcanoPlan): Violation[] {
  const longest = tasks.map(({ replicas }) => volcanoPodName(job.name, replicas[replicas.length - 1]))
    .reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  return excess <= 0 ? [] : [{
    path: 'metadata.name',
    value: job.name,
    message: `is too long for Volcano: the host name of its last pod would be '${longest}' with ${longest.length} characters, and a host name has at most `
      + `${DNS_LABEL_MAX_LENGTH}. ${job.name.length > excess ? `Use at most ${job.name.length - excess} characters.` : 'Shorten the name of the role.'}`,
  }];
}

/** A success policy that is the framework's, and that the job does not name, is no field of which the capabilities are asked. */
function successViolations({ pods: { job } }: VolcanoPlan): Violation[] {
  const problem = successProblem(job);
  return problem === undefined ? [] : [{
    path: 'spec.runPolicy.successPolicy',
    value: job.runPolicy.successPolicy,
    message: `Volcano ${problem}. Give another policy, or choose JobSet or the Trainyard operator.`,
  }];
}

/** Volcano tells every pod the hosts of all tasks, one variable a task. */
function hostListViolations({ pods: { job } }: VolcanoPlan): Violation[] {
  return volcanoHostVariables(job).filter(({ name, value }) => name.length + value.length + 1 > VARIABLE_MAX_BYTES).map(({ name, value }) => ({
    path: job.shortForm ? 'spec.replicas' : 'spec.roles',
    value: job.replicas.length,
    message: `are too many for Volcano: its variable ${name} would have ${Math.ceil(value.length / 1024)} KiB, and Linux starts no program with a variable of `
      + '128 KiB or more. Use fewer replicas or a shorter name, or choose JobSet or the Trainyard operator.',
  }));
}

function tierViolations({ networkTopology }: VolcanoEngineSettings): Violation[] {
  const { highestTierAllowed, highestTierName } = networkTopology ?? {};
  return highestTierAllowed === undefined || highestTierName === undefined ? [] : [{
    path: 'engine.networkTopology.highestTierName',
    value: highestTierName,
    message: `cannot be combined with highestTierAllowed (${highestTierAllowed}): Volcano accepts only one of them. Remove the other.`,
  }];
}
