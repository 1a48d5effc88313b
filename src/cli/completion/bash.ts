/** The completion of bash, 3.2 and newer, without the package bash-completion. */
import type { CompletedCommand, CompletedProgram, Completion } from './command-tree';
import { programText } from '../../programs/program-text';

/** Writes tables of commands and options, and the functions that read them. */
export function bashScript(program: CompletedProgram): string {
  const all: readonly (CompletedCommand & { readonly called: string })[] = [
    { ...program, called: '' }, ...program.commands.map((command) => ({ ...command, called: command.name })),
  ];
  const values = all.flatMap(({ called, options }) => options.flatMap(({ flags, value }) => (
    value === undefined ? [] : [`${flags.map((flag) => `'${called} ${flag}'`).join('|')}) ${assignment(value.completion)} ;;`])));
  const options = all.map((command) => `'${command.called}') words='${command.options.flatMap(({ flags }) => flags).join(' ')}' ;;`);
  const firstWords = `'') ${assignment({ words: program.commands.map((command) => command.name) })} ;;`;
  const words = program.commands.flatMap((command) => (
    command.arguments.length === 0 ? [] : [`'${command.name}') ${assignment(command.arguments[0].completion)} ;;`]));
  return [
    '# bash completion of trainyard, written by: trainyard completion bash',
    ...table('value', [...values, '*) return 1 ;;']),
    ...table('options', options),
    ...table('arguments', [firstWords, ...words]),
    programText('completion/trainyard.bash').trim(),
  ].join('\n');
}

function table(name: string, cases: readonly string[]): string[] {
  return [`_trainyard_${name}() {`, '  case "$1" in', ...cases.map((line) => `    ${line}`), '  esac', '}'];
}

function assignment(completion: Completion): string {
  if (completion === undefined) {
    return ':';
  }
  if ('jobs' in completion) {
    return '_trainyard_jobs';
  }
  return 'words' in completion ? `words='${completion.words.join(' ')}'` : `paths=${completion.paths === 'files' ? '-f' : '-d'}`;
}
