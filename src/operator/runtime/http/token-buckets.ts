/**
 * Token buckets by key: each key may do `perSecond` things a second, and `burst` at once after a rest. A bucket that is full again is the same as
 * none, so only keys of the last moments are remembered, and never more than `max` of them.
 */
import { SYSTEM_CLOCK, type Clock } from '../process/clock';

/** Settings of {@link TokenBuckets}. */
export interface TokenBucketsOptions {
  /** How fast a bucket is filled again. */
  readonly perSecond: number;
  /** What a full bucket holds. */
  readonly burst: number;
  /** Most keys that are remembered; the one that was not used for longest is forgotten first. @default 8192 */
  readonly max?: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_KEYS = 8_192;

/** See the top of this file. */
export class TokenBuckets {
  private readonly clock: Clock;
  /** From the one that was not used for longest to the newest. */
  private readonly buckets = new Map<string, Bucket>();

  public constructor(private readonly options: TokenBucketsOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** How many keys are remembered. */
  public get size(): number {
    return this.buckets.size;
  }

  /** Milliseconds until a token is there; 0 when one is there now. Takes none. */
  public waitMs(key: string): number {
    const { tokens } = this.filled(key);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / this.options.perSecond * 1000);
  }

  /** Takes a token. Look at {@link waitMs} first: a bucket may be overdrawn. */
  public take(key: string): void {
    this.change(key, -1);
  }

  /** Gives a token back. */
  public giveBack(key: string): void {
    this.change(key, 1);
  }

  private change(key: string, by: number): void {
    const { burst, max = MAX_KEYS } = this.options;
    const { tokens, at } = this.filled(key);
    this.buckets.delete(key);
    if (tokens + by >= burst) {
      return;
    }
    this.buckets.set(key, { tokens: tokens + by, at });
    if (this.buckets.size > max) {
      const [oldest] = this.buckets.keys();
      this.buckets.delete(oldest);
    }
  }

  private filled(key: string): Bucket {
    const { burst, perSecond } = this.options;
    const at = this.clock.monotonic();
    const known = this.buckets.get(key);
    return { at, tokens: known === undefined ? burst : Math.min(burst, known.tokens + (at - known.at) / 1000 * perSecond) };
  }
}
