/** The objective of a trial: from what its script reported, or from what it wrote last. */
import type { TrainingJobStatus } from '../training-job/status';

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
 * The last `NAME=VALUE`, `NAME: VALUE` or `"NAME": VALUE` of a log. The last one counts even when it is no number: a training that ended with
 * `loss=nan` has no better value than that.
 */
export function loggedObjective(log: string, objective: string): ObjectiveReading {
  const name = objective.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w./-])["']?${name}["']?\\s*[=:]\\s*["']?([^\\s,;"'}\\])]+)`, 'g');
  let last: string | undefined;
  for (const match of log.matchAll(pattern)) {
    last = match[1];
  }
  return last === undefined
    ? {
      reason: 'ObjectiveMissing',
      message: `The trial has succeeded without a value of ${objective}: report it as a metric, or write a line with ${objective}=VALUE among the last `
        + `${OBJECTIVE_LOG_LINES}`,
    }
    : readingOf(last, objective, 'The last line with it says');
}

function readingOf(text: string, objective: string, who: string): ObjectiveReading {
  // A number at the end of a sentence has its full stop.
  const value = /\d/.test(text) ? Number(text.replace(/\.$/, '')) : NaN;
  return Number.isFinite(value)
    ? { value }
    : { reason: 'ObjectiveNotANumber', message: `${who} ${objective}=${text.slice(0, 64)}, which is no finite number` };
}
