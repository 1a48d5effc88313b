/**
 * `spec.helpers`: roles beside those that train, each with a program, an image and compute of its own. They start together with the job (actors of
 * reinforcement learning, a replay buffer, an evaluator), and are ended when it has succeeded: whether it has is for the others to say, the primary.
 */
import type { Replica, ResolvedTrainingJob } from '../../frameworks/contract';
import type { EnvVarSpec, PodTemplateSpec, ResourcesSpec } from '../spec';

/**
 * What a failed helper means for the job. `Restart`: it is replaced, by itself, and the failure is counted. `Fail`: the job fails. `Ignore`: the job
 * goes on without it.
 */
export type HelperFailurePolicy = 'Restart' | 'Fail' | 'Ignore';

/** All values of {@link HelperFailurePolicy}. */
export const HELPER_FAILURE_POLICIES: readonly HelperFailurePolicy[] = ['Restart', 'Fail', 'Ignore'];

/** Port at which replicas of a job with helpers expect each other, unless a helper says otherwise. */
export const GROUP_PORT = 29_600;

/** Name of that port. */
export const GROUP_PORT_NAME = 'group';

/** One role of helpers. */
export interface HelperSpec {
  /** Name of the role: `actor`, `evaluator`. Not one of the framework's. */
  readonly name: string;

  /** Number of replicas. @default 1 */
  readonly replicas?: number;

  /** @default - the job's image; then the command is needed */
  readonly image?: string;

  /** @default - the image's */
  readonly command?: readonly string[];

  /** @default - the image's */
  readonly args?: readonly string[];

  /** Added to the job's environment; a name that stands in both has the helper's value. */
  readonly env?: readonly EnvVarSpec[];

  /** Compute of each replica. @default - none asked for: the job's is for those that train */
  readonly resources?: ResourcesSpec;

  /** Merged over the job's template. */
  readonly template?: PodTemplateSpec;

  /** Port at which the others expect its replicas. @default 29600 */
  readonly port?: number;

  /** What its failure means for the job. @default Restart */
  readonly onFailure?: HelperFailurePolicy;
}

/** What is particular about the resolved role of a helper. */
export interface ResolvedHelper {
  readonly port: number;
  readonly onFailure: HelperFailurePolicy;
}

/** Whether the job has helpers. */
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
