/** A file of its own, so that its users do not load the runner. */
import { formatViolation, type Violation } from '../../model/violations';

/** A job with mistakes. */
export class InvalidJobError extends Error {
  public readonly name = 'InvalidJobError';

  public constructor(jobName: string, public readonly violations: readonly Violation[]) {
    const count = violations.length === 1 ? 'a problem' : `${violations.length} problems`;
    super(`Job '${jobName}' has ${count}:\n${violations.map((violation) => `  ${formatViolation(violation)}`).join('\n')}`);
  }
}
