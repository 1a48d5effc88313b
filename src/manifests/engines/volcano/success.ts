/**
 * When a Volcano Job has succeeded. Volcano can wait until all pods have ended well, until a number of them has (`minSuccess`), or until all pods of
 * one task have (a policy of the task).
 */
import { successRule } from '../indexed/success';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';

/** How Volcano is told. */
export type SuccessForm =
  | { readonly form: 'all' }
  | { readonly form: 'count'; readonly minSuccess: number }
  | { readonly form: 'task'; readonly task: string }
  | { readonly form: 'none' };

/** The form in which the job's success policy can be told. */
export function successForm(job: ResolvedTrainingJob): SuccessForm {
  const { replicas, one } = successRule(job);
  if (one) {
    // Any pod counts, whatever its role.
    return replicas.length === job.replicas.length ? { form: 'count', minSuccess: 1 } : { form: 'none' };
  }
  if (replicas.length === job.replicas.length) {
    return { form: 'all' };
  }
  const [{ role }] = replicas;
  const isTask = replicas.length === replicasOfRole(job, role).length && replicas.every((replica) => replica.role === role);
  return isTask ? { form: 'task', task: role } : { form: 'none' };
}

/** Why a success policy cannot be told, as the rest of a sentence; undefined when it can. */
export function successProblem(job: ResolvedTrainingJob): string | undefined {
  return successForm(job).form !== 'none' ? undefined
    : `waits for all pods, for a number of them or for all pods of one task, but ${job.successPolicy} means different pods here`;
}
