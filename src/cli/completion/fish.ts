/** The completion of fish. @see https://fishshell.com/docs/current/cmds/complete.html */
import type { CompletedCommand, CompletedOption, CompletedProgram, Completion } from './command-tree';

export function fishScript(program: CompletedProgram): string {
  const { name, commands } = program;
  const complete = (condition: string | undefined, ...rest: readonly string[]) => (
    ['complete', '-c', name, ...(condition === undefined ? [] : ['-n', quoted(condition)]), ...rest].join(' '));
  return [
    `# fish completion of ${name}, written by: ${name} completion fish`,
    complete(undefined, '-f'),
    ...program.options.map((option) => complete('__fish_use_subcommand', ...optionWords(option))),
    ...commands.map((command) => complete('__fish_use_subcommand', '-a', command.name, '-d', quoted(command.description))),
    ...commands.flatMap((command) => [
      ...command.options.map((option) => complete(inside(command), ...optionWords(option))),
      ...command.arguments.map(({ completion }) => completionWords(completion)).filter((words) => words.length > 0)
        .map((words) => complete(inside(command), ...words)),
    ]),
  ].join('\n');
}

function inside({ name }: CompletedCommand): string {
  return `__fish_seen_subcommand_from ${name}`;
}

function optionWords({ flags, description, value }: CompletedOption): string[] {
  const spelled = flags.flatMap((flag) => (flag.startsWith('--') ? ['-l', flag.slice(2)] : ['-s', flag.slice(1)]));
  // -x: a value and no files, -r: a value, -F: files.
  const taken = value === undefined ? [] : [isFiles(value.completion) ? '-r' : '-x', ...completionWords(value.completion)];
  return [...spelled, ...taken, '-d', quoted(description)];
}

function isFiles(completion: Completion): boolean {
  return completion !== undefined && 'paths' in completion && completion.paths === 'files';
}

function completionWords(completion: Completion): string[] {
  if (completion === undefined) {
    return [];
  }
  if ('jobs' in completion) {
    return ['-a', quoted('(trainyard list --output name --request-timeout 2s 2>/dev/null | string replace -r ".*/" "")')];
  }
  if ('words' in completion) {
    return ['-a', quoted(completion.words.join(' '))];
  }
  return isFiles(completion) ? ['-F'] : ['-a', quoted('(__fish_complete_directories)')];
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
