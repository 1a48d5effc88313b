/**
 * Writes the status: at once when something happened that somebody waits for, and at a slower pace when only numbers moved, so that a
 * thousand pods that start one after the other do not become a thousand writes. That pace is kept for each job, and for all jobs together: what a
 * thousand jobs count must not take the API server's time from those that start. For the same reason the first status of a job, which only says
 * that it was seen, waits while many other jobs, or many pods of its own, are on their way; most often the job runs by then, and one write tells
 * both.
 */
import { TRAINING_JOBS, type TrainingJobObject } from './resources';
import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../model/labels';
import type { TrainingJobStatus } from '../../model/training-job/status/status';
import type { Clock } from '../runtime/process/clock';
import { isSameJson } from '../runtime/json-equality';
import type { KubeClient } from '../runtime/kube-client';
import { objectKey } from '../runtime/kube-object';
import { mergePatch } from '../runtime/merge-patch';
import type { Store } from '../runtime/watch/store';

/** Least time between a write and one of numbers alone, milliseconds; twice as long after each of these, as long as there is no news. */
export const COUNTS_INTERVAL_MS = 10_000;

/** Longest time that numbers wait, milliseconds; all of it while many jobs wait for something more urgent. */
export const LONGEST_COUNTS_INTERVAL_MS = 60_000;

/** Least time between two writes of numbers alone of whichever jobs, milliseconds. */
export const COUNTS_SPACING_MS = 100;

/** Longest time that the first status of a job waits for others, milliseconds. */
export const FIRST_STATUS_PATIENCE_MS = 30_000;

/** So many jobs whose first status waits are a burst in themselves: those that come later wait with them. So are as many whose numbers wait. */
const BURST = 16;

/** A job of so many replicas takes a while to start by itself. */
const LARGE_JOB = 100;

/** How often a first status looks whether it still has to wait, milliseconds. */
const FIRST_STATUS_PAUSE_MS = 1_000;

/** Numbers that move again after a while wait for those that move with them: this part of the least time between two writes. */
const COUNTS_PATIENCE = 1 / 5;

/** A crowd of jobs whose numbers wait has gone when no more than so many are left. */
const CROWD_END = 3;

/** How often numbers look whether those of many other jobs still wait, milliseconds. */
const CROWD_PAUSE_MS = 5_000;

/** Writes statuses of training jobs. */
export class StatusWriter {
  /** Monotonic time of the last write of each job that is not finished, and how long numbers wait after it, by `namespace/name`. */
  private readonly lastWrites = new Map<string, { readonly at: number; readonly countsAfterMs: number }>();

  /** Monotonic time since when the first status of a job waits, by `namespace/name`. */
  private readonly firstWaits = new Map<string, number>();

  /** Monotonic time at which numbers of a job may be written, by `namespace/name`: its turn among all jobs whose numbers are due. */
  private readonly turns = new Map<string, number>();
  private nextTurn = -Infinity;

  /** Monotonic time since when numbers of a job wait, by `namespace/name`. */
  private readonly countsWaits = new Map<string, number>();

  /** Whether numbers of so many jobs came to wait that they start, or end, together; until nearly all of them are told. */
  private isCrowded = false;

  /** Writes whose answer did not come, by `namespace/name`; the next look at the job tells what became of them. */
  private readonly unanswered = new Map<string, { job: TrainingJobObject; status: TrainingJobStatus }>();

  /**
   * @param onWritten told of each status that this process has written, once; for metrics
   * @param isBusy whether many jobs wait for something more urgent than a first status
   * @param countsIntervalMs least time between a write and one of numbers alone
   */
  public constructor(
    private readonly client: KubeClient,
    private readonly jobs: Store<TrainingJobObject>,
    private readonly clock: Clock,
    private readonly onWritten: (before: TrainingJobObject, after: TrainingJobObject) => void = () => undefined,
    private readonly isBusy: () => boolean = () => false,
    private readonly countsIntervalMs = COUNTS_INTERVAL_MS,
  ) {}

  /**
   * Writes the status unless it stands already.
   * @throws ApiError with `isConflict` when the job has changed since it was read
   */
  public async write(job: TrainingJobObject, status: TrainingJobStatus): Promise<TrainingJobObject> {
    this.settle(job);
    if (isSameJson(job.status ?? {}, status)) {
      return job;
    }
    const written = compact(status);
    const { name, namespace, resourceVersion } = job.metadata!;
    this.unanswered.set(objectKey(job), { job, status: written });
    // A patch and not the object, and metadata as the answer: a spec may be a megabyte, and goes neither way. The version, which no other
    // object of the name has either, makes sure that the status was planned from what stands: the spec is still the one that was read.
    const patch = { metadata: { resourceVersion }, status: mergePatch(job.status, written) };
    const answer = await this.client.patch<TrainingJobObject>(TRAINING_JOBS, { namespace, name: name! }, patch, { subresource: 'status', metadataOnly: true });
    const after: TrainingJobObject = {
      apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: answer.metadata, spec: job.spec, status: answer.status ?? written,
    };
    this.unanswered.delete(objectKey(job));
    this.jobs.applyWritten(after);
    // As the cache has it, trimmed: who is told may keep it.
    this.onWritten(job, this.jobs.get(objectKey(job)) ?? after);
    this.settleWaits(objectKey(job));
    if (written.completionTime === undefined) {
      const last = this.lastWrites.get(objectKey(job));
      const countsAfterMs = last && isSameNews(job.status ?? {}, status)
        ? Math.min(2 * last.countsAfterMs, LONGEST_COUNTS_INTERVAL_MS)
        : this.countsIntervalMs;
      this.lastWrites.set(objectKey(job), { at: this.clock.monotonic(), countsAfterMs });
    } else {
      this.lastWrites.delete(objectKey(job));
    }
    return after;
  }

