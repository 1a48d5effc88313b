/**
 * `spec.helpers`: roles in addition to those that train, each with a program, an image and compute of its own. They start together with the job
 * (actors of reinforcement learning, a replay buffer, an evaluator), and are ended when it has succeeded: whether it has is for the others to say,
 * the primary.
 */
import type { Replica, ResolvedRole, ResolvedTrainingJob } from '../../frameworks/contract';
import type { HelperFailurePolicy, HelperSpec, RoleSpec } from './role-specs';

/** What is particular about the resolved role of a helper. */
export interface ResolvedHelper {
  readonly port: number;
  readonly onFailure: HelperFailurePolicy;
}

export function hasHelpers(job: Pick<ResolvedTrainingJob, 'spec'>): boolean {
  return (job.spec.helpers ?? []).length > 0;
}

const primaries = new WeakMap<ResolvedTrainingJob, ResolvedTrainingJob>();

/**
 * The part of a job that trains, as its framework sees it: without helpers. The same object for the same job, because contracts keep what they
 * compute.
 */
export function primaryOf(job: ResolvedTrainingJob): ResolvedTrainingJob {
  if (!hasHelpers(job)) {
    return job;
  }
  let primary = primaries.get(job);
  if (primary === undefined) {
    const roles = job.roles.filter((role) => role.helper === undefined);
    const names = new Set(roles.map(({ name }) => name));
    primary = { ...job, roles, replicas: job.replicas.filter((replica) => names.has(replica.role)) };
    primaries.set(job, primary);
  }
  return primary;
}

/** Whether a replica helps, and does not train. */
export function isHelper({ roles }: Pick<ResolvedTrainingJob, 'roles'>, replica: Replica): boolean {
  return roles.find(({ name }) => name === replica.role)?.helper !== undefined;
}

/** The role in the spec, and its path; undefined for a role of the short form, which the spec does not contain. */
export function writtenRole(
  { spec }: Pick<ResolvedTrainingJob, 'spec'>, role: ResolvedRole,
): { readonly written: RoleSpec | HelperSpec; readonly path: string } | undefined {
  const list = role.helper === undefined ? 'roles' : 'helpers';
  const index = (spec[list] ?? []).findIndex(({ name }) => name === role.name);
  return index < 0 ? undefined : { written: spec[list]![index], path: `spec.${list}[${index}]` };
}
