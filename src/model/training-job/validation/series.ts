/**
 * Jobs of a series, such as the points of a sweep or a loop of a program: they differ in digits of texts whose digits no rule reads. What holds for
 * one of them holds for all, so one is checked. Only that nothing is wrong is remembered; what is wrong is found again in each job, with its values.
 */
import type { TrainingJobSpec } from '../spec';

/** A job of a series that stands for all of it. */
interface Representative {
  readonly name: string;
  readonly spec: TrainingJobSpec;
}

/** The last of these, newest first: programs create jobs series by series, or some series in turns. */
const KNOWN: Representative[] = [];
const MAX_KNOWN = 16;

/** Whose rules found nothing. One for each set of rules. */
export class CheckedSeries {
  private readonly clean = new WeakSet<Representative>();

  /**
   * Asks rules about a job, of which nothing changes afterwards, unless they found nothing in another one of its series.
   * @param rules must depend on nothing but the job
   */
  public check<T>(name: string, spec: TrainingJobSpec, rules: () => T[]): T[] {
    const series = representativeOf(name, spec);
    if (this.clean.has(series)) {
      return [];
    }
    const found = rules();
    if (found.length === 0) {
      this.clean.add(series);
    }
    return found;
  }
}

/** What was asked last: several sets of rules are asked about a job, one behind the other. */
let last: Representative & { readonly series: Representative } | undefined;

function representativeOf(name: string, spec: TrainingJobSpec): Representative {
  if (last?.spec !== spec || last.name !== name) {
    let series = KNOWN.find((known) => isOfSeries(known, name, spec));
    if (series === undefined) {
      series = { name, spec };
      KNOWN.unshift(series);
      KNOWN.length = Math.min(KNOWN.length, MAX_KNOWN);
    }
    last = { name, spec, series };
  }
  return last.series;
}

/** Compares texts whose digits may differ, by the fields that contain them. */
const SERIAL = new Map<string, Comparison>([
  // A path in a container can be that of a volume, and the scheme says what kind of URL it is.
  ['checkpointPath', (one, other) => {
    const scheme = typeof one === 'string' ? /^[^:/]*:\/\//.exec(one)?.[0] : undefined;
    return scheme !== undefined && isAlike(one, other) && (other as string).startsWith(scheme);
  }],
  ['checkpoint', (one, other) => areSame(one, other, 1, (field) => (field === 'subPath' ? isAlike : undefined))],
  ['hyperparameters', (one, other) => areSame(one, other, 1, () => isAlike)],
]);

type Comparison = (one: unknown, other: unknown) => boolean;

function isOfSeries(known: Representative, name: string, spec: TrainingJobSpec): boolean {
  return isAlike(known.name, name) && areSame(known.spec, spec, 0, (field) => SERIAL.get(field));
}

/** Whether two texts differ in digits alone. With `$`, a text can refer to a variable, whose name counts. */
function isAlike(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'string' && typeof other === 'string' && one.length === other.length
    && !one.includes('$') && withoutDigits(one) === withoutDigits(other));
}

function withoutDigits(text: string): string {
  return text.replace(/[0-9]/g, '0');
}

/** Deeper values than those of any valid job are not compared: one may contain itself. */
const DEEPEST = 100;

/** @param serial how a field is compared that need not be the same */
function areSame(one: unknown, other: unknown, depth: number, serial?: (field: string) => Comparison | undefined): boolean {
  if (one === other) {
    return true;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || depth > DEEPEST) {
    return false;
  }
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other) || !isPlain(one)) {
    return false;
  }
  const [fields, others] = [one, other] as { readonly [field: string]: unknown }[];
  let count = 0;
  for (const field in fields) {
    count++;
    const mine = fields[field];
    const theirs = others[field];
    if (!(mine === theirs || serial?.(field)?.(mine, theirs) || areSame(mine, theirs, depth + 1)) || !Object.hasOwn(others, field)) {
      return false;
    }
  }
  for (const _field in others) {
    count--;
  }
  return count === 0;
}

/** What has a class of its own may have more to it than its fields. */
function isPlain(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
