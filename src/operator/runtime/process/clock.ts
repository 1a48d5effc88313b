/**
 * Time as a dependency: everything in the runtime that waits or measures takes a {@link Clock}, so that tests drive
 * minutes of backoff, lease expiry and resync in milliseconds.
 */
import { setMaxListeners } from 'node:events';

/** A pending timer of a {@link Clock}; opaque to its user. */
export interface Timer {
  /** Stops the timer; a timer that has already fired is left as it is. */
  cancel(): void;
}

/** Source of time and of timers. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch: for timestamps that are shown or stored, never for durations. */
  now(): number;
  /** Monotonic time in milliseconds from an arbitrary start: for durations and deadlines; wall-clock jumps do not move it. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds (a negative or zero delay means as soon as possible; `Infinity` means never).
   * Any finite length is allowed, unlike `setTimeout` of Node.js.
   */
  schedule(callback: () => void, delayMs: number): Timer;
}

/** Longest delay that `setTimeout` of Node.js takes; anything longer fires at once there, so longer delays are chained. */
const LONGEST_NATIVE_DELAY_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export class SystemClock implements Clock {
  public now(): number {
    return Date.now();
  }

  public monotonic(): number {
    return performance.now();
  }

  public schedule(callback: () => void, delayMs: number): Timer {
    if (delayMs === Infinity) {
      return { cancel: () => undefined };
    }
    // A job's deadline or TTL may be months away; `setTimeout` would fire at once.
    const dueAt = this.monotonic() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (remainingMs: number): void => {
      handle =
        remainingMs > LONGEST_NATIVE_DELAY_MS
          ? setTimeout(() => arm(dueAt - this.monotonic()), LONGEST_NATIVE_DELAY_MS)
          : setTimeout(callback, Math.max(0, remainingMs));
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  }
}

/** The shared {@link SystemClock}: the default wherever a clock is optional. */
export const SYSTEM_CLOCK: Clock = new SystemClock();

/**
 * Waits `delayMs` milliseconds of `clock`, or less when `signal` aborts.
 * Resolves in both cases: a loop asks its signal next, and a stop is not an error.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      timer.cancel();
      forget();
      resolve();
    };
    const timer = clock.schedule(finish, delayMs);
    const forget = onAbort(signal, finish);
  });
}

/**
 * Calls `listener` once when `signal` aborts, or at once if it has; returns what takes that back.
 *
 * A signal that many requests and loops share has many listeners by design, so Node.js's warning of a leak at the eleventh is switched
 * off for it. Each listener is taken back when its request or loop ends.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) {
    return () => undefined;
  }
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  setMaxListeners(Infinity, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A difference that is no jump: clocks are adjusted by little and little all the time. Milliseconds. */
const TOLERANCE_MS = 2_000;

/** Notices when the wall clock was set, or the machine slept: both clocks no longer went on by the same amount. */
export class ClockWatch {
  private offset: number;
  private jumpedAt?: number;

  public constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.offset = clock.now() - clock.monotonic();
  }

  /** Wall time of the last jump that was noticed, milliseconds since the epoch; undefined when there was none. To be asked at each look. */
  public steadySince(): number | undefined {
    const now = this.clock.now();
    const offset = now - this.clock.monotonic();
    if (Math.abs(offset - this.offset) > TOLERANCE_MS) {
      this.jumpedAt = now;
    }
    this.offset = offset;
    return this.jumpedAt;
  }
}
