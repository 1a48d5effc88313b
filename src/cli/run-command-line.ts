/** A command line from its words to its exit code. Apart from main.ts, which makes a process of it. */
import { CommanderError } from 'commander';
import { CliError, USAGE_EXIT_CODE } from './cli-error';
import { programFor } from './one-command';
import { InvalidJobError } from '../local/runner/invalid-job-error';
import { printableLines } from '../model/text/printable';

/** Runs a command to its end, and leaves how it ended in `process.exitCode`. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    const program = await programFor(args[0]) ?? (await import('./command-line')).commandLine();
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Tells the user what is wrong. Anything that is not the user's to mend shows where it happened. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has written its message; help and version come this way too.
    return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  }
  if (error instanceof CliError || error instanceof InvalidJobError) {
    console.error(printableLines(`trainyard: ${error.message}`));
    return USAGE_EXIT_CODE;
  }
  console.error(printableLines(error instanceof Error ? `trainyard: ${process.env.TRAINYARD_DEBUG ? error.stack : error.message}` : String(error)));
  return 1;
}
