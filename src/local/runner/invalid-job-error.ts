/** Apart from what runs jobs: whoever tells of the error need not read all of that. */
import { formatViolation, type Violation } from '../../model/violations';

/** A job that cannot run as it is written. */
export class InvalidJobError extends Error {
  public readonly name = 'InvalidJobError';

  public constructor(jobName: string, public readonly violations: readonly Violation[]) {
    const count = violations.length === 1 ? 'a problem' : `${violations.length} problems`;
    super(`Job '${jobName}' has ${count}:\n${violations.map((violation) => `  ${formatViolation(violation)}`).join('\n')}`);
  }
}
