import { Fifo } from '../fifo';

/**
 * Bounds how many things happen at once; the others wait in order of arrival.
 *
 * The operator bounds concurrency, not requests per second (the client-go default of 20 a second makes a burst of 400 pods take 20 s):
 * the API server has its own flow control (priority and fairness) and says 429 when it wants less.
 */
export class RequestLimiter {
  private active = 0;
  private readonly waiting = new Fifo<() => void>();

  /** @param limit how many may be active together; at least 1. */
  public constructor(private readonly limit: number) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new Error(`Building a request limiter: the limit is ${limit}; it must be a whole number of at least 1.`);
    }
  }

  /** How many wait for their turn. */
  public get waitingCount(): number {
    return this.waiting.size;
  }

  /** Runs `task` when its turn comes; if `signal` has aborted by then, rejects with the signal's reason instead. */
  public async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.active >= this.limit) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.active++;
    }
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      this.passOn();
    }
  }

  /** Gives the place of a finished task to the next in line, or frees it. */
  private passOn(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.active--;
    } else {
      next();
    }
  }
}
