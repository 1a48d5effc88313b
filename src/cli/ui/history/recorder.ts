/**
 * Records jobs. A watch reports changed jobs; each one is read and stored, with retries until the store accepts it. After a period without a
 * recorder, existing jobs are read, and the period is marked as a gap.
 */
import { keptJob } from './kept-job';
import { fingerprint, isOver, Observer, pointsOf, RECORDED_KIND } from './observe';
import { BEAT_MS, type HistoryStore, type Retention } from './store';
import type { AnyObject } from '../../jobs/objects';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { SYSTEM_CLOCK, sleep } from '../../../operator/runtime/process/clock';
import type { Logger } from '../../../operator/runtime/process/logger';
import { ListWatch } from '../../../operator/runtime/watch/list-watch';
import { Store } from '../../../operator/runtime/watch/store';
import { WorkQueue } from '../../../operator/runtime/work-queue';

/** Number of jobs that are read at the same time. */
const WORKERS = 4;

/** A running job is read again after this time, because the API server keeps events for an hour; milliseconds. */
const READ_AGAIN_MS = 20 * 60_000;

/** How often old jobs are removed; milliseconds. */
const PRUNE_MS = 10 * 60_000;

/** How often reading a job is retried. What was read is stored anyway. */
const MAX_RETRIES = 5;

/** Pause after an error of the store; milliseconds. */
const RETRY_MS = 1_000;

/** Pauses before a write is retried. */
const BACKOFF = { initialMs: 200, maxMs: 30_000 };

export interface RecorderOptions {
  readonly client: KubeClient;
  readonly store: HistoryStore;
  readonly retention: Retention;
  readonly logger: Logger;
}

/** The latest change of a job that is not stored yet. */
interface Change {
  readonly job: AnyObject;
  readonly deletedAt?: number;
}

/** The state of a job when it was stored. */
interface StoredState {
  readonly print: string;
  readonly at: number;
  /** Time of the last metrics. */
  readonly point: string;
}

export class Recorder {
  private readonly jobs = new Store<AnyObject>({ transform: keptJob });
  private readonly watch: ListWatch<AnyObject>;
  private readonly queue = new WorkQueue({ backoff: BACKOFF });
  private readonly observer: Observer;
  /** By uid. */
  private readonly changes = new Map<string, Change>();
  /** By uid. */
  private readonly stored = new Map<string, StoredState>();
  private lastProblem?: string;
  private ready = false;

  public constructor(private readonly options: RecorderOptions) {
    const { client, logger } = options;
    this.observer = new Observer(client);
    this.watch = new ListWatch<AnyObject>({ client, kind: RECORDED_KIND, store: this.jobs, logger });
  }

  /** Why it does not record now; undefined if it does. */
  public get problem(): string | undefined {
    const { synced, lastError, state } = this.watch.health;
    return this.lastProblem ?? (synced && state !== 'pausing' ? undefined : `Jobs cannot be read: ${lastError ?? 'not read yet'}`);
  }

  /** Records until the signal aborts. */
  public async run(signal: AbortSignal): Promise<void> {
    this.jobs.onChange(({ previous, current }) => {
      // An object with the same name may be another job.
      if (previous !== undefined && previous.metadata?.uid !== current?.metadata?.uid) {
        this.add(previous, Date.now());
      }
      if (current !== undefined) {
        this.add(current);
      }
    });
    const watching = this.watch.run(signal);
    const workers = Array.from({ length: WORKERS }, async () => this.work());
    await this.watch.waitForSync(signal);
    const ticking = this.tick(signal);
    await Promise.all([watching, ticking]);
    await this.queue.shutDown();
    await Promise.all(workers);
  }

  private add(job: AnyObject, deletedAt?: number): void {
    const uid = job.metadata?.uid ?? '';
    this.changes.set(uid, { job, deletedAt });
    this.queue.add(uid);
  }

