/** The objective of a trial: from what its script reported, or from what it wrote last. */
import { expressionOf } from '../text/expressions';
import { OBJECTIVE_MAX_LENGTH, OBJECTIVE_PATTERN } from '../training-job/fields/features';
import type { TrainingJobStatus } from '../training-job/status/status';

/** One character each, of the text around a name. */
const PART_OF_A_NAME = /[\w./-]/;
const QUOTE = /["']/;
const BLANK = /[^\S\n\r]/;
const BEHIND_A_VALUE = /[\s,;"'}\])]/;

const OBJECTIVE = expressionOf(OBJECTIVE_PATTERN);

/** A value, or in words why there is none. */
export interface ObjectiveReading {
  readonly value?: number;
  /** CamelCase. Present when `value` is not. */
  readonly reason?: 'ObjectiveMissing' | 'ObjectiveNotANumber';
  readonly message?: string;
}

/** Number of log lines, from the end, in which the objective is looked for. */
export const OBJECTIVE_LOG_LINES = 500;

/** Most bytes of them. */
export const OBJECTIVE_LOG_BYTES = 1024 * 1024;

/** The metric among those that the script reported over HTTP; undefined when it is not there. */
export function reportedObjective(status: TrainingJobStatus, objective: string): ObjectiveReading | undefined {
  const metric = status.trainerStatus?.metrics?.find(({ name }) => name === objective);
  return metric && readingOf(metric.value, objective, 'The script reported');
}

/**
 * The last `NAME=VALUE`, `NAME: VALUE` or `"NAME": VALUE` of a log. The last one counts even when it is not a number: a training that ended with
 * `loss=nan` has no better value than that.
 */
export function loggedObjective(log: string, objective: string): ObjectiveReading {
  // A job that was stored under older rules may have any text for a name, which no log can be searched for.
  const last = OBJECTIVE.test(objective.slice(0, OBJECTIVE_MAX_LENGTH + 1)) ? lastValueOf(log, objective) : undefined;
  return last === undefined
    ? {
      reason: 'ObjectiveMissing',
      message: `The trial has succeeded without a value of ${objective}: report it as a metric, or print a line with ${objective}=VALUE among the last `
        + `${OBJECTIVE_LOG_LINES}`,
    }
    : readingOf(last, objective, 'The last line with it reports');
}

/**
 * Written by hand and not as an expression: the log is whatever a script prints, and the name is the user's. Each character is looked at a few
 * times at most: a name holds neither blanks nor quotes nor a sign that assigns, so that no name begins in what was skipped behind another.
 */
function lastValueOf(log: string, name: string): string | undefined {
  let last: string | undefined;
  let from = log.indexOf(name);
  while (from !== -1) {
    const start = from > 0 && PART_OF_A_NAME.test(log[from - 1]) ? undefined : valueStart(log, from + name.length);
    const end = start === undefined ? from + 1 : valueEnd(log, start);
    if (start !== undefined && end > start) {
      last = log.slice(start, end);
    }
    from = log.indexOf(name, end);
  }
  return last;
}

/** Where the value begins that is assigned behind a name; undefined when nothing is. */
function valueStart(log: string, behindName: number): number | undefined {
  const sign = skipBlanks(log, QUOTE.test(log[behindName] ?? '') ? behindName + 1 : behindName);
  if (log[sign] !== '=' && log[sign] !== ':') {
    return undefined;
  }
  const value = skipBlanks(log, sign + 1);
  return QUOTE.test(log[value] ?? '') ? value + 1 : value;
}

function skipBlanks(log: string, from: number): number {
  let at = from;
  while (at < log.length && BLANK.test(log[at])) {
    at++;
  }
  return at;
}

function valueEnd(log: string, from: number): number {
  let at = from;
  while (at < log.length && !BEHIND_A_VALUE.test(log[at])) {
    at++;
  }
  return at;
}

function readingOf(text: string, objective: string, who: string): ObjectiveReading {
  // A number at the end of a sentence has its full stop.
  const value = /\d/.test(text) ? Number(text.replace(/\.$/, '')) : NaN;
  return Number.isFinite(value)
    ? { value }
    : { reason: 'ObjectiveNotANumber', message: `${who} ${objective}=${text.slice(0, 64)}, which is not a finite number` };
}
