/**
 * The end that everybody wants.
 *
 * When a job has succeeded: its success policy held against its replicas.
 */
import type { Rule } from './rule';
import { end } from '../decisions';
import { beginAfter } from '../hooks/stages';
import type { JobView } from '../observe/replicas-view';

/** Ends the job when its success policy is met. */
export const successRule: Rule = {
  decide(observation, view) {
    if (!hasSucceeded(view)) {
      return undefined;
    }
    return observation.job.spec.hooks?.after === undefined
      ? end(observation, 'Completed', 'JobSucceeded', successMessage(view), view) : beginAfter(observation, view);
  },
};

/** The replicas that the policy waits for have all succeeded. */
function hasSucceeded(view: JobView): boolean {
  switch (view.job.successPolicy) {
    case 'Coordinator': return view.replicas[0].succeeded;
    case 'AllWorkers': return view.replicas.filter((entry) => entry.replica.rank !== undefined).every((entry) => entry.succeeded);
    case 'AnyWorker': return view.replicas.some((entry) => entry.replica.rank !== undefined && entry.succeeded);
    // Helpers have no say in it.
    case 'AllReplicas': return view.replicas.every((entry) => entry.succeeded || entry.role.helper !== undefined);
  }
}

/** The success in words. */
function successMessage(view: JobView): string {
  switch (view.job.successPolicy) {
    case 'Coordinator': return `${view.replicas[0].replica.podName} has succeeded`;
    case 'AllWorkers': return `All ${view.job.trainers} workers have succeeded`;
    case 'AnyWorker': return `${view.replicas.find((entry) => entry.replica.rank !== undefined && entry.succeeded)?.replica.podName} has succeeded`;
    case 'AllReplicas': return `All ${view.replicas.filter((entry) => entry.role.helper === undefined).length} replicas have succeeded`;
  }
}
