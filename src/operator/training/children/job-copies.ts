/**
 * Copies of arrays as they are in a cluster: MLTrainingJobs that a job with `array` controls. What is seen of them, and what the planner asks
 * for. They are in the cache of all jobs, so what is known of a job and of its copies is of one moment.
 */
import type { ChildJobs } from './child-jobs';
import type { CopyAction, ObservedCopy } from '../plan/array/types';
import { atOnce } from '../plan/resolve-once';
import { BY_OWNER, ownerKey, type TrainingJobObject } from '../resources';
import { constructArrayJob } from '../../../manifests/job/array-job';
import { ARRAY_INDEX_LABEL } from '../../../model/labels';
import { isArray } from '../../../model/training-job/array';
import { inGrowingWindow } from '../../runtime/http/growing-window';
import type { KubeObject } from '../../runtime/kube-object';
import { controllerReference } from '../../runtime/ownership';
import type { Store } from '../../runtime/watch/store';

/** Requests about copies that are under way at once at first; more follow with each that is answered. */
const FIRST_REQUESTS = 16;

/** See the top of this file. */
export class JobCopies {
  public constructor(private readonly jobs: Store<TrainingJobObject>, private readonly children: ChildJobs) {}

  /** The copies of a job; undefined when it is no array. */
  public observe(job: TrainingJobObject): ObservedCopy[] | undefined {
    return isArray(job.spec) ? this.jobs.byIndex(BY_OWNER, ownerKey(job.metadata!)).flatMap((child): ObservedCopy[] => {
      const { name, uid, labels, deletionTimestamp } = child.metadata!;
      const index = Number(labels?.[ARRAY_INDEX_LABEL] ?? NaN);
      // A job that somebody else put under this one is none of our copies.
      return Number.isInteger(index) ? [{
        index, name: name!, uid: uid!, deleting: deletionTimestamp !== undefined, suspended: child.spec.suspend === true, status: child.status ?? {},
      }] : [];
    }) : undefined;
  }

  /**
   * Does what the planner asks for, many at a time but not all of thousands at once.
   * @param create creates an object of the job, or finds it
   * @param attempt does something, notes what went wrong, and answers whether all went well
   */
  public async execute(
    job: TrainingJobObject, actions: readonly CopyAction[],
    create: (object: KubeObject) => Promise<void>, attempt: (what: () => Promise<void>) => Promise<boolean>,
  ): Promise<void> {
    await inGrowingWindow(actions, FIRST_REQUESTS, (action) => attempt(async () => this.carryOut(job, action, create)), atOnce(job.spec));
  }

  private async carryOut(job: TrainingJobObject, action: CopyAction, create: (object: KubeObject) => Promise<void>): Promise<void> {
    const { name, namespace } = job.metadata!;
    switch (action.type) {
      case 'createCopy': return create(constructArrayJob({
        jobName: name!, spec: job.spec, index: action.index, namespace: namespace!, owner: controllerReference(job),
      }));
      case 'deleteCopy': return this.children.remove({ namespace, name: action.name, uid: action.uid });
      case 'suspendCopy': return this.children.suspend({ namespace, name: action.name, uid: action.uid }, action.suspend);
    }
  }
}
