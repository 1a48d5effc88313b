/**
 * Schedules as cron writes them, in the dialect that the CronJob controller and the Spark operator read (robfig/cron v3, its standard parser): five
 * fields or a descriptor such as `@daily`; days of the week are 0 to 6 and not 7; time zones are next to the schedule.
 * @see https://pkg.go.dev/github.com/robfig/cron/v3#ParseStandard
 */
import { ViolationCollector, didYouMean, type Violation } from './violations';

/** When something happens, again and again. */
export interface ScheduleSpec {
  readonly schedule: string;
  /** Name in the IANA database. @default - that of the controller's machine */
  readonly timeZone?: string;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that stand for numbers from `min` on. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { name: 'day of the week', min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

const DESCRIPTORS: readonly string[] = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Longest schedule, in characters; a list of all minutes has 169. */
const MAX_LENGTH = 1_000;

/** Durations of Go, as `@every` has them. */
const DURATION = /^([0-9]+(\.[0-9]+)?(h|m|s|ms))+$/;

/** Days of the months in a leap year. */
const DAYS: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Checks a schedule. @param path of the schedule; that of the time zone has the same parent */
export function validateSchedule({ schedule, timeZone }: ScheduleSpec, path: string): Violation[] {
  const violations = new ViolationCollector();
  if (schedule.length > MAX_LENGTH) {
    violations.add(path, schedule, `has ${schedule.length} characters, and the maximum is ${MAX_LENGTH}. Use ranges and steps, such as '*/5 * * * *'.`);
  } else if (/^(CRON_)?TZ=/.test(schedule)) {
    violations.add(path, schedule, 'contains a time zone, which has its own field. Use timeZone.');
  } else {
    checkExpression(schedule, path, violations);
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    violations.add(path.replace(/schedule$/, 'timeZone'), timeZone, 'is not a time zone of the IANA database. Use a name such as Europe/Berlin or Etc/UTC.');
  }
  return violations.violations;
}

function checkExpression(schedule: string, path: string, violations: ViolationCollector): void {
  if (schedule.startsWith('@')) {
    const [word, duration, ...rest] = schedule.split(' ');
    const isEvery = word === '@every' && rest.length === 0 && DURATION.test(duration ?? '');
    if (!isEvery && !(DESCRIPTORS.includes(word) && duration === undefined)) {
      violations.add(path, schedule, `must be one of ${DESCRIPTORS.join(', ')}, or @every with a duration such as 6h30m.${didYouMean(word, [...DESCRIPTORS, '@every'])}`);
    }
    return;
  }
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    violations.add(path, schedule, `must have five fields (minute, hour, day of the month, month, day of the week), but it has ${parts.length}. Example: '0 3 * * *'.`);
    return;
  }
  const values = parts.map((part, index) => valuesOf(part, FIELDS[index]));
  values.forEach((found, index) => {
    if (found === undefined) {
      const { name, min, max } = FIELDS[index];
      const sunday = name === 'day of the week' && parts[index].includes('7') ? ' Sunday is 0.' : '';
      violations.add(path, schedule, `has '${parts[index]}' as its ${name}, which must be a number from ${min} to ${max}, a range, '*', or a list of them, with '/' before a step.${sunday}`);
    }
  });
  const [, , days, months] = values;
  // With a day of the week too, either of the two is enough.
  if (days !== undefined && months !== undefined && isAny(parts[4]) && !months.some((month) => days.some((day) => day <= DAYS[month - 1]))) {
    violations.add(path, schedule, `never fires: day ${parts[2]} does not exist in its months (${parts[3]}). Change the day or the month.`);
  }
}

function isAny(part: string): boolean {
  return part === '*' || part === '?';
}

/** Numbers that a field stands for, each once; undefined when it is none. */
function valuesOf(part: string, field: Field): number[] | undefined {
  const found = new Set<number>();
  for (const item of part.split(',')) {
    const match = /^(\*|\?|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/([0-9]+))?$/i.exec(item);
    if (match === null) {
      return undefined;
    }
    const [, first, last, step] = match;
    const from = isAny(first) ? field.min : numberOf(first, field);
    const to = isAny(first) || (last === undefined && step !== undefined) ? field.max : numberOf(last ?? first, field);
    if (from === undefined || to === undefined || from > to || (isAny(first) && last !== undefined) || Number(step ?? 1) === 0) {
      return undefined;
    }
    for (let value = from; value <= to; value += Number(step ?? 1)) {
      found.add(value);
    }
  }
  return [...found];
}

function numberOf(text: string, { min, max, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + min : Number(text);
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

/** Node's own copy of the database; links such as `US/Pacific` are in it too. */
function isTimeZone(name: string): boolean {
  // An offset such as +01:00 is taken by Intl and refused by Go.
  if (!/^[A-Za-z]/.test(name)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
