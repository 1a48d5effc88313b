/**
 * Bounds how many requests are in flight by what the API server can take: several replicas of the operator, or one with a small API server, can have
 * so many under way that each waits for seconds, and the renewal of a Lease with them.
 *
 * Lease requests are not limited, have seats of their own in the API server and meet no webhook, so the time that one takes tells how busy the server
 * is. The limit is halved when one has taken {@link SLOW_MS}, or when the server answers 429. It grows by an eighth of the configured one for each
 * that is quick, and by one for as many successful other requests as it allows. A request that was sent before the last halving has waited behind
 * more than is in flight now, so it halves nothing.
 */
import { isApiError } from './api-error';
import { RequestLimiter } from './request-limiter';
import type { Clock } from '../process/clock';

/** A Lease request that takes longer means that the server has too much to do; a third of the time after which it is given up. Milliseconds. */
const SLOW_MS = 1_000;

/** One that takes less means that the server could do more. Milliseconds. */
const QUICK_MS = 250;

/** The limit does not fall below this. */
const LEAST = 8;

/** See the top of this file. */
export class AdaptiveLimiter {
  private readonly limiter: RequestLimiter;
  private halvedAt = -Infinity;
  private exact: number;

  /** @param most requests in flight while the server is quick; at least 1 */
  public constructor(private readonly most: number, private readonly clock: Clock) {
    this.limiter = new RequestLimiter(most);
    this.exact = most;
  }

  /** How many requests may be in flight at this moment. */
  public get limit(): number {
    return this.limiter.limit;
  }

  /** Sends a request when its turn comes. */
  public async limited<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.limiter.run(async () => {
      const sentAt = this.clock.monotonic();
      try {
        const answer = await send();
        this.grow(1 / this.exact);
        return answer;
      } catch (error) {
        if (isApiError(error, 'isTooManyRequests')) {
          this.halve(sentAt);
        }
        throw error;
      }
    }, signal);
  }

  /** Sends a request of a Lease at once. */
  public async urgent<T>(send: () => Promise<T>): Promise<T> {
    const sentAt = this.clock.monotonic();
    const slow = this.clock.schedule(() => this.halve(sentAt), SLOW_MS);
    try {
      const answer = await send();
      if (this.clock.monotonic() - sentAt < QUICK_MS) {
        this.grow(this.most / 8);
      }
      return answer;
    } finally {
      slow.cancel();
    }
  }

  private halve(sentAt: number): void {
    if (sentAt > this.halvedAt) {
      this.halvedAt = this.clock.monotonic();
      this.set(Math.max(LEAST, this.exact / 2));
    }
  }

  private grow(by: number): void {
    if (this.exact < this.most) {
      this.set(this.exact + by);
    }
  }

  private set(limit: number): void {
    this.exact = Math.min(this.most, limit);
    this.limiter.limit = Math.floor(this.exact);
  }
}
