/**
 * Writes the status: at once when something happened that somebody waits for, and at a slower pace when only numbers moved, so that a
 * thousand pods that start one after the other do not become a thousand writes.
 */
import { isDeepStrictEqual } from 'node:util';
import { TRAINING_JOBS, type TrainingJobObject } from './resources';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import type { TrainingJobStatus } from '../../model/training-job/status';
import type { Clock } from '../runtime/clock';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey } from '../runtime/kube-object';
import type { Store } from '../runtime/store';

/** Least time between two writes of numbers alone, milliseconds. */
export const COUNTS_INTERVAL_MS = 5_000;

/** Writes statuses of training jobs. */
export class StatusWriter {
  /** Monotonic time of the last write of each job that is not finished, by `namespace/name`. */
  private readonly lastWrites = new Map<string, number>();

  public constructor(private readonly client: KubeClient, private readonly jobs: Store<TrainingJobObject>, private readonly clock: Clock) {}

  /**
   * Writes the status unless it stands already.
   * @throws ApiError with `isConflict` when the job has changed since it was read
   */
  public async write(job: TrainingJobObject, status: TrainingJobStatus): Promise<TrainingJobObject> {
    const written = compact(status);
    if (isDeepStrictEqual(compact(job.status ?? {}), written)) {
      return job;
    }
    const { name, namespace, uid, resourceVersion } = job.metadata!;
    // Only the status is taken from the body; the version makes sure that it was planned from what stands.
    const answer = await this.client.replace<TrainingJobObject>(TRAINING_JOBS, {
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace, uid, resourceVersion }, spec: job.spec, status: written,
    }, { subresource: 'status' });
    this.jobs.applyWritten(answer);
    if (written.completionTime === undefined) {
      this.lastWrites.set(objectKey(job), this.clock.monotonic());
    } else {
      this.lastWrites.delete(objectKey(job));
    }
    return answer;
  }

  /**
   * As {@link write}, but a change of mere numbers waits until it is due.
   * @returns the job as it stands, and in how many milliseconds a change is due that was held back
   */
  public async writeWhenDue(job: TrainingJobObject, status: TrainingJobStatus): Promise<{ job: TrainingJobObject; dueInMs?: number }> {
    const before = compact(job.status ?? {});
    const after = compact(status);
    if (isDeepStrictEqual(before, after)) {
      return { job };
    }
    if (isDeepStrictEqual(newsOf(before), newsOf(after))) {
      const dueInMs = (this.lastWrites.get(objectKey(job)) ?? -Infinity) + COUNTS_INTERVAL_MS - this.clock.monotonic();
      if (dueInMs > 0) {
        return { job, dueInMs };
      }
    }
    return { job: await this.write(job, status) };
  }

  /** Forgets a job that is gone. */
  public forget(key: string): void {
    this.lastWrites.delete(key);
  }
}

/** As JSON has it: fields without a value are absent. */
function compact(status: TrainingJobStatus): TrainingJobStatus {
  return JSON.parse(JSON.stringify(status)) as TrainingJobStatus;
}

/**
 * The part of a status that is written at once: all but counts and what conditions say about them. After a restart the reason for not running
 * changes from the failure to the count of missing replicas, which nobody waits for either.
 */
function newsOf(status: TrainingJobStatus): unknown {
  const { workerStatuses: _counts, ready: _ready, replacing: _replacing, conditions, ...news } = status;
  return {
    ...news,
    conditions: conditions?.map(({ message: _message, reason, ...condition }) => (condition.type === 'Running' ? condition : { ...condition, reason })),
  };
}
