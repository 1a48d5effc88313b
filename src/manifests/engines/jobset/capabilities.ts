/** What a JobSet can do: a template for each role, and restarts of all of them together. */
import { AFTER_HOOK, BEFORE_HOOK, HOOK_JOBS, ON_EXIT_HOOK, hookViolations, jobSetHooks } from './hooks';
import { childJobs, podsOfChild } from './layout';
import { each, no, partly, type EngineCapabilities } from '../capabilities';
import { COMMON_FIELDS, GANG_FIELDS, HELPERS_THAT_COUNT, KUEUE_FIELDS, MANAGED_BY_FIELD } from '../indexed/capabilities';
import { successRule } from '../indexed/outcome';
import { podSetViolations } from '../indexed/pod-set-violations';
import type { JobSetEngineSettings, JobSetPlan } from '../jobset';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { tpuSlicesOf } from '../../../model/training-job/replicas/tpu-slices';
import { didYouMean, type Violation } from '../../../model/violations';

const NO_KEYS = no('does not create the SSH keys for a launcher to reach its workers; set a Secret that has them (sshSecretName)');

const AT_ONCE = no('restarts immediately, without a pause');

const ENDED_WELL = partly('Never, OnFailure, ExitCode', (value) => (value === 'Always' ? 'never restarts successful replicas' : undefined));

/** The answers. @param hasKeys whether there is a Secret with keys for MPI */
export function jobSetCapabilities(hasKeys: boolean): EngineCapabilities {
  const mpi = hasKeys ? true : NO_KEYS;
  return {
    frameworks: {
      pytorch: true, tensorflow: true, mxnet: true, jax: true, xgboost: true, lightgbm: true, mpi, horovod: mpi, deepspeed: mpi, paddle: true,
      plain: true,
    },
    fields: {
      ...COMMON_FIELDS,
      ...KUEUE_FIELDS,
      ...GANG_FIELDS,
      ...each(
        true,
        'roles[].image', 'roles[].command', 'roles[].args', 'roles[].resources', 'roles[].template',
        'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry', 'runPolicy.successPolicy',
      ),
      ...each(ENDED_WELL, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
      ...each(AT_ONCE, 'runPolicy.backoff.initialSeconds', 'runPolicy.backoff.maxSeconds', 'runPolicy.backoff.resetAfterSeconds'),
      'runPolicy.disruptionLimit': partly('0 only', (value) => (value === 0 ? undefined : 'does not count disruptions: it allows them all, or with 0 none')),
      'runPolicy.activeDeadlineSeconds': partly('counted from the last restart, for replicas and not for hooks', () => undefined),
      'managedBy': MANAGED_BY_FIELD,
      'helpers': HELPERS_THAT_COUNT,
      'hooks.before': BEFORE_HOOK,
      'hooks.after': AFTER_HOOK,
      'hooks.onExit': ON_EXIT_HOOK,
    },
  };
}

/** Characters that Kubernetes adds to the name of a pod. */
const POD_SUFFIX = '-abcde';

/**
 * Checks a job that is laid out.
 *
 * Rules of JobSet beside its capabilities: names, and what its settings mean for a job.
 */
export function jobSetViolations(plan: JobSetPlan, settings: JobSetEngineSettings): Violation[] {
  const { pods: { job }, layout, sets } = plan;
  return [
    ...nameViolations(plan),
    ...dependencyViolations(plan, settings),
    ...topologyViolations(plan, settings),
    ...sliceViolations(plan),
    ...hookViolations(job, layout.map(({ name }) => name), 'JobSet'),
    ...sets.flatMap(({ problems }, index) => podSetViolations(job, layout[index].replicas, problems, {
      title: 'JobSet',
      instead: settings.jobPerRole || settings.exclusiveTopology !== undefined ? 'JobSet without jobPerRole and exclusiveTopology' : 'the Trainyard operator',
    })),
  ];
}

/** JobSet refuses a name with which a pod could not be made. */
function nameViolations({ pods: { job }, layout }: JobSetPlan): Violation[] {
  const last = layout.map((part) => `${part.name}-${childJobs(part) - 1}-${podsOfChild(part) - 1}`);
  const longest = [...last, ...jobSetHooks(job).map((hook) => `${HOOK_JOBS[hook]}-0-0`)].map((pod) => `${job.name}-${pod}${POD_SUFFIX}`)
    .reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  return excess <= 0 ? [] : [{
    path: 'metadata.name',
    value: job.name,
    message: `is too long for JobSet: its longest pod would be '${longest}' with ${longest.length} characters, and JobSet allows ${DNS_LABEL_MAX_LENGTH}. `
      + (job.name.length > excess ? `Use at most ${job.name.length - excess} characters.` : 'Shorten the name of the role.'),
  }];
}

function dependencyViolations({ pods: { job } }: JobSetPlan, { dependsOn = [] }: JobSetEngineSettings): Violation[] {
  const names = job.roles.map(({ name }) => name);
  const violations = dependsOn.flatMap((dependency, index) => (['role', 'on'] as const).filter((field) => !names.includes(dependency[field])).map((field) => ({
    path: `engine.dependsOn[${index}].${field}`,
    value: dependency[field],
    message: `is not a role of the job, which has ${names.join(', ')}.${didYouMean(dependency[field], names)}`,
  })));
  const circle = circleIn(dependsOn);
  if (circle !== undefined) {
    violations.push({ path: 'engine.dependsOn', value: circle.join(' -> '), message: 'creates a cycle, so no role could ever start. Remove one of the dependencies.' });
  }
  const { gang } = job.spec.scheduling ?? {};
  if (gang !== undefined && dependsOn.length > 0) {
    violations.push({
      path: 'spec.scheduling.gang',
      value: gang.scheduler,
      message: 'cannot be placed as a whole while roles wait for each other (engine.dependsOn): their pods do not exist at the same time. Remove one of the two.',
    });
  }
  return violations;
}

/** Roles that wait for each other, if there are some. */
function circleIn(dependsOn: readonly { readonly role: string; readonly on: string }[]): string[] | undefined {
  const follow = (role: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(role)) {
      return [...way.slice(way.indexOf(role)), role];
    }
    for (const { on } of dependsOn.filter((dependency) => dependency.role === role)) {
      const circle = follow(on, [...way, role]);
      if (circle !== undefined) {
        return circle;
      }
    }
    return undefined;
  };
  for (const { role } of dependsOn) {
    const circle = follow(role, []);
    if (circle !== undefined) {
      return circle;
    }
  }
  return undefined;
}