  private async work(): Promise<void> {
    for (let uid = await this.queue.take(); uid !== undefined; uid = await this.queue.take()) {
      const change = this.changes.get(uid);
      try {
        const isComplete = change === undefined || await this.record(uid, change);
        this.lastProblem = undefined;
        if (isComplete || this.queue.failuresOf(uid) >= MAX_RETRIES) {
          this.queue.forget(uid);
          if (this.changes.get(uid) === change) {
            this.changes.delete(uid);
          }
        } else {
          this.queue.addRateLimited(uid);
        }
      } catch (error) {
        this.report(error);
        this.queue.addRateLimited(uid);
      }
      this.queue.done(uid);
    }
  }

  /** @returns whether everything could be read */
  private async record(uid: string, { job, deletedAt }: Change): Promise<boolean> {
    const { store, logger } = this.options;
    const now = Date.now();
    const print = fingerprint(job);
    const points = pointsOf(job);
    const state = { print, at: now, point: points.at(-1)?.time ?? '' };
    const stored = this.stored.get(uid);
    if (deletedAt === undefined && stored?.print === print && (isOver(job) || now - stored.at < READ_AGAIN_MS)) {
      await store.addPoints(uid, points.filter(({ time }) => time > stored.point));
      this.stored.set(uid, { ...state, at: stored.at });
      return true;
    }
    const before = await store.run(job.metadata?.namespace ?? '', uid);
    if (deletedAt === undefined && isOver(job) && before?.row.version === job.metadata?.resourceVersion) {
      this.stored.set(uid, state);
      return true;
    }
    const { entry, unread } = await this.observer.observe(job, before?.detail, now, deletedAt);
    await store.write(entry);
    if (unread !== undefined) {
      logger.warn('a job could not be read; only its object is recorded', { namespace: entry.row.namespace, job: entry.row.name, error: unread });
      return false;
    }
    if (deletedAt === undefined) {
      this.stored.set(uid, state);
    } else {
      this.stored.delete(uid);
    }
    return true;
  }

  /** Periodic work: reports that the recorder is up to date, removes old jobs, and reads running jobs again. */
  private async tick(signal: AbortSignal): Promise<void> {
    let prunedAt = -Infinity;
    while (!signal.aborted) {
      try {
        if (!this.ready) {
          await this.catchUp();
        }
        const now = Date.now();
        const isCurrent = this.watch.health.state === 'watching';
        const gap = isCurrent ? await this.options.store.beat(now) : undefined;
        if (gap) {
          this.options.logger.warn('jobs that were created and deleted in this period are not recorded', { since: new Date(gap.since), until: new Date(gap.until) });
        }
        if (now - prunedAt > PRUNE_MS) {
          const removed = await this.options.store.prune(this.options.retention, now);
          prunedAt = now;
          if (removed > 0) {
            this.options.logger.info('old jobs were removed', { removed });
          }
        }
        this.readAgain(now);
        this.lastProblem = undefined;
      } catch (error) {
        this.report(error);
      }
      await sleep(SYSTEM_CLOCK, this.ready && this.lastProblem === undefined ? BEAT_MS : RETRY_MS, signal);
    }
  }

  /** Marks jobs that were deleted while no recorder ran. */
  private async catchUp(): Promise<void> {
    const existing = new Set(this.jobs.list().map(({ metadata }) => metadata?.uid));
    for (const uid of await this.options.store.openRuns()) {
      if (!existing.has(uid) && !this.changes.has(uid)) {
        await this.options.store.markDeleted(uid, Date.now());
      }
    }
    this.ready = true;
  }

  private readAgain(now: number): void {
    for (const job of this.jobs.list()) {
      const stored = this.stored.get(job.metadata?.uid ?? '');
      if (stored !== undefined && !isOver(job) && now - stored.at >= READ_AGAIN_MS) {
        this.add(job);
      }
    }
  }

  private report(error: unknown): void {
    this.lastProblem = error instanceof Error ? error.message : String(error);
    this.options.logger.error('the history cannot be written; the write is retried', { error });
  }
}