  /**
   * As {@link write}, but a change of mere numbers waits until it is due.
   * @returns the job as it stands, and in how many milliseconds a change is due that was held back
   */
  public async writeWhenDue(job: TrainingJobObject, status: TrainingJobStatus): Promise<{ job: TrainingJobObject; dueInMs?: number }> {
    this.settle(job);
    const before = job.status ?? {};
    if (isSameJson(before, status)) {
      this.settleWaits(objectKey(job));
      return { job };
    }
    const dueInMs = isSameNews(before, status)
      ? this.countsDueInMs(objectKey(job))
      : isMereBeginning(before, status) ? this.firstDueInMs(job) : 0;
    return dueInMs > 0 ? { job, dueInMs } : { job: await this.write(job, status) };
  }

  private countsDueInMs(key: string): number {
    const now = this.clock.monotonic();
    const last = this.lastWrites.get(key);
    const since = this.countsWaits.get(key) ?? now;
    this.countsWaits.set(key, since);
    this.isCrowded ||= this.countsWaits.size >= BURST;
    const waitMs = this.isBusy() || this.isCrowded ? LONGEST_COUNTS_INTERVAL_MS : last?.countsAfterMs ?? this.countsIntervalMs;
    const ownDueInMs = Math.max(last === undefined ? 0 : last.at + waitMs, since + COUNTS_PATIENCE * this.countsIntervalMs) - now;
    if (ownDueInMs > 0) {
      // Whoever is busy now may not be in a moment.
      const calmDueInMs = (last?.at ?? since) + (last?.countsAfterMs ?? 0) - now;
      return Math.min(ownDueInMs, Math.max(this.isCrowded ? CROWD_PAUSE_MS : FIRST_STATUS_PAUSE_MS, calmDueInMs));
    }
    let turn = this.turns.get(key);
    if (turn === undefined) {
      // A turn each, so that those who wait do not all come back at the same moment for the next one.
      turn = Math.max(now, this.nextTurn);
      this.nextTurn = turn + COUNTS_SPACING_MS;
      this.turns.set(key, turn);
    }
    return turn - now;
  }

  private firstDueInMs(job: TrainingJobObject): number {
    if (!this.isBusy() && this.firstWaits.size < BURST && replicasOf(job) < LARGE_JOB) {
      return 0;
    }
    const key = objectKey(job);
    const now = this.clock.monotonic();
    const since = this.firstWaits.get(key) ?? now;
    this.firstWaits.set(key, since);
    return Math.min(FIRST_STATUS_PAUSE_MS, since + FIRST_STATUS_PATIENCE_MS - now);
  }

  /** Forgets a job that is gone. */
  public forget(key: string): void {
    this.lastWrites.delete(key);
    this.unanswered.delete(key);
    this.settleWaits(key);
  }

  private settleWaits(key: string): void {
    this.firstWaits.delete(key);
    this.turns.delete(key);
    this.countsWaits.delete(key);
    this.isCrowded &&= this.countsWaits.size > CROWD_END;
  }

  /**
   * Tells of a write that had succeeded although its answer was lost. (One that was sent again by itself ends in a conflict with its own first
   * sending, so no error says for certain that nothing was written.)
   */
  private settle(job: TrainingJobObject): void {
    const last = this.unanswered.get(objectKey(job));
    if (last === undefined) {
      return;
    }
    this.unanswered.delete(objectKey(job));
    const sameJob = last.job.metadata?.uid === job.metadata?.uid && last.job.metadata?.resourceVersion !== job.metadata?.resourceVersion;
    if (sameJob && isSameJson(job.status ?? {}, last.status)) {
      this.onWritten(last.job, job);
    }
  }
}

/** Whether a status says no more than that the job was seen and nothing is wrong so far. */
function isMereBeginning(before: TrainingJobStatus, after: TrainingJobStatus): boolean {
  return before.phase === undefined && after.phase === 'Pending'
    && after.conditions?.find((condition) => condition.type === 'Created')?.status === 'True';
}

function replicasOf({ spec }: TrainingJobObject): number {
  return spec.replicas ?? (spec.roles ?? []).reduce((sum, role) => sum + (role.replicas ?? 1), 0);
}

/** As JSON has it: fields without a value are absent. */
function compact(status: TrainingJobStatus): TrainingJobStatus {
  return JSON.parse(JSON.stringify(status)) as TrainingJobStatus;
}

function isSameNews(before: TrainingJobStatus, after: TrainingJobStatus): boolean {
  return isSameJson(newsOf(before), newsOf(after));
}

/**
 * The part of a status that is written at once: all but counts and what conditions say about them. After a restart the reason for not running
 * changes from the failure to the count of missing replicas, which nobody waits for either.
 */
function newsOf(status: TrainingJobStatus): unknown {
  const { workerStatuses: _counts, worldSize: _size, ready: _ready, replacing: _replacing, conditions, idle, lastFailure, ...news } = status;
  // Stacks come pod by pod; the use of accelerators changes all the time.
  const { stackDumps: _dumps, ...failure } = lastFailure ?? {};
  return {
    ...news,
    lastFailure: failure,
    idle: idle && { ...idle, percent: undefined },
    // Most gangs are placed pod by pod within moments, which is no news; that one stays in part, is told soon enough.
    gang: [news.gang?.releases, news.gang?.step],
    // A place in a queue moves whenever somebody else's does.
    queue: news.queue && { ...news.queue, position: undefined },
    conditions: conditions?.map(({ message: _message, reason, ...condition }) => (condition.type === 'Running' ? condition : { ...condition, reason })),
  };
}
