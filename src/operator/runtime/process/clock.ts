/**
 * Time as a dependency: everything in the runtime that waits or measures takes a {@link Clock}, so that tests drive
 * minutes of backoff, lease expiry and resync in milliseconds.
 */
import { onAbort } from './abort';

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