/** Each slice is a child Job, and all child Jobs of a role are alike. */
function sliceViolations({ pods: { job } }: JobSetPlan): Violation[] {
  return tpuSlicesOf(job).flatMap(({ roles, replicas, count, hosts, topology }): Violation[] => {
    if (roles.length > 1) {
      const names = roles.map(({ name }) => name);
      return [{
        path: job.shortForm ? 'spec.framework' : 'spec.roles',
        value: names,
        message: `are together the hosts of TPU slices (${topology}, ${hosts} hosts each), and JobSet creates a child Job for each role, which it places on separate nodes. `
          + 'Use a framework whose replicas have one role, such as JAX, or choose the Trainyard operator.',
      }];
    }
    const counted = new Set(successRule(job).replicas);
    const isAlike = replicas.every((replica) => counted.has(replica)) || replicas.every((replica) => !counted.has(replica));
    return count === 1 || isAlike ? [] : [{
      path: 'spec.runPolicy.successPolicy',
      value: job.successPolicy,
      message: `distinguishes between the replicas of a role, but JobSet creates identical child Jobs for its ${count} TPU slices. Use AllWorkers, or choose the Trainyard operator.`,
    }];
  });
}

function topologyViolations({ pods: { job } }: JobSetPlan, { exclusiveTopology }: JobSetEngineSettings): Violation[] {
  const { topology } = job.spec.scheduling ?? {};
  return exclusiveTopology === undefined || topology === undefined ? [] : [{
    path: 'spec.scheduling.topology.key',
    value: topology.key,
    message: `keeps all replicas in one domain, and the engine's exclusiveTopology (${exclusiveTopology}) gives each role its own domain. Remove one of the two.`,
  }];
}
