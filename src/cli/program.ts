/** The program `trainyard`, whichever of its commands it has. */
import { Command } from 'commander';
import { packageVersion } from './version';

const DETAILS = `
Exit codes are 0 for success, 1 when a check fails (a job failed, a manifest is not valid, something differs), and 2 when the
command could not run: a wrong command line, a missing file. Run trainyard COMMAND --help for details.`;

/** Builds the program. It throws where commander would end the process. */
export function programWith(commands: readonly Command[]): Command {
  const program = new Command('trainyard')
    .description('Run, check and deploy machine-learning training jobs, on this machine and on a cluster.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'trainyard: ')) })
    .addHelpText('after', DETAILS)
    .exitOverride();
  commands.forEach((command) => program.addCommand(command.copyInheritedSettings(program)));
  return program;
}
