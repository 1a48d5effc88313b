/** Which replicas have to end well for a job to succeed, as sets that an engine can name. */
import type { Replica } from '../../../model/frameworks/contract';
import { primaryOf } from '../../../model/training-job/replicas/helpers';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** Replicas that matter, and whether all of them have to succeed or one is enough. */
export interface SuccessRule {
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
