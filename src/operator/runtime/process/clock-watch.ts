/** Notices when the wall clock was set, or the machine slept: both clocks no longer went on by the same amount. */
import type { Clock } from './clock';

/** A difference that is no jump: clocks are adjusted by little and little all the time. Milliseconds. */
const TOLERANCE_MS = 2_000;

/** See the top of this file. */
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
