import { Fifo } from '../fifo';

/**
 * Bounds how many things happen at once; the others wait in order of arrival.
 *
 * The operator bounds concurrency, not requests per second (the client-go default of 20 a second makes a burst of 400 pods take 20 s):
 * the API server has its own flow control (priority and fairness) and says 429 when it wants less.
 */
export class RequestLimiter {
  private active = 0;
  private allowed = 0;
  private readonly waiting = new Fifo<() => void>();

  /** @param limit how many may be active together; at least 1. */
  public constructor(limit: number) {
    this.limit = limit;
  }

  /** How many may be active together. After it was lowered, those that are active end as they would have. */
  public get limit(): number {
    return this.allowed;
  }

  public set limit(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new Error(`Building a request limiter: the limit is ${limit}; it must be a whole number of at least 1.`);
    }
    this.allowed = limit;
    this.startNext();
  }

  /** How many wait for their turn. */
  public get waitingCount(): number {
    return this.waiting.size;
  }

  /** Runs `task` when its turn comes; if `signal` has aborted by then, rejects with the signal's reason instead. */
  public async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.active >= this.allowed) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.active++;
    }
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      this.active--;
      this.startNext();
    }
  }

  private startNext(): void {
    while (this.active < this.allowed && this.waiting.size > 0) {
      this.active++;
      this.waiting.shift()!();
    }
  }
}
