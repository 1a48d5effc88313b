/** The program `trainyard` with all of its commands or with one of them, without running any. */
import { Command } from 'commander';
import { packageVersion, versionCommand } from './version';

const DETAILS = `
Exit codes are 0 for success, 1 when a check fails (a job failed, a manifest is not valid, something differs), and 2 when the
command could not run: a wrong command line, a missing file. Run trainyard COMMAND --help for details.`;

/** All commands, in the order of the help. Each is a part of the bundle of its own. */
const COMMANDS: { readonly [name: string]: () => Command | Promise<Command> } = {
  'init': async () => (await import('./commands/init')).initCommand(),
  'run': async () => (await import('./commands/run')).runCommand(),
  'dev': async () => (await import('./commands/dev')).devCommand(),
  'submit': async () => (await import('./jobs/commands/submit')).submitCommand(),
  'list': async () => (await import('./jobs/commands/list')).listCommand(),
  'status': async () => (await import('./jobs/commands/status')).statusCommand(),
  'logs': async () => (await import('./jobs/commands/logs')).logsCommand(),
  'exec': async () => (await import('./jobs/commands/exec')).execCommand(),
  'port-forward': async () => (await import('./jobs/commands/port-forward')).portForwardCommand(),
  'open': async () => (await import('./jobs/commands/open')).openCommand(),
  'cp': async () => (await import('./jobs/commands/cp')).cpCommand(),
  'top': async () => (await import('./jobs/commands/top')).topCommand(),
  'wait': async () => (await import('./jobs/commands/wait')).waitCommand(),
  'suspend': async () => (await import('./jobs/commands/suspend')).suspendCommand(),
  'resume': async () => (await import('./jobs/commands/suspend')).resumeCommand(),
  'scale': async () => (await import('./jobs/commands/scale')).scaleCommand(),
  'rerun': async () => (await import('./jobs/commands/rerun')).rerunCommand(),
  'delete': async () => (await import('./jobs/commands/delete')).deleteCommand(),
  'ui': async () => (await import('./commands/ui')).uiCommand(),
  'validate': async () => (await import('./commands/validate')).validateCommand(),
  'env': async () => (await import('./commands/env')).envCommand(),
  'explain': async () => (await import('./commands/explain')).explainCommand(),
  'doctor': async () => (await import('./commands/doctor')).doctorCommand(),
  'graph': async () => (await import('./commands/graph')).graphCommand(),
  'diff': async () => (await import('./commands/diff')).diffCommand(),
  'drift': async () => (await import('./commands/drift')).driftCommand(),
  'cost': async () => (await import('./commands/cost')).costCommand(),
  'migrate': async () => (await import('./commands/migrate')).migrateCommand(),
  'push': async () => (await import('./commands/push')).pushCommand(),
  'promote': async () => (await import('./commands/promote')).promoteCommand(),
  'ci': async () => (await import('./commands/ci')).ciCommand(),
  'completion': async () => (await import('./commands/completion')).completionCommand(),
  'version': versionCommand,
};

/** Builds the program with all commands. It throws where commander would end the process. */
export async function commandLine(): Promise<Command> {
  return programWith(await Promise.all(Object.values(COMMANDS).map((load) => load())));
}

/**
 * Builds the program for its first argument, with only the command that is needed: loading all of them takes longer than most take to run.
 * @returns undefined if all commands are needed, as for help, for completion or for a command that does not exist
 */
export async function programFor(word: string | undefined): Promise<Command | undefined> {
  if (word === '-V' || word === '--version') {
    return programWith([]);
  }
  return word !== undefined && word !== 'completion' && Object.hasOwn(COMMANDS, word) ? programWith([await COMMANDS[word]()]) : undefined;
}

function programWith(commands: readonly Command[]): Command {
  const program = new Command('trainyard')
    .description('Run, check and deploy machine-learning training jobs, on this machine and on a cluster.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'trainyard: ')) })
    .addHelpText('after', DETAILS)
    .exitOverride();
  commands.forEach((command) => program.addCommand(command.copyInheritedSettings(program)));
  return program;
}
