/**
 * A queue of keys for reconciling, with the guarantees of client-go's work queue:
 * - a key waits at most once, however often it is added (merging);
 * - a key is never worked on twice at the same time; when it is added meanwhile, it waits again as soon as that work is done;
 * - nothing added before the shutdown is lost.
 *
 * Two sets and a line do it: `dirty` holds the keys that need work, `processing` those being worked on, the line those that are dirty and
 * not being worked on, in order. As in the priority queue of controller-runtime there are two lines: keys added by a first list or a
 * resync wait behind those for which something happened, so a restart with thousands of finished jobs does not delay the live ones.
 *
 * Delays: a key has at most one timer, the earliest asked for.
 * @see https://pkg.go.dev/k8s.io/client-go/util/workqueue
 */
import { backoffDelay, BackoffOptions } from './process/backoff';
import { Clock, SYSTEM_CLOCK, Timer } from './process/clock';
import { Fifo } from './fifo';

/** Settings of a {@link WorkQueue}. */
export interface WorkQueueOptions {
  /** Delays of {@link WorkQueue.addRateLimited}. @default 20 ms doubling to 2 minutes, half of it jitter */
  readonly backoff?: BackoffOptions;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  /** Source of jitter. @default Math.random */
  readonly random?: () => number;
}

/** How a key is added. */
export interface AddOptions {
  /** Waits behind all keys that were added without this. Adding it again without lifts it. @default false */
  readonly lowPriority?: boolean;
}

const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 20, maxMs: 120_000 };

/** Time over which keys that are taken are counted, milliseconds. */
const PACE_WINDOW_MS = 250;

/** See the top of this file. */
export class WorkQueue {
  private readonly clock: Clock;
  /** Keys that need work, with their priority. */
  private readonly dirty = new Map<string, { low: boolean }>();
  /** Keys being worked on, with the moment that began. */
  private readonly processing = new Map<string, number>();
  private readonly high = new Fifo<string>();
  private readonly low = new Fifo<string>();
  private readonly delayed = new Map<string, { dueAt: number; timer: Timer }>();
  private readonly failures = new Map<string, number>();
  private readonly takers = new Fifo<(key: string | undefined) => void>();
  private readonly idleWaiters: (() => void)[] = [];
  /** Keys that are dirty and being worked on. */
  private againCount = 0;
  private closed = false;
  private addCount = 0;
  private retryCount = 0;
  /** Keys taken in the window that began at `since`, and in the one before it. */
  private readonly taken = { since: -Infinity, now: 0, before: 0 };

  public constructor(private readonly options: WorkQueueOptions = {}) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Keys that wait to be worked on now. */
  public get depth(): number {
    return this.dirty.size - this.againCount;
  }

  /** Keys that wait for a timer. */
  public get delayedCount(): number {
    return this.delayed.size;
  }

  /** Keys being worked on. */
  public get processingCount(): number {
    return this.processing.size;
  }

  /** Keys that were added so far; what waits already is not counted. */
  public get adds(): number {
    return this.addCount;
  }

  /** Keys that were added after a failure so far. */
  public get retries(): number {
    return this.retryCount;
  }

  /** Keys that were taken in a second of late: the rate of this quarter of a second or of the last, whichever is higher. */
  public get takenPerSecond(): number {
    this.turnWindow();
    return Math.max(this.taken.now, this.taken.before) * (1000 / PACE_WINDOW_MS);
  }

  /** Milliseconds for which the longest-running work has been going on; 0 when there is none. */
  public get longestRunningMs(): number {
    // A Map iterates in the order of insertion, which here is the order of beginning.
    const [first] = this.processing.values();
    return first === undefined ? 0 : this.clock.monotonic() - first;
  }

  /** Adds a key; does nothing when it waits already, or after the shutdown. */
  public add(key: string, options: AddOptions = {}): void {
    if (this.closed) {
      return;
    }
    const low = options.lowPriority ?? false;
    const waiting = this.dirty.get(key);
    if (waiting !== undefined && (low || !waiting.low)) {
      return;
    }
    this.dirty.set(key, { low });
    this.addCount += waiting === undefined ? 1 : 0;
    if (!this.processing.has(key)) {
      this.line(key, low);
    } else if (waiting === undefined) {
      this.againCount++;
    }
  }

