/** A command line from its words to its exit code. Apart from main.ts, which makes a process of it. */
import { CommanderError, type Command } from 'commander';
import { CliError, USAGE_EXIT_CODE } from './cli-error';
import { programWith } from './program';
import { versionCommand } from './version';
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

/** Commands that know nothing of the others, each in a part of the bundle of its own. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  init: async () => (await import('./commands/init')).initCommand(),
  run: async () => (await import('./commands/run')).runCommand(),
  dev: async () => (await import('./commands/dev')).devCommand(),
  validate: async () => (await import('./commands/validate')).validateCommand(),
  env: async () => (await import('./commands/env')).envCommand(),
  explain: async () => (await import('./commands/explain')).explainCommand(),
  doctor: async () => (await import('./commands/doctor')).doctorCommand(),
  graph: async () => (await import('./commands/graph')).graphCommand(),
  ui: async () => (await import('./commands/ui')).uiCommand(),
  diff: async () => (await import('./commands/diff')).diffCommand(),
  drift: async () => (await import('./commands/drift')).driftCommand(),
  cost: async () => (await import('./commands/cost')).costCommand(),
  migrate: async () => (await import('./commands/migrate')).migrateCommand(),
  submit: async () => (await import('./jobs/commands/submit')).submitCommand(),
  list: async () => (await import('./jobs/commands/list')).listCommand(),
  status: async () => (await import('./jobs/commands/status')).statusCommand(),
  logs: async () => (await import('./jobs/commands/logs')).logsCommand(),
  exec: async () => (await import('./jobs/commands/exec')).execCommand(),
  'port-forward': async () => (await import('./jobs/commands/port-forward')).portForwardCommand(),
  open: async () => (await import('./jobs/commands/open')).openCommand(),
  cp: async () => (await import('./jobs/commands/cp')).cpCommand(),
  top: async () => (await import('./jobs/commands/top')).topCommand(),
  wait: async () => (await import('./jobs/commands/wait')).waitCommand(),
  suspend: async () => (await import('./jobs/commands/suspend')).suspendCommand(),
  resume: async () => (await import('./jobs/commands/suspend')).resumeCommand(),
  scale: async () => (await import('./jobs/commands/scale')).scaleCommand(),
  rerun: async () => (await import('./jobs/commands/rerun')).rerunCommand(),
  delete: async () => (await import('./jobs/commands/delete')).deleteCommand(),
  push: async () => (await import('./commands/push')).pushCommand(),
  promote: async () => (await import('./commands/promote')).promoteCommand(),
  ci: async () => (await import('./commands/ci')).ciCommand(),
  version: () => Promise.resolve(versionCommand()),
};

/**
 * Builds the program for a first word.
 *
 * The program with no more than it needs for one command: all of them together take longer to read than most take to run.
 * @returns undefined for what needs all commands, such as help, or a command that does not exist
 */
export async function programFor(word: string | undefined): Promise<Command | undefined> {
  if (word === '-V' || word === '--version') {
    return programWith([]);
  }
  return word !== undefined && Object.hasOwn(COMMANDS, word) ? programWith([await COMMANDS[word]()]) : undefined;
}
