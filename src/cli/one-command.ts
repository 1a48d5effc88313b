/** The program with no more than it needs for one command: all of them together take longer to read than most take to run. */
import type { Command } from 'commander';
import { programWith } from './program';
import { versionCommand } from './version';

/** Commands that know nothing of the others, each in a part of the bundle of its own. */
const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  init: async () => (await import('./commands/init')).initCommand(),
  run: async () => (await import('./commands/run')).runCommand(),
  dev: async () => (await import('./commands/dev')).devCommand(),
  validate: async () => (await import('./commands/validate')).validateCommand(),
  env: async () => (await import('./commands/env')).envCommand(),
  explain: async () => (await import('./commands/explain')).explainCommand(),
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
 * @returns undefined for what needs all commands, such as help, or a command that does not exist
 */
export async function programFor(word: string | undefined): Promise<Command | undefined> {
  if (word === '-V' || word === '--version') {
    return programWith([]);
  }
  return word !== undefined && Object.hasOwn(COMMANDS, word) ? programWith([await COMMANDS[word]()]) : undefined;
}
