/** The completion of bash, 3.2 and newer, without the package bash-completion. */
import type { CompletedCommand, CompletedProgram, Completion } from './command-tree';

/** Writes the script. */
export function bashScript(program: CompletedProgram): string {
  const { name } = program;
  const all: readonly (CompletedCommand & { readonly called: string })[] = [
    { ...program, called: '' }, ...program.commands.map((command) => ({ ...command, called: command.name })),
  ];
  const values = all.flatMap(({ called, options }) => options.flatMap(({ flags, value }) => (
    value === undefined ? [] : [`    ${flags.map((flag) => `'${called} ${flag}'`).join('|')}) ${assignment(value.completion)} ;;`])));
  const options = all.map((command) => `        '${command.called}') words='${command.options.flatMap(({ flags }) => flags).join(' ')}' ;;`);
  const firstWords = `        '') ${assignment({ words: program.commands.map((command) => command.name) })} ;;`;
  const words = program.commands.flatMap((command) => (
    command.arguments.length === 0 ? [] : [`        '${command.name}') ${assignment(command.arguments[0].completion)} ;;`]));
  return `# bash completion of ${name}, written by: ${name} completion bash
_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" option='' command='' words='' paths='' i line
  COMPREPLY=()
  # --option=value comes as three words.
  if [[ $word == '=' ]]; then
    option="\${COMP_WORDS[COMP_CWORD-1]}" word=''
  elif ((COMP_CWORD > 2)) && [[ \${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then
    option="\${COMP_WORDS[COMP_CWORD-2]}"
  else
    option="\${COMP_WORDS[COMP_CWORD-1]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} != -* ]]; then
      command="\${COMP_WORDS[i]}"
      break
    fi
  done
  case "$command $option" in
${values.join('\n')}
    *)
      if [[ $word == -* ]]; then
        case "$command" in
${indented(options)}
        esac
      else
        case "$command" in
${indented([firstWords, ...words])}
        esac
      fi ;;
  esac
  if [[ -n $paths ]]; then
    # The shell itself then writes what is special in names, and a slash behind folders.
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$paths" -- "$word")
  elif [[ -n $words ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$words" -- "$word")
  fi
}
complete -F _${name} ${name}`;
}

function assignment(completion: Completion): string {
  if (completion === undefined) {
    return ':';
  }
  return 'words' in completion ? `words='${completion.words.join(' ')}'` : `paths=${completion.paths === 'files' ? '-f' : '-d'}`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}
