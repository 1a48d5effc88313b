/** A wrong command line or a wrong file. The message is for the user, so no stack trace is shown. */
export class CliError extends Error {
  public readonly name = 'CliError';
}

/** Exit code for {@link CliError}: nothing was executed. */
export const USAGE_EXIT_CODE = 2;
