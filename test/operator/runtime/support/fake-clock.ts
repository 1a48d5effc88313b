import { Clock, Timer } from '../../../../src/operator/runtime/process/clock';

interface FakeTimer {
  readonly dueAt: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Turns of the event loop that {@link FakeClock.advance} grants after each timer, so that promise chains settle in between. */
const SETTLE_TURNS = 3;

/** A clock that stands still until a test or a simulation advances it. Timers fire in order of their due time, then of their creation. */
export class FakeClock implements Clock {
  private elapsedMs = 0;
  private created = 0;
  private readonly timers = new Set<FakeTimer>();

  /** @param startMs what {@link now} says at first, in milliseconds since the epoch. */
  public constructor(private wallStartMs = Date.UTC(2030, 0, 1)) {}

  public now(): number {
    return this.wallStartMs + this.elapsedMs;
  }

  public monotonic(): number {
    return this.elapsedMs;
  }

  public schedule(callback: () => void, delayMs: number): Timer {
    const timer: FakeTimer = { dueAt: this.elapsedMs + Math.max(0, delayMs), order: this.created++, callback };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }

  /** Moves the wall clock by `byMs` without any time passing: what an administrator or NTP does. */
  public jumpWallClock(byMs: number): void {
    this.wallStartMs += byMs;
  }

  /** Lets time pass in which nothing runs, timers neither: a process that was stopped. They are due at the next {@link advance}. */
  public stopFor(byMs: number): void {
    this.elapsedMs += byMs;
  }

  /** How many timers wait. */
  public get pendingTimers(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next timer fires; undefined when none waits (or only ones that never fire). */
  public get nextTimerInMs(): number | undefined {
    const next = this.nextTimer();
    return next === undefined || next.dueAt === Infinity ? undefined : next.dueAt - this.elapsedMs;
  }

  /**
   * Lets `byMs` milliseconds pass, firing each timer that falls due, and letting promises (and local I/O that is ready) settle
   * before, between and after them.
   */
  public async advance(byMs: number): Promise<void> {
    const target = this.elapsedMs + byMs;
    await FakeClock.settle();
    for (;;) {
      const next = this.nextTimer();
      if (next === undefined || next.dueAt > target) {
        break;
      }
      this.elapsedMs = Math.max(this.elapsedMs, next.dueAt);
      this.timers.delete(next);
      next.callback();
      await FakeClock.settle();
    }
    this.elapsedMs = Math.max(this.elapsedMs, target);
  }

  /** Grants a few turns of the real event loop, without any fake time passing. */
  public static async settle(): Promise<void> {
    for (let turn = 0; turn < SETTLE_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private nextTimer(): FakeTimer | undefined {
    let next: FakeTimer | undefined;
    for (const timer of this.timers) {
      if (next === undefined || timer.dueAt < next.dueAt || (timer.dueAt === next.dueAt && timer.order < next.order)) {
        next = timer;
      }
    }
    return next;
  }
}
