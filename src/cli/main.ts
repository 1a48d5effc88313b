/** The `trainyard` command. */
import { Command, CommanderError } from 'commander';
import { CliError, USAGE_EXIT_CODE } from './cli-error';
import { devCommand } from './dev';
import { diffCommand } from './diff';
import { envCommand } from './env';
import { explainCommand } from './explain';
import { migrateCommand } from './migrate';
import { runCommand } from './run';
import { validateCommand } from './validate';
import { packageVersion, versionCommand } from './version';
import { InvalidJobError } from '../local/runner/run-locally';

async function main(args: readonly string[]): Promise<void> {
  const program = new Command('trainyard')
    .description('Machine-learning training jobs: on this machine, on a cluster, and on the way there.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride();
  const commands = [
    runCommand(), devCommand(), validateCommand(), envCommand(), explainCommand(), diffCommand(), migrateCommand(), versionCommand(),
  ];
  for (const command of commands) {
    program.addCommand(command.exitOverride());
  }
  try {
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
    console.error(`trainyard: ${error.message}`);
    return USAGE_EXIT_CODE;
  }
  console.error(error instanceof Error ? `trainyard: ${process.env.TRAINYARD_DEBUG ? error.stack : error.message}` : error);
  return 1;
}

void main(process.argv.slice(2));
