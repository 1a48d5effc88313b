/**
 * Which replicas the kubelet starts again by itself, in the pod that they have: sooner than a new pod could be scheduled, on the same node, with
 * its images and caches. It can be left to the kubelet only where its rules are the job's: it knows no exit codes, has one backoff (10 s, doubled up
 * to 5 minutes, forgotten after 10 minutes), and starts the container with the environment that the pod was created with.
 */
import { hasPreflight } from './preflight';
import { RUN_POLICY_DEFAULTS, type ResolvedRunPolicy } from './run-policy';
import type { ResolvedRole, ResolvedTrainingJob, RestartScope } from '../frameworks/contract';

/** What is started again when one replica fails. */
export function restartScopeOf(job: Pick<ResolvedTrainingJob, 'framework' | 'spec'>): RestartScope {
  return job.spec.elastic === undefined ? job.framework.restartScope : 'elastic';
}

/** Whether the kubelet restarts the containers of this role. */
export function restartsInPlace(job: ResolvedTrainingJob, role: ResolvedRole): boolean {
  // A container that is started again gets its old environment, RESUME_FROM too: jobs with checkpoints have to ask for that.
  const wanted = job.runPolicy.restartInPlace ?? job.spec.checkpointPath === undefined;
  return wanted && whyNotInPlace(job, role) === undefined;
}

/** Why the containers of a role cannot be restarted in place; undefined when they can. */
export function whyNotInPlace(job: ResolvedTrainingJob, role: ResolvedRole): string | undefined {
  const scope = restartScopeOf(job);
  if (role.helper !== undefined) {
    return 'helpers are replaced by new pods';
  }
  if (scope === 'elastic') {
    return 'the operator must first check whether the other replicas of an elastic job can continue without it';
  }
  if (scope === 'gang') {
    return `replicas of ${job.framework.title} depend on each other and start again together, as new pods`;
  }
  if (role.restartPolicy !== 'OnFailure' && role.restartPolicy !== 'Always') {
    return `the kubelet supports only the restart policies OnFailure and Always, and role ${role.name} has ${role.restartPolicy}`;
  }
  if (Object.values(job.runPolicy.exitCodes ?? {}).some((codes?: readonly number[]) => (codes?.length ?? 0) > 0)) {
    return 'the kubelet does not distinguish between exit codes, and the job has runPolicy.exitCodes';
  }
  if (hasPreflight(job)) {
    return 'the kubelet would repeat failed checks of spec.preflight on the same node, which the job must leave';
  }
  if (job.runPolicy.cleanPodPolicy === 'None') {
    return 'the kubelet would keep starting containers after the end of the job, whose pods are kept (runPolicy.cleanPodPolicy None)';
  }
  if (!isDefaultBackoff(job.runPolicy)) {
    return 'the kubelet has its own backoff, and the job sets another in runPolicy.backoff';
  }
  return undefined;
}

/** The API server writes defaults into every job, so that a backoff counts as asked for when it is another one. */
function isDefaultBackoff({ backoff }: ResolvedRunPolicy): boolean {
  const { initialSeconds, maxSeconds, resetAfterSeconds } = RUN_POLICY_DEFAULTS.backoff;
  return backoff.initialSeconds === initialSeconds && backoff.maxSeconds === maxSeconds && backoff.resetAfterSeconds === resetAfterSeconds;
}
