/** The commands, options and arguments of a program, for its completion. */
import type { Argument, Command, Option } from 'commander';
import { FIELD_PATHS } from '../../model/training-job/fields/field-paths';

/** Values of an option or argument. */
export type Completion =
  | { readonly words: readonly string[] }
  | { readonly paths: 'files' | 'folders' }
  /** Names of jobs, which the script reads from the cluster. */
  | { readonly jobs: true }
  /** Any text, so nothing is proposed. */
  | undefined;

export interface CompletedOption {
  /** `-e`, `--engine`: one of them, or both. */
  readonly flags: readonly string[];
  readonly description: string;
  /** The value of the option; absent for a switch. */
  readonly value?: { readonly name: string; readonly completion: Completion };
  /** Whether it can be given more than once. */
  readonly repeatable: boolean;
}

export interface CompletedArgument {
  readonly name: string;
  readonly completion: Completion;
  readonly variadic: boolean;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly CompletedArgument[];
}

/** A program with its sub-commands; its own name is the first thing on the line. */
export interface CompletedProgram extends CompletedCommand {
  readonly commands: readonly CompletedCommand[];
}

/** Completions by the names of values and arguments, which are between < and > in the help. */
const MEANINGS: { readonly [name: string]: (program: Command) => Completion } = {
  'file': () => ({ paths: 'files' }),
  'app': () => ({ paths: 'files' }),
  'place': () => ({ paths: 'files' }),
  'folder': () => ({ paths: 'folders' }),
  'command': (program) => ({ words: program.commands.map((command) => command.name()) }),
  'job': () => ({ jobs: true }),
  'field|job': () => ({ words: FIELD_PATHS.map((path) => path.replace(/\[\]/g, '')) }),
};

/** Reads a program. Commands and options are those of its help, in the order of it. */
export function completedProgram(program: Command): CompletedProgram {
  return { ...completed(program, program), commands: program.createHelp().visibleCommands(program).map((command) => completed(command, program)) };
}

function completed(command: Command, program: Command): CompletedCommand {
  return {
    name: command.name(),
    description: command.description(),
    options: command.createHelp().visibleOptions(command).map((option) => completedOption(option, program)),
    arguments: command.registeredArguments.map((argument) => completedArgument(argument, program)),
  };
}

function completedOption(option: Option, program: Command): CompletedOption {
  const [, name] = /[<[]([^<>[\].]*)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    ...(name !== undefined && { value: { name, completion: meaning(option.argChoices, name, program) } }),
    repeatable: option.variadic || Array.isArray(option.defaultValue),
  };
}

function completedArgument(argument: Argument, program: Command): CompletedArgument {
  return { name: argument.name(), completion: meaning(argument.argChoices, argument.name(), program), variadic: argument.variadic };
}

function meaning(choices: readonly string[] | undefined, name: string, program: Command): Completion {
  return choices !== undefined ? { words: choices } : MEANINGS[name]?.(program);
}
