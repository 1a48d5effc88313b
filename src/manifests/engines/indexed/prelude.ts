/**
 * A few lines of POSIX shell before a container's command, for variables that depend on the pod's index in a way that `$(NAME)` cannot express: it
 * copies a value and computes nothing. The shell sets them and executes the command.
 *
 * The script is in the container's command, where the kubelet replaces `$(NAME)`, so what the shell has to read is escaped. The values of other
 * variables are never part of the script: the shell reads them, so they can have any content.
 */
import type { FoldedVariable } from './fold-pods';
import type { IndexedText, IndexGrid, Part } from './indexed-text';
import { escapeReferences, referencePieces } from '../../../model/variable-references';

/** Whether a variable exists before another one in the replica with an index: only then is a reference to it resolved. */
export type IsDefined = (name: string, before: FoldedVariable, index: number) => boolean;

/** Name of the shell's process, `$0`. */
const SHELL_NAME = 'trainyard';

/** Command that sets variables and executes `command`. */
export function withPrelude(command: readonly string[], script: string): string[] {
  return ['/bin/sh', '-c', script, SHELL_NAME, ...command];
}

/** First line of the script, which computes the index of a pod in a grid. */
export function gridScript({ row, place, width }: IndexGrid, index: string): string {
  // The dollar is doubled, because the kubelet reads `$(` as a reference.
  return `${index}="$$((${row.name} * ${width} + ${place.name}))"\n`;
}

/**
 * The script that sets variables.
 * @param variables the variables, in order
 * @param index name of the variable with the index
 */
export function preludeScript(variables: readonly FoldedVariable[], index: string, isDefined: IsDefined): string {
  const starts = [...new Set(variables.flatMap(({ text }) => text.map(({ from }) => from)))].sort((one, other) => one - other);
  const blocks = starts.map((start) => variables.flatMap((variable) => statement(variable, start, index, isDefined)));
  if (blocks.length === 1) {
    return script(blocks[0]);
  }
  const branches = blocks.flatMap((block, position) => {
    const isLast = position === blocks.length - 1;
    const condition = `[ "$${index}" -lt ${starts[position + 1]} ]`;
    const opening = isLast ? 'else' : `${position === 0 ? 'if' : 'elif'} ${condition}; then`;
    return [opening, ...(block.length > 0 ? block : [':']).map((line) => `  ${line}`)];
  });
  return script([...branches, 'fi']);
}

function script(lines: readonly string[]): string {
  return `${[...lines, 'exec "$@"'].join('\n')}\n`;
}

/** The statement that sets a variable in the replicas from `start` on; none if its value is already right. */
function statement(variable: FoldedVariable, start: number, index: string, isDefined: IsDefined): string[] {
  const { name, text, valueFrom } = variable;
  const parts = segmentAt(text, start).parts;
  if (valueFrom !== undefined) {
    return parts === undefined ? [`unset ${name}`] : [];
  }
  if (parts === undefined) {
    return [];
  }
  const words = parts.map((part) => (typeof part === 'string' ? textWord(part, (other) => isDefined(other, variable, start)) : numberWord(part, index)));
  return [`export ${name}=${words.join('') || "''"}`];
}

function segmentAt(text: IndexedText, index: number): { readonly parts?: readonly Part[] } {
  return text.find(({ from, to }) => from <= index && index <= to) ?? {};
}

/** A value in shell syntax: text in single quotes, and references of the kubelet as variables of the shell. */
function textWord(value: string, isDefined: (name: string) => boolean): string {
  const words: string[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') {
      words.push(escapeReferences(`'${plain.replaceAll("'", "'\\''")}'`));
    }
    plain = '';
  };
  for (const { written, name } of referencePieces(value)) {
    if (name !== undefined && isDefined(name)) {
      flush();
      words.push(`"$${name}"`);
    } else {
      plain += written === '$$' ? '$' : written;
    }
  }
  flush();
  return words.join('');
}

function numberWord({ plus }: { readonly plus: number }, index: string): string {
  if (plus === 0) {
    return `"$${index}"`;
  }
  // The dollar is doubled, because the kubelet reads `$(` as a reference.
  return `"$$((${index} ${plus < 0 ? '-' : '+'} ${Math.abs(plus)}))"`;
}
