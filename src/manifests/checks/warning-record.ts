/**
 * What a program tells the command that runs it about its warnings: `trainyard validate` shows them with its own, and each once. It names a file in a
 * variable, and the program adds a line of JSON for each warning instead of writing it to standard error.
 */
import type { Finding } from '../../model/findings';

/** Variable with the file. */
export const WARNING_RECORD_VARIABLE = 'TRAINYARD_WARNING_RECORD';

/** Variable that makes errors of warnings, by any value but an empty one and 0. */
export const STRICT_VARIABLE = 'TRAINYARD_STRICT';

/** A line of the file. */
export interface RecordedWarning {
  readonly construct: string;
  /** `TrainingJob 'NAME'`. */
  readonly subject: string;
  readonly finding: Finding;
}

/** Whether a value of {@link STRICT_VARIABLE} says so. */
export function isStrict(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
