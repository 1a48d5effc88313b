/** Rules of Volcano beside its capabilities. */
import { volcanoHostVariables, volcanoPodName } from './hosts';
import { successProblem } from './success';
import { podSetViolations } from '../indexed/pod-set-violations';
import type { VolcanoEngineSettings, VolcanoPlan } from '../volcano';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { VARIABLE_MAX_BYTES } from '../../../model/training-job/validation/variables';
import type { Violation } from '../../../model/violations';

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
