/**
 * What a Kubernetes Job makes of the failure of one of its pods. The rules are the operator's, in its order: a pod that the cluster took away is no
 * failure, then the exit codes that the job names, then the restart policy.
 *
 * Which replicas have to end well for a job to succeed, as sets that an engine can name.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
 */
import type { Replica } from '../../../model/frameworks/contract';
import { TRAINING_CONTAINER } from '../../../model/names';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { RestartPolicy } from '../../../model/training-job/run-policy';

/** What happened to a pod. */
export type PodVerdict = 'disruption' | 'fail' | 'recover' | 'retry' | 'permanent';

/** One rule of `podFailurePolicy`, without what follows from it. */
export interface PodFailureRule {
  readonly verdict: PodVerdict;
  readonly match: {
    readonly onPodConditions?: readonly object[];
    readonly onExitCodes?: { readonly containerName: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] };
  };
}

/** Exit codes below those of signals: permanent with restart policy ExitCode. */
const PERMANENT_CODES = Array.from({ length: 127 }, (_, index) => index + 1);

/**
 * Rules for the pods of a role, the first that matches decides. A failure that none matches is a matter of `backoffLimit`, which is 0 for roles that
 * are not restarted.
 */
export function podFailureRules({ runPolicy }: ResolvedTrainingJob, restartPolicy: RestartPolicy): PodFailureRule[] {
  const { fail = [], recover = [], retry = [] } = runPolicy.exitCodes ?? {};
  const disruption: PodFailureRule = { verdict: 'disruption', match: { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] } };
  const rules: PodFailureRule[] = [disruption, ...exitCodes('fail', fail), ...exitCodes('recover', recover), ...exitCodes('retry', retry)];
  const named = new Set([...fail, ...recover, ...retry]);
  if (restartPolicy === 'ExitCode') {
    return [...rules, ...exitCodes('permanent', PERMANENT_CODES.filter((code) => !named.has(code)))];
  }
  // Beside codes that are retried there is a backoff limit, and it is not for the others.
  return restartPolicy === 'Never' && retry.length > 0 ? [...rules, ...exitCodes('permanent', [0], 'NotIn')] : rules;
}

/** How many failures of pods a Job answers by another pod: those that are retried at all. */
export function retryLimit({ runPolicy }: ResolvedTrainingJob, restartPolicy: RestartPolicy): number {
  return restartPolicy !== 'Never' || (runPolicy.exitCodes?.retry ?? []).length > 0 ? runPolicy.backoffLimit : 0;
}

/**
 * The policy of a Job that replaces its pods one by one.
 * @param fail what a failure that is not retried ends: the Job, or the index alone
 */
export function replacingPodFailurePolicy(job: ResolvedTrainingJob, restartPolicy: RestartPolicy, fail: 'FailJob' | 'FailIndex' = 'FailJob'): object {
  const actions: { readonly [verdict in PodVerdict]: string } = {
    // No disruption at all is the only limit on them that a Job can keep.
    disruption: job.runPolicy.disruptionLimit === 0 ? fail : 'Ignore',
    recover: 'Ignore',
    retry: 'Count',
    fail,
    permanent: fail,
  };
  return { rules: podFailureRules(job, restartPolicy).map(({ verdict, match }) => ({ action: actions[verdict], ...match })) };
}

function exitCodes(verdict: PodVerdict, codes: readonly number[], operator: 'In' | 'NotIn' = 'In'): PodFailureRule[] {
  const values = [...new Set(codes)].sort((one, other) => one - other);
  return values.length === 0 ? [] : [{ verdict, match: { onExitCodes: { containerName: TRAINING_CONTAINER, operator, values } } }];
}

/** Replicas that matter, and whether all of them have to succeed or one is enough. */
interface SuccessRule {
  readonly replicas: readonly Replica[];
  readonly one: boolean;
}

/** What the job's success policy says. */
export function successRule(job: ResolvedTrainingJob): SuccessRule {
  const { successPolicy } = job;
  const { replicas } = primaryOf(job);
  const ranked = replicas.filter(({ rank }) => rank !== undefined);
  switch (successPolicy) {
    case 'Coordinator': return { replicas: replicas.slice(0, 1), one: false };
    case 'AllWorkers': return { replicas: ranked, one: false };
    case 'AnyWorker': return { replicas: ranked, one: true };
    case 'AllReplicas': return { replicas, one: false };
  }
}

/**
 * `successPolicy` of a Job for some of its pods; undefined where the Job's own rule, all of them, is the same.
 * @param total number of its pods
 * @param indexes those that matter, in order
 * @param one whether one of them is enough
 */
export function indexedSuccessPolicy(total: number, indexes: readonly number[], one: boolean): object | undefined {
  if (indexes.length === total && (!one || total === 1)) {
    return undefined;
  }
  return { rules: [{ succeededIndexes: ranges(indexes), ...(one && { succeededCount: 1 }) }] };
}

/** Numbers as Kubernetes writes indexes: `0-3,5`. */
function ranges(numbers: readonly number[]): string {
  const found: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last?.to === number - 1) {
      last.to = number;
    } else {
      found.push({ from: number, to: number });
    }
  }
  return found.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
