/** Settings of a {@link Backoff} and of the retries of a work queue. */
export interface BackoffOptions {
  /** First delay in milliseconds, before jitter. */
  readonly initialMs: number;
  /** Largest delay in milliseconds, before jitter. */
  readonly maxMs: number;
  /** Part of a delay that is random: 0.5 draws from 50 % to 100 % of it. @default 0.5 */
  readonly jitter?: number;
}

/**
 * The delay before retry number `failures` (0 is the first): doubles from `initialMs` to `maxMs`, and jitter only ever shortens it,
 * so that `maxMs` is a bound and many clients that failed together do not come back together.
 */
export function backoffDelay(failures: number, options: BackoffOptions, random: () => number = Math.random): number {
  // 2 ** 1024 is Infinity and min() takes care of it, so any count is safe.
  const ceiling = Math.min(options.maxMs, options.initialMs * 2 ** failures);
  return ceiling * (1 - (options.jitter ?? 0.5) * random());
}

/** Counts consecutive failures of one thing and says how long to wait after each. */
export class Backoff {
  private count = 0;

  public constructor(
    private readonly options: BackoffOptions,
    private readonly random: () => number = Math.random,
  ) {}

  /** Consecutive failures so far. */
  public get failures(): number {
    return this.count;
  }

  /** Registers a failure; returns the delay in milliseconds before the next attempt. */
  public next(): number {
    return backoffDelay(this.count++, this.options, this.random);
  }

  /** Registers a success: the next failure starts from the first delay again. */
  public reset(): void {
    this.count = 0;
  }
}
