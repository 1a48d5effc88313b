/** Sorts lines of several containers by the times that the kubelets write before them. */

export interface LogLine {
  /** RFC 3339 with nanoseconds, as the kubelet writes it; empty if it wrote none. */
  readonly time: string;
  readonly text: string;
}

/** Parses a line of a log with `timestamps=true`. */
export function logLine(written: string): LogLine {
  const end = written.indexOf(' ');
  const time = end < 0 ? written : written.slice(0, end);
  return /^\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)$/.test(time.slice(0, 40)) ? { time, text: end < 0 ? '' : written.slice(end + 1) } : { time: '', text: written };
}

/** Order of two times, which may have different numbers of digits and different zones. */
export function compareTimes(one: string, other: string): number {
  const byMilliseconds = (Date.parse(one) || 0) - (Date.parse(other) || 0);
  return byMilliseconds !== 0 ? byMilliseconds : fraction(one) - fraction(other);
}

function fraction(time: string): number {
  const [, digits = ''] = /\.(\d{1,9})/.exec(time.slice(0, 40)) ?? [];
  return Number(digits.padEnd(9, '0'));
}

/** Sorts lines of several sources that arrive within a window. Later ones are written as they come. */
export class LogMerger<T extends LogLine> {
  private held: T[] = [];
  private timer?: NodeJS.Timeout;

  /** @param windowMs how long a line waits for earlier ones of others; 0 holds all until {@link flush} */
  public constructor(private readonly windowMs: number, private readonly write: (line: T) => void) {}

  public add(line: T): void {
    this.held.push(line);
    if (this.windowMs > 0) {
      this.timer ??= setTimeout(() => this.flush(), this.windowMs);
    }
  }

  /** Writes the lines that are held. */
  public flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.held;
    this.held = [];
    // Stable: lines of one source stay in their order.
    lines.sort((one, other) => compareTimes(one.time, other.time)).forEach(this.write);
  }
}
