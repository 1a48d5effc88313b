/** What a Volcano Job supports: it is always a gang, maps events to actions, and has one counter for all restarts. */
import { volcanoHostVariables, volcanoPodName } from './hosts';
import { restartsFailures, successProblem } from './outcome';
import { each, no, partly, type EngineCapabilities } from '../capabilities';
import { nameViolations } from '../generated-name';
import { COMMON_FIELDS, HELPERS_WITHOUT_IGNORE, NO_BACKOFF, ROLE_FIELDS, isGang, noHooks } from '../indexed/capabilities';
import type { EnginePods } from '../indexed/engine-pods';
import type { PodSet } from '../indexed/pod-set';
import { podSetViolations } from '../indexed/pod-set-violations';
import type { Replica, ResolvedRole } from '../../../model/frameworks/contract';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { FRAMEWORK_NAMES, type TrainingJobSpec } from '../../../model/training-job/spec';
import { VARIABLE_MAX_BYTES } from '../../../model/training-job/validation/variables';
import type { Violation } from '../../../model/violations';

export interface VolcanoEngineSettings {
  /** Volcano queue of jobs that name none (`scheduling.gang.queue`). @default `default` */
  readonly queue?: string;
  /** How close the pods must be in the network, in tiers of Volcano's HyperNodes. @default - no limit */
  readonly networkTopology?: { readonly mode: 'hard' | 'soft'; readonly highestTierAllowed?: number; readonly highestTierName?: string };
}

/** A job as a Volcano Job. */
export interface VolcanoPlan {
  readonly pods: EnginePods;
  readonly tasks: readonly { readonly role: ResolvedRole; readonly replicas: readonly Replica[]; readonly set: PodSet }[];
}

const NO_KUEUE = no('is not queued by Kueue; its own queues are in scheduling.gang.queue');

const RESTART_POLICY = partly('Never, OnFailure', (value) => {
  switch (value) {
    case 'Always': return 'never restarts successful replicas';
    case 'ExitCode': return 'handles single exit codes but no ranges; use OnFailure with runPolicy.exitCodes instead';
    default: return undefined;
  }
});

export const VOLCANO_CAPABILITIES: EngineCapabilities = {
  frameworks: each(true, ...FRAMEWORK_NAMES),
  fields: {
    ...COMMON_FIELDS,
    ...noHooks('starts a task when another one runs (dependsOn), but cannot wait until it has ended'),
    ...ROLE_FIELDS,
    ...each(true, 'runPolicy.exitCodes.retry', 'scheduling.gang.queue', 'scheduling.gang.minAvailable'),
    ...each(RESTART_POLICY, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
    'runPolicy.exitCodes.recover': no('counts every restart'),
    ...NO_BACKOFF,
    'runPolicy.disruptionLimit': partly('where failures are not retried', (_value, spec) => disruptionProblem(spec)),
    'runPolicy.activeDeadlineSeconds': no('has no deadline'),
    'runPolicy.successPolicy': partly('if tasks or counts can express it', (_value, spec) => successProblem(resolveTrainingJob('job', spec))),
    ...each(NO_KUEUE, 'scheduling.queueName', 'scheduling.queuePriorityClassName', 'scheduling.queueMode'),
    'scheduling.gang.scheduler': partly('Volcano', (value) => (value === 'Volcano' ? undefined : 'creates its gangs itself')),
    'scheduling.gang.scheduleTimeoutSeconds': no('places its gangs as a whole or not at all, so a timeout does not apply'),
    'suspend': partly('false only', (value) => (value === true ? 'is suspended by a command (vcctl job suspend), not by a field' : undefined)),
    'helpers': HELPERS_WITHOUT_IGNORE,
    'managedBy': no('is managed only by Volcano'),
  },
};

/** Volcano has one counter for all restarts of the whole job, and none for pods that it replaces because they were deleted. */
function disruptionProblem(spec: TrainingJobSpec): string | undefined {
  if (!isGang(spec)) {
    return 'replaces pods lost to disruptions without counting them';
  }
  return restartsFailures(resolveTrainingJob('job', spec)) ? 'counts failures and disruptions together, up to runPolicy.backoffLimit' : undefined;
}

/** Checks a planned job. */
export function volcanoViolations(plan: VolcanoPlan, settings: VolcanoEngineSettings): Violation[] {
  const { pods: { job }, tasks } = plan;
  return [
    ...nameViolations(job.name, tasks.map(({ replicas }) => volcanoPodName(job.name, replicas[replicas.length - 1])), (longest) => (
      `is too long for Volcano: the host name of its last pod would be '${longest}' with ${longest.length} characters, and a host name has at most ${DNS_LABEL_MAX_LENGTH}`)),
    ...successViolations(plan),
    ...hostListViolations(plan),
    ...tierViolations(settings),
    ...tasks.flatMap(({ replicas, set }) => podSetViolations(job, replicas, set.problems, { title: 'Volcano', instead: 'JobSet or the Trainyard operator' })),
  ];
}

/** The framework's default success policy is not a field of the job, so the capabilities do not check it. */
function successViolations({ pods: { job } }: VolcanoPlan): Violation[] {
  const problem = successProblem(job);
  return problem === undefined ? [] : [{
    path: 'spec.runPolicy.successPolicy',
    value: job.runPolicy.successPolicy,
    message: `Volcano ${problem}. Set another policy, or choose JobSet or the Trainyard operator.`,
  }];
}

/** Volcano passes the hosts of all tasks to every pod, in one variable per task. */
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
