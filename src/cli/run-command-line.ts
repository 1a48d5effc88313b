import { CommanderError } from 'commander';
import { CliError, USAGE_EXIT_CODE } from './cli-error';
import { commandLine, programFor } from './command-line';
import { InvalidJobError } from '../local/runner/invalid-job-error';
import { printableLines } from '../model/text/printable';

/** Runs a command to its end, and sets `process.exitCode`. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    const program = await programFor(args[0]) ?? await commandLine();
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Reports the error. An error that the user cannot fix shows its stack trace if TRAINYARD_DEBUG is set. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has written its message. Help and version also come here.
    return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  }
  if (error instanceof CliError || error instanceof InvalidJobError) {
    console.error(printableLines(`trainyard: ${error.message}`));
    return USAGE_EXIT_CODE;
  }
  console.error(printableLines(error instanceof Error ? `trainyard: ${process.env.TRAINYARD_DEBUG ? error.stack : error.message}` : String(error)));
  return 1;
}
