import { Clock, Timer } from './clock';

/** Calls back, once, when the first of several named deadlines passes. Moving a deadline is cheap: it happens with each event of a watch. */
export class Watchdog {
  private readonly deadlines = new Map<string, number>();
  private timer?: Timer;
  private timerDueAt = Infinity;
  private done = false;

  /** @param onExpired gets the name of the deadline that passed. */
  public constructor(
    private readonly clock: Clock,
    private readonly onExpired: (name: string) => void,
  ) {}

  /** Sets or moves a deadline, `delayMs` milliseconds from now. */
  public expireIn(name: string, delayMs: number): void {
    const dueAt = this.clock.monotonic() + delayMs;
    this.deadlines.set(name, dueAt);
    // A timer that fires too early looks again, so only an earlier deadline needs a new one.
    if (dueAt < this.timerDueAt) {
      this.arm(dueAt);
    }
  }

  /** Ends the watchdog; it will not call back any more. */
  public stop(): void {
    this.done = true;
    this.timer?.cancel();
  }

  private arm(dueAt: number): void {
    if (this.done) {
      return;
    }
    this.timer?.cancel();
    this.timerDueAt = dueAt;
    this.timer = this.clock.schedule(() => this.check(), dueAt - this.clock.monotonic());
  }

  private check(): void {
    const [name, dueAt] = [...this.deadlines].reduce((first, next) => (next[1] < first[1] ? next : first));
    if (dueAt <= this.clock.monotonic()) {
      this.done = true;
      this.onExpired(name);
    } else {
      this.arm(dueAt);
    }
  }
}