  /** Adds a key after a delay in milliseconds. Of several delays of one key the earliest end counts. */
  public addAfter(key: string, delayMs: number): void {
    if (this.closed || delayMs === Infinity) {
      return;
    }
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueAt = this.clock.monotonic() + delayMs;
    const existing = this.delayed.get(key);
    if (existing !== undefined && existing.dueAt <= dueAt) {
      return;
    }
    existing?.timer.cancel();
    const timer = this.clock.schedule(() => {
      this.delayed.delete(key);
      this.add(key);
    }, delayMs);
    this.delayed.set(key, { dueAt, timer });
  }

  /**
   * Adds a key whose work failed, after a delay that doubles with each failure in a row, and is at least `minDelayMs` milliseconds.
   * Returns the delay.
   */
  public addRateLimited(key: string, minDelayMs = 0): number {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    this.retryCount++;
    const delayMs = Math.max(minDelayMs, backoffDelay(failures, this.options.backoff ?? DEFAULT_BACKOFF, this.options.random));
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** Registers success: the next failure of this key starts from the first delay. */
  public forget(key: string): void {
    this.failures.delete(key);
  }

  /** Failures in a row of a key. */
  public failuresOf(key: string): number {
    return this.failures.get(key) ?? 0;
  }

  /**
   * Takes the next key, waiting for one if need be. Whoever takes a key must call {@link done} with it afterwards, whatever happened.
   * Resolves with undefined after the shutdown, when nothing waits any more.
   */
  public take(): Promise<string | undefined> {
    const key = this.nextKey();
    if (key !== undefined) {
      return Promise.resolve(key);
    }
    return this.closed ? Promise.resolve(undefined) : new Promise((resolve) => this.takers.push(resolve));
  }

  /**
   * Ends the work on a key; it waits again at once if it was added meanwhile.
   * @param restMs milliseconds for which the key is left alone, as if it were still being worked on
   */
  public done(key: string, restMs = 0): void {
    if (restMs > 0 && !this.closed) {
      this.clock.schedule(() => this.done(key), restMs);
      return;
    }
    this.processing.delete(key);
    const waiting = this.dirty.get(key);
    if (waiting !== undefined) {
      this.againCount--;
      this.line(key, waiting.low);
    }
    if (this.closed && this.processing.size === 0) {
      this.idleWaiters.splice(0).forEach((resolve) => resolve());
    }
  }

  /** Takes no more keys and drops those that wait or are delayed; resolves when the work going on is done. */
  public shutDown(): Promise<void> {
    this.closed = true;
    this.dirty.clear();
    this.againCount = 0;
    this.high.clear();
    this.low.clear();
    this.delayed.forEach(({ timer }) => timer.cancel());
    this.delayed.clear();
    for (let taker = this.takers.shift(); taker !== undefined; taker = this.takers.shift()) {
      taker(undefined);
    }
    return this.processing.size === 0 ? Promise.resolve() : new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  private line(key: string, low: boolean): void {
    (low ? this.low : this.high).push(key);
    const taker = this.takers.shift();
    if (taker !== undefined) {
      taker(this.nextKey());
    }
  }

  private turnWindow(): void {
    const now = this.clock.monotonic();
    const windows = Math.floor((now - this.taken.since) / PACE_WINDOW_MS);
    if (windows >= 1) {
      Object.assign(this.taken, { since: now, now: 0, before: windows === 1 ? this.taken.now : 0 });
    }
  }

  /** The next key that is due, now being processed. */
  private nextKey(): string | undefined {
    for (const line of [this.high, this.low]) {
      for (let key = line.shift(); key !== undefined; key = line.shift()) {
        // A key that was lifted to the higher line is left behind in the lower one.
        if (this.dirty.get(key)?.low === (line === this.low) && !this.processing.has(key)) {
          this.dirty.delete(key);
          this.processing.set(key, this.clock.monotonic());
          this.turnWindow();
          this.taken.now++;
          return key;
        }
      }
    }
    return undefined;
  }
}
