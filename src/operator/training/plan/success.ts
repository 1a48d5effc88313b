/** When a job has succeeded: its success policy held against its replicas. */
import type { JobView } from './observe/replicas-view';

/** The replicas that the policy waits for have all succeeded. */
export function hasSucceeded(view: JobView): boolean {
  switch (view.job.successPolicy) {
    case 'Coordinator': return view.replicas[0].succeeded;
    case 'AllWorkers': return view.replicas.filter((entry) => entry.replica.rank !== undefined).every((entry) => entry.succeeded);
    case 'AnyWorker': return view.replicas.some((entry) => entry.replica.rank !== undefined && entry.succeeded);
    // Helpers have no say in it.
    case 'AllReplicas': return view.replicas.every((entry) => entry.succeeded || entry.role.helper !== undefined);
  }
}

/** The success in words. */
export function successMessage(view: JobView): string {
  switch (view.job.successPolicy) {
    case 'Coordinator': return `${view.replicas[0].replica.podName} has succeeded`;
    case 'AllWorkers': return `All ${view.job.trainers} workers have succeeded`;
    case 'AnyWorker': return `${view.replicas.find((entry) => entry.replica.rank !== undefined && entry.succeeded)?.replica.podName} has succeeded`;
    case 'AllReplicas': return `All ${view.replicas.filter((entry) => entry.role.helper === undefined).length} replicas have succeeded`;
  }
}
