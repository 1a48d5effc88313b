/**
 * How a Kubernetes Job handles failures of its pods. The rules are the operator's, in its order: disruptions, then the exit codes that the job names,
 * then the restart policy. And which replicas must succeed for a job to succeed.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
 */
import type { Replica } from '../../../model/frameworks/contract';
import { TRAINING_CONTAINER } from '../../../model/names';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { RestartPolicy } from '../../../model/training-job/run-policy';

/** Why a pod ended. */
export type PodVerdict = 'disruption' | 'fail' | 'recover' | 'retry' | 'permanent';

/** One rule of `podFailurePolicy`, without its action. */
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
 * Rules for the pods of a role; the first match decides. Failures without a match count for `backoffLimit`, which is 0 for roles that are not
 * restarted.
 */
export function podFailureRules({ runPolicy }: ResolvedTrainingJob, restartPolicy: RestartPolicy): PodFailureRule[] {
  const { fail = [], recover = [], retry = [] } = runPolicy.exitCodes ?? {};
  const disruption: PodFailureRule = { verdict: 'disruption', match: { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] } };
  const rules: PodFailureRule[] = [disruption, ...exitCodes('fail', fail), ...exitCodes('recover', recover), ...exitCodes('retry', retry)];
  const named = new Set([...fail, ...recover, ...retry]);
  if (restartPolicy === 'ExitCode') {
    return [...rules, ...exitCodes('permanent', PERMANENT_CODES.filter((code) => !named.has(code)))];
  }
  // The backoff limit is only for the codes that are retried.
  return restartPolicy === 'Never' && retry.length > 0 ? [...rules, ...exitCodes('permanent', [0], 'NotIn')] : rules;
}

/** Whether any failure of a role is retried. */
export function isRetried({ runPolicy }: ResolvedTrainingJob, restartPolicy: RestartPolicy): boolean {
  return restartPolicy !== 'Never' || (runPolicy.exitCodes?.retry ?? []).length > 0;
}

/** How many failed pods a Job replaces. */
export function retryLimit(job: ResolvedTrainingJob, restartPolicy: RestartPolicy): number {
  return isRetried(job, restartPolicy) ? job.runPolicy.backoffLimit : 0;
}

/**
 * The policy of a Job that replaces its pods one by one.
 * @param fail what fails with a failure that is not retried: the Job, or only the index
 */
export function replacingPodFailurePolicy(job: ResolvedTrainingJob, restartPolicy: RestartPolicy, fail: 'FailJob' | 'FailIndex' = 'FailJob'): object {
  const actions: { readonly [verdict in PodVerdict]: string } = {
    // A Job does not count disruptions: 0 is the only limit that it can enforce.
    disruption: job.runPolicy.disruptionLimit === 0 ? fail : 'Ignore',
    recover: 'Ignore',
    retry: 'Count',
    fail,
    permanent: fail,
  };
  return { rules: podFailureRules(job, restartPolicy).map(({ verdict, match }) => ({ action: actions[verdict], ...match })) };
}

function exitCodes(verdict: PodVerdict, codes: readonly number[], operator: 'In' | 'NotIn' = 'In'): PodFailureRule[] {
  const values = sortedCodes(codes);
  return values.length === 0 ? [] : [{ verdict, match: { onExitCodes: { containerName: TRAINING_CONTAINER, operator, values } } }];
}

/** Exit codes in ascending order, each once. */
export function sortedCodes(codes: readonly number[]): number[] {
  return [...new Set(codes)].sort((one, other) => one - other);
}

/** Replicas that decide about success, and whether all of them must succeed or one is enough. */
interface SuccessRule {
  readonly replicas: readonly Replica[];
  readonly one: boolean;
}

/** The job's success policy as sets of replicas. */
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
 * `successPolicy` of a Job for some of its pods; undefined if all pods must succeed, the Job's default.
 * @param total number of its pods
 * @param indexes the pods that decide, in ascending order
 * @param one whether one of them is enough
 */
export function indexedSuccessPolicy(total: number, indexes: readonly number[], one: boolean): object | undefined {
  if (indexes.length === total && (!one || total === 1)) {
    return undefined;
  }
  const succeededIndexes = intervals(indexes).map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
  return { rules: [{ succeededIndexes, ...(one && { succeededCount: 1 }) }] };
}

/** First and last number of each interval of ascending numbers. */
export function intervals(numbers: readonly number[]): (readonly [from: number, to: number])[] {
  const found: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last?.[1] === number - 1) {
      last[1] = number;
    } else {
      found.push([number, number]);
    }
  }
  return found;
}
