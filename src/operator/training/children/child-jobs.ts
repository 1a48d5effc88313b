/** Jobs that another job controls, as the operator changes them: trials of searches and copies of arrays. Answers go into the cache of all jobs. */
import { removeAll, type LiveOwner } from '../cleanup/orphans';
import { BY_JOB, TRAINING_JOBS, type TrainingJobObject } from '../resources';
import { ApiError } from '../../runtime/http/api-error';
import type { KubeClient } from '../../runtime/kube-client';
import type { KubeObject } from '../../runtime/kube-object';
import type { Logger } from '../../runtime/process/logger';
import { controllerOf } from '../../runtime/ownership';
import type { Store } from '../../runtime/watch/store';

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
      if (error instanceof ApiError && error.isNotFound) {
        this.jobs.markDeleted({ namespace, name, uid });
      } else if (!(error instanceof ApiError && error.isConflict)) {
        throw error;
      }
    }
  }

  /** Suspends a job, or lets it run again. */
  public async suspend({ namespace, name, uid }: ChildJobRef, suspend: boolean): Promise<void> {
    try {
      // The uid makes it a conflict when another job bears the name by now.
      this.written(await this.client.patch<TrainingJobObject>(TRAINING_JOBS, { namespace, name }, { metadata: { uid }, spec: { suspend } }));
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) {
        this.jobs.markDeleted({ namespace, name, uid });
      } else if (!(error instanceof ApiError && error.isConflict)) {
        throw error;
      }
    }
  }
}
