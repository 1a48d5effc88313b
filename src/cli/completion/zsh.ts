/** The completion of zsh: sourced, or as the file `_trainyard` in a folder of `$fpath`. @see https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
import type { CompletedArgument, CompletedCommand, CompletedOption, CompletedProgram, Completion } from './command-tree';
import { programText } from '../../programs/program-text';

/** Writes tables of commands and options, and the functions that read them. */
export function zshScript({ options, commands }: CompletedProgram): string {
  return [
    '#compdef trainyard',
    '# zsh completion of trainyard, written by: trainyard completion zsh',
    `typeset -ga _trainyard_options=(${options.map(optionSpec).join(' ')})`,
    'typeset -ga _trainyard_commands=(',
    ...commands.map((command) => `  ${quoted(`${command.name.replaceAll(':', '\\:')}:${command.description}`)}`),
    ')',
    '_trainyard_command() {',
    '  case $1 in',
    ...commands.map((command) => `    ${command.name}) ${commandSpecs(command)} ;;`),
    '  esac',
    '}',
    programText('completion/trainyard.zsh').trim(),
  ].join('\n');
}

function commandSpecs({ options, arguments: all }: CompletedCommand): string {
  return ['_arguments -S', ...options.map(optionSpec), ...all.map(argumentSpec)].join(' ');
}

/** `'(-e --engine)'{-e+,--engine=}'[what it does]:name:(a b)'`. */
function optionSpec({ flags, description, value, repeatable }: CompletedOption): string {
  const spelled = flags.map((flag) => (value === undefined ? flag : flag.startsWith('--') ? `${flag}=` : `${flag}+`));
  const rest = quoted(`[${escaped(description)}]${value === undefined ? '' : `:${escaped(value.name)}:${action(value.completion)}`}`);
  const exclusion = repeatable ? '\'*\'' : `'(${flags.join(' ')})'`;
  return `${exclusion}${spelled.length === 1 ? spelled[0] : `{${spelled.join(',')}}`}${rest}`;
}

function argumentSpec({ name, completion, variadic }: CompletedArgument, index: number): string {
  return quoted(`${variadic ? '*' : index + 1}:${escaped(name)}:${action(completion)}`);
}

function action(completion: Completion): string {
  if (completion === undefined) {
    return ' ';
  }
  if ('jobs' in completion) {
    return '_trainyard_jobs';
  }
  return 'words' in completion ? `(${completion.words.join(' ')})` : completion.paths === 'files' ? '_files' : '_files -/';
}

/** Brackets end a description, colons a part of a specification. */
function escaped(text: string): string {
  return text.replace(/[\\:[\]]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\'', '\'\\\'\'')}'`;
}
