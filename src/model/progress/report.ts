/**
 * What a script sends: Kubeflow Trainer's `{"trainerStatus": {...}}`, and next to it, which Trainer's clients do not send and its server would
 * ignore, `"checkpoint": {"path", "step"}`. Limits on `trainerStatus` are those of Trainer v2.3's definition; as in Go, null is absent and unknown
 * fields are ignored.
 */
import { MAX_METRICS, type TrainerStatus } from '../training-job/status/status';
import { timeText } from '../text/times';
import { ViolationCollector, type Violation } from '../violations';
import { isRecord, type JsonRecord } from '../json-parts';
import { defined } from '../lists';
import { INT32_MAX } from '../shapes';

/** Longest name and longest value of a metric. */
const METRIC_MAX_LENGTH = 64;

/** Longest path of a checkpoint, as in `spec.checkpoint.resumeFrom`. */
const CHECKPOINT_PATH_MAX_LENGTH = 4096;

/** A 32-bit integer, as in Trainer. */

export interface ReportedCheckpoint {
  readonly path: string;
  /** Training step that it holds. */
  readonly step?: number;
}

/** A report that keeps all rules. Empty when there is nothing to store. */
export interface ProgressReport {
  readonly trainerStatus?: TrainerStatus & { readonly lastUpdatedTime: string };
  readonly checkpoint?: ReportedCheckpoint;
}

/** A report, or what is wrong with it. */
export type ParsedReport = { readonly report: ProgressReport } | { readonly violations: readonly Violation[] };

/** Reads the body of a request. Never throws. */
export function parseProgressReport(body: string): ParsedReport {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    return { violations: [{ path: 'body', value: undefined, message: `is not valid JSON: ${(error as Error).message}` }] };
  }
  const violations = new ViolationCollector();
  const fields = fieldsOf(parsed, 'body', violations);
  const report: ProgressReport = defined({
    trainerStatus: trainerStatus(fields?.trainerStatus, violations),
    checkpoint: checkpoint(fields?.checkpoint, violations),
  });
  return violations.violations.length > 0 ? { violations: violations.violations } : { report };
}

function trainerStatus(value: unknown, violations: ViolationCollector): ProgressReport['trainerStatus'] {
  const fields = fieldsOf(value, 'trainerStatus', violations);
  if (fields === undefined) {
    return undefined;
  }
  return defined({
    progressPercentage: integer(fields.progressPercentage, 'trainerStatus.progressPercentage', 100, violations),
    estimatedRemainingSeconds: integer(fields.estimatedRemainingSeconds, 'trainerStatus.estimatedRemainingSeconds', INT32_MAX, violations),
    metrics: metrics(fields.metrics, violations),
    lastUpdatedTime: time(fields.lastUpdatedTime, violations),
  });
}

function metrics(value: unknown, violations: ViolationCollector): TrainerStatus['metrics'] {
  if (isAbsent(value)) {
    return undefined;
  }
  if (!Array.isArray(value)) {
    violations.add('trainerStatus.metrics', value, 'must be a list of {"name", "value"}.');
    return undefined;
  }
  if (value.length > MAX_METRICS) {
    violations.add('trainerStatus.metrics', value.length, `has more than ${MAX_METRICS} entries. Send only the important ones.`);
    return undefined;
  }
  return value.map((entry: unknown, index) => {
    const path = `trainerStatus.metrics[${index}]`;
    const fields = fieldsOf(entry, path, violations);
    return {
      name: shortText(fields?.name, `${path}.name`, METRIC_MAX_LENGTH, violations),
      value: shortText(fields?.value, `${path}.value`, METRIC_MAX_LENGTH, violations),
    };
  });
}

function checkpoint(value: unknown, violations: ViolationCollector): ReportedCheckpoint | undefined {
  const fields = fieldsOf(value, 'checkpoint', violations);
  return fields && defined({
    path: shortText(fields.path, 'checkpoint.path', CHECKPOINT_PATH_MAX_LENGTH, violations),
    step: integer(fields.step, 'checkpoint.step', Number.MAX_SAFE_INTEGER, violations),
  });
}

function time(value: unknown, violations: ViolationCollector): string {
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(ms)) {
    violations.add('trainerStatus.lastUpdatedTime', value, isAbsent(value)
      ? 'is required when trainerStatus is present: the time of the report, RFC 3339.'
      : 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.');
    return '';
  }
  return timeText(ms);
}

function integer(value: unknown, path: string, most: number, violations: ViolationCollector): number | undefined {
  if (isAbsent(value)) {
    return undefined;
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    violations.add(path, value, `must be a whole number from 0 to ${most}.`);
    return undefined;
  }
  return value;
}

function shortText(value: unknown, path: string, most: number, violations: ViolationCollector): string {
  if (typeof value !== 'string' || value.length === 0 || [...value].length > most) {
    violations.add(path, value, `must be a string of 1 to ${most} characters.`);
    return '';
  }
  return value;
}

/** The fields of an object; undefined when it is absent, or none. */
function fieldsOf(value: unknown, path: string, violations: ViolationCollector): JsonRecord | undefined {
  if (isAbsent(value)) {
    return undefined;
  }
  if (!isRecord(value)) {
    violations.add(path, value, 'must be an object.');
    return undefined;
  }
  return value;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
