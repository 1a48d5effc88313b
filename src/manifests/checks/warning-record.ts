/**
 * How a program passes its warnings to the command that runs it: `trainyard validate` shows them with its own, each once. The command names a file in
 * a variable, and the program adds a line of JSON to it for each warning instead of writing to standard error.
 */
import type { Finding } from '../../model/findings';

/** Variable with the path of the file. */
export const WARNING_RECORD_VARIABLE = 'TRAINYARD_WARNING_RECORD';

/** Variable that turns warnings into errors, by any value except an empty one and 0. */
export const STRICT_VARIABLE = 'TRAINYARD_STRICT';

/** A line of the file. */
export interface RecordedWarning {
  readonly construct: string;
  /** `TrainingJob 'NAME'`. */
  readonly subject: string;
  readonly finding: Finding;
}

/** Whether a value of {@link STRICT_VARIABLE} turns warnings into errors. */
export function isStrict(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
