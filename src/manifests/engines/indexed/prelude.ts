/**
 * A few lines of POSIX shell in front of a container's command, for variables that follow from the pod's index in a way that Kubernetes cannot write:
 * `$(NAME)` copies a value and computes nothing. The shell sets them and becomes the command.
 *
 * The lines stand in the container's command, which a kubelet looks through for `$(NAME)` too, so that what is meant for the shell is escaped. The
 * values of other variables are never pasted into the script, but read by the shell, whatever stands in them.
 */
import type { FoldedVariable } from './fold-pods';
import type { IndexedText, Part } from './indexed-text';
import type { IndexGrid } from './pod-set';
import { escapeReferences, referencePieces } from '../../../model/variable-references';

/** Whether there is a variable of a name before another one, in the replica with an index: only then does a reference lead to it. */
export type IsDefined = (name: string, before: FoldedVariable, index: number) => boolean;

/** Name of the shell's process, `$0`. */
const SHELL_NAME = 'trainyard';

/** Command that sets variables and becomes `command`. */
export function withPrelude(command: readonly string[], script: string): string[] {
  return ['/bin/sh', '-c', script, SHELL_NAME, ...command];
}

/** A line in front of the script that computes the index of a pod in a grid. */
export function gridScript({ row, place, width }: IndexGrid, index: string): string {
  // The dollar is doubled for the kubelet, to which `$(` means a variable.
  return `${index}="$$((${row.name} * ${width} + ${place.name}))"\n`;
}

/**
 * The script.
 * @param variables what it has to set, in their order
 * @param index variable with the index that their texts depend on
 * @param isDefined whether a reference to a variable leads anywhere
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

/** What makes a variable right in the replicas from `start` on; nothing where it is right already. */
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

/** A value as the shell writes it: text in single quotes, and what the kubelet would replace as a variable of the shell. */
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
  // The dollar is doubled for the kubelet, to which `$(` means a variable.
  return `"$$((${index} ${plus < 0 ? '-' : '+'} ${Math.abs(plus)}))"`;
}
