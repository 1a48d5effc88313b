/** What a JobSet supports: a template for each role, and restarts of all of them together. */
import { AFTER_HOOK, BEFORE_HOOK, HOOK_JOBS, ON_EXIT_HOOK, hookViolations, jobSetHooks } from './hooks';
import { childJobs, podsOfChild, type Layout, type RoleDependency } from './layout';
import { each, no, type EngineCapabilities } from '../capabilities';
import { nameViolations } from '../generated-name';
import {
  COMMON_FIELDS, DISRUPTION_LIMIT, GANG_FIELDS, HELPERS_WITHOUT_IGNORE, KUEUE_FIELDS, MANAGED_BY_FIELD, NEVER_ALWAYS, NO_BACKOFF, ROLE_FIELDS,
  withLimitation,
} from '../indexed/capabilities';
import type { EnginePods } from '../indexed/engine-pods';
import { successRule } from '../indexed/outcome';
import type { PodSet } from '../indexed/pod-set';
import { podSetViolations } from '../indexed/pod-set-violations';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { tpuSlicesOf } from '../../../model/training-job/replicas/tpu-slices';
import { didYouMean, type Violation } from '../../../model/violations';

/** A role that starts when another one is ready or has succeeded. */
export interface JobSetDependency extends RoleDependency {
  readonly status: 'Ready' | 'Complete';
}

export interface JobSetEngineSettings {
  /** Which roles wait for which. @default - all start together */
  readonly dependsOn?: readonly JobSetDependency[];

  /** Node label: each child Job exclusively uses one domain of it. @default - any node */
  readonly exclusiveTopology?: string;

  /**
   * Whether a role is one child Job even if its ranks do not follow from the index in the role, so that a shell has to compute them.
   * @default false - true with {@link exclusiveTopology}, because each child Job gets a domain
   */
  readonly jobPerRole?: boolean;

  /** Secret with `ssh-privatekey` and `ssh-publickey`, for the launcher and the workers of MPI. @default - no MPI */
  readonly sshSecretName?: string;
}

export interface JobSetPlan {
  readonly pods: EnginePods;
  readonly layout: Layout;
  /** One for each entry of the layout. */
  readonly sets: readonly PodSet[];
}

const NO_KEYS = no('does not create the SSH keys for a launcher to reach its workers; set a Secret that has them (sshSecretName)');

/** The capabilities. @param hasKeys whether there is a Secret with keys for MPI */
export function jobSetCapabilities(hasKeys: boolean): EngineCapabilities {
  return {
    frameworks: {
      ...each(true, 'pytorch', 'tensorflow', 'mxnet', 'jax', 'xgboost', 'lightgbm', 'paddle', 'plain'),
      ...each(hasKeys ? true : NO_KEYS, 'mpi', 'horovod', 'deepspeed'),
    },
    fields: {
      ...COMMON_FIELDS,
      ...KUEUE_FIELDS,
      ...GANG_FIELDS,
      ...ROLE_FIELDS,
      ...each(true, 'runPolicy.exitCodes.recover', 'runPolicy.exitCodes.retry', 'runPolicy.successPolicy'),
      ...each(NEVER_ALWAYS, 'roles[].restartPolicy', 'runPolicy.restartPolicy'),
      ...NO_BACKOFF,
      'runPolicy.disruptionLimit': DISRUPTION_LIMIT,
      'runPolicy.activeDeadlineSeconds': withLimitation('counted from the last restart, for replicas and not for hooks'),
      'managedBy': MANAGED_BY_FIELD,
      'helpers': HELPERS_WITHOUT_IGNORE,
      'hooks.before': BEFORE_HOOK,
      'hooks.after': AFTER_HOOK,
      'hooks.onExit': ON_EXIT_HOOK,
    },
  };
}

/** Random characters that Kubernetes appends to the name of a pod. */
const POD_SUFFIX = '-abcde';

/**
 * Checks a planned job. These are the rules of JobSet that are not in its capabilities: names, and its settings.
 */
export function jobSetViolations(plan: JobSetPlan, settings: JobSetEngineSettings): Violation[] {
  const { pods: { job }, layout, sets } = plan;
  return [
    ...jobNameViolations(plan),
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

function jobNameViolations({ pods: { job }, layout }: JobSetPlan): Violation[] {
  const last = layout.map((part) => `${part.name}-${childJobs(part) - 1}-${podsOfChild(part) - 1}`);
  return podNameViolations(job.name, [...last, ...jobSetHooks(job).map((hook) => `${HOOK_JOBS[hook]}-0-0`)], 'JobSet');
}

/** JobSet rejects a job if the name of a pod would be too long. @param pods names of its last pods, after the name of the job */
export function podNameViolations(job: string, pods: readonly string[], title: string): Violation[] {
  return nameViolations(job, pods.map((pod) => `${job}-${pod}${POD_SUFFIX}`), (longest) => (
    `is too long for ${title}: its longest pod would be '${longest}' with ${longest.length} characters, and JobSet allows ${DNS_LABEL_MAX_LENGTH}`));
}

function dependencyViolations({ pods: { job } }: JobSetPlan, { dependsOn = [] }: JobSetEngineSettings): Violation[] {
  const names = job.roles.map(({ name }) => name);
  const violations = dependsOn.flatMap((dependency, index) => (['role', 'on'] as const).filter((field) => !names.includes(dependency[field])).map((field) => ({
    path: `engine.dependsOn[${index}].${field}`,
    value: dependency[field],
    message: `is not a role of the job, which has ${names.join(', ')}.${didYouMean(dependency[field], names)}`,
  })));
  const cycle = cycleIn(dependsOn);
  if (cycle !== undefined) {
    violations.push({ path: 'engine.dependsOn', value: cycle.join(' -> '), message: 'creates a cycle, so no role could ever start. Remove one of the dependencies.' });
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

/** Roles that wait for each other; undefined if there are none. */
function cycleIn(dependsOn: readonly { readonly role: string; readonly on: string }[]): string[] | undefined {
  const follow = (role: string, path: readonly string[]): string[] | undefined => (path.includes(role)
    ? [...path.slice(path.indexOf(role)), role]
    : firstCycle(dependsOn.filter((dependency) => dependency.role === role).map(({ on }) => on), [...path, role]));
  const firstCycle = (roles: readonly string[], path: readonly string[]): string[] | undefined => {
    for (const role of roles) {
      const cycle = follow(role, path);
      if (cycle !== undefined) {
        return cycle;
      }
    }
    return undefined;
  };
  return firstCycle(dependsOn.map(({ role }) => role), []);
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
      message: `distinguishes between the replicas of a role, but JobSet creates identical child Jobs for its ${count} TPU slices. `
        + 'Use AllWorkers, or choose the Trainyard operator.',
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
