/** The program `trainyard` with all of its commands, without running any. */
import { Command } from 'commander';
import { ciCommand } from './commands/ci';
import { completionCommand } from './commands/completion';
import { costCommand } from './commands/cost';
import { devCommand } from './commands/dev';
import { diffCommand } from './commands/diff';
import { driftCommand } from './commands/drift';
import { envCommand } from './commands/env';
import { explainCommand } from './commands/explain';
import { graphCommand } from './commands/graph';
import { initCommand } from './commands/init';
import { migrateCommand } from './commands/migrate';
import { promoteCommand } from './commands/promote';
import { pushCommand } from './commands/push';
import { runCommand } from './commands/run';
import { validateCommand } from './commands/validate';
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
