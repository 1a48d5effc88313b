/** A command that was given wrongly, or a file that does not hold what it should: the message is for the user, and no stack trace helps. */
export class CliError extends Error {
  public readonly name = 'CliError';
}

/** Exit code for {@link CliError}: nothing was run. */
export const USAGE_EXIT_CODE = 2;
