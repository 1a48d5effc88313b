/** The program `trainyard` with all of its commands, without running any. */
import { Command } from 'commander';
import { ciCommand } from './ci';
import { completionCommand } from './completion';
import { costCommand } from './cost';
import { devCommand } from './dev';
import { diffCommand } from './diff';
import { driftCommand } from './drift';
import { envCommand } from './env';
import { explainCommand } from './explain';
import { graphCommand } from './graph';
import { initCommand } from './init';
import { migrateCommand } from './migrate';
import { promoteCommand } from './promote';
import { pushCommand } from './push';
import { runCommand } from './run';
import { validateCommand } from './validate';
import { packageVersion, versionCommand } from './version';

const DETAILS = `
Exit codes are 0 for success, 1 when a check fails (a job failed, a manifest is not valid, something differs), and 2 when the
command could not run: a wrong command line, a missing file. Run trainyard COMMAND --help for details.`;

/** Builds the program. It throws where commander would end the process. */
export function commandLine(): Command {
  const program = new Command('trainyard')
    .description('Run, check and deploy machine-learning training jobs, on this machine and on a cluster.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'trainyard: ')) })
    .addHelpText('after', DETAILS)
    .exitOverride();
  const commands = [
    initCommand(), runCommand(), devCommand(), validateCommand(), envCommand(), explainCommand(), graphCommand(), diffCommand(), driftCommand(),
    costCommand(), migrateCommand(), pushCommand(), promoteCommand(), ciCommand(), completionCommand(), versionCommand(),
  ];
  commands.forEach((command) => program.addCommand(command.copyInheritedSettings(program)));
  return program;
}
