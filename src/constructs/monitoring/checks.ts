/** What options of monitoring have to be, and how it is said when they are not. */
import type { Duration } from 'cdk8s';
import type { Construct } from 'constructs';

/** Checks of the options of one construct. */
export class MonitoringChecks {
  /**
   * @param owner the construct that was given the options
   * @param kind its class
   * @param prefix of fields, such as `monitoring.`
   */
  public constructor(private readonly owner: Construct, private readonly kind: string, private readonly prefix = '') {}

  /** Refuses a value. @param rule completes "must be ..." */
  public fail(field: string, value: unknown, rule: string): never {
    throw new Error(`${this.kind} at '${this.owner.node.path}': ${this.prefix}${field} is ${String(value)} and must be ${rule}.`);
  }

  /** A part, from 0 to 1. */
  public part(field: string, value: number | undefined, of: string): void {
    if (value !== undefined && !(value >= 0 && value <= 1)) {
      this.fail(field, value, `a share of ${of}, from 0 to 1`);
    }
  }

  /** A percentage. */
  public percent(field: string, value: number | undefined): void {
    if (value !== undefined && !(value > 0 && value <= 100)) {
      this.fail(field, value, 'more than 0 and at most 100, in percent');
    }
  }

  /** A time that Prometheus can say. */
  public wholeSeconds(field: string, duration: Duration | undefined): void {
    if (duration !== undefined && !(duration.toMilliseconds() >= 1000 && Number.isInteger(duration.toMilliseconds() / 1000))) {
      this.fail(field, `${duration.toMilliseconds()} ms`, 'whole seconds, 1 or more');
    }
  }

  /** A time that a histogram can tell. */
  public positiveTime(field: string, duration: Duration | undefined): void {
    if (duration !== undefined && !(duration.toMilliseconds() > 0)) {
      this.fail(field, `${duration.toMilliseconds()} ms`, 'greater than zero');
    }
  }

  /** A number of things. */
  public atLeast(field: string, value: number | undefined, least: number): void {
    if (value !== undefined && !(Number.isFinite(value) && value >= least)) {
      this.fail(field, value, `a number, ${least} or more`);
    }
  }
}
