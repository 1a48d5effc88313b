/** Jobs that another job controls, as the operator changes them: trials of searches and copies of arrays. Answers go into the cache of all jobs. */
import { removeAll, type LiveOwner } from '../cleanup/orphans';
import type { CopyAction, ObservedCopy } from '../plan/array/types';
import { atOnce } from '../plan/resolve-once';
import { BY_JOB, BY_OWNER, TRAINING_JOBS, ownerKey, type TrainingJobObject } from '../resources';
import { ApiError } from '../../runtime/http/api-error';
import { inGrowingWindow } from '../../runtime/http/growing-window';
import type { KubeClient } from '../../runtime/kube-client';
import { controllerOf, controllerReference, type KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import type { Store } from '../../runtime/watch/store';
import { constructArrayJob } from '../../../manifests/job/child-jobs';
import { ARRAY_INDEX_LABEL } from '../../../model/labels';
import { isArray } from '../../../model/training-job/array';

/** One such job. */
export interface ChildJobRef {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** See the top of this file. */
export class ChildJobs {
  public constructor(private readonly client: KubeClient, private readonly jobs: Store<TrainingJobObject>, private readonly logger: Logger) {}

  /** Takes in a job as it was written. */
  public written(object: KubeObject): void {
    this.jobs.applyWritten(object as TrainingJobObject);
  }

  /**
   * Deletes jobs whose controlling job is gone. The garbage collector does so too, later, and not everywhere; nothing is deleted on the word of a
   * cache (see `deleteOrphans` of pods).
   */
  public async deleteOrphans(key: string, job: TrainingJobObject | undefined, owner: LiveOwner): Promise<void> {
    const orphans = this.jobs.byIndex(BY_JOB, key)
      .filter((child) => controllerOf(child)?.uid !== job?.metadata?.uid && child.metadata?.deletionTimestamp === undefined);
    if (orphans.length === 0) {
      return;
    }
    const live = await owner.uid();
    await removeAll(key, this.logger, orphans.filter((child) => controllerOf(child)?.uid !== live).map(({ metadata }) => async () => (
      this.remove({ namespace: metadata!.namespace, name: metadata!.name!, uid: metadata!.uid! }, metadata!.resourceVersion))));
  }

  /** Deletes a job. @param resourceVersion the version that is to go. @default - whichever there is */
  public async remove({ namespace, name, uid }: ChildJobRef, resourceVersion?: string): Promise<void> {
    try {
      const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
      const response = await this.client.delete(TRAINING_JOBS, { namespace, name }, { preconditions, propagationPolicy: 'Background' });
      this.jobs.applyDeleteResponse({ namespace, name, uid }, response);
      this.logger.debug('deleted', { kind: TRAINING_JOBS.kind, object: name });
    } catch (error) {
      this.unlessGone({ namespace, name, uid }, error);
    }
  }

  /** Suspends a job, or lets it run again. */
  public async suspend({ namespace, name, uid }: ChildJobRef, suspend: boolean): Promise<void> {
    try {
      // The uid makes it a conflict when another job bears the name by now.
      this.written(await this.client.patch<TrainingJobObject>(TRAINING_JOBS, { namespace, name }, { metadata: { uid }, spec: { suspend } }));
    } catch (error) {
      this.unlessGone({ namespace, name, uid }, error);
    }
  }

  /** A job that is gone is marked as such, and a conflict is left to the next look. */
  private unlessGone(job: ChildJobRef, error: unknown): void {
    if (error instanceof ApiError && error.isNotFound) {
      this.jobs.markDeleted(job);
    } else if (!(error instanceof ApiError && error.isConflict)) {
      throw error;
    }
  }
}

/** Requests about copies that are under way at once at first; more follow with each that is answered. */
const FIRST_REQUESTS = 16;

/**
 * Copies of arrays as they are in a cluster: MLTrainingJobs that a job with `array` controls. What is seen of them, and what the planner asks
 * for. They are in the cache of all jobs, so what is known of a job and of its copies is of one moment.
 */
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
